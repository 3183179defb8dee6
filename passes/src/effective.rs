//! Which contract is in effect on which extents, as an attribute of the operation that requires a contract which branches.
//!
//! ```mlir
//! effective_contract = [{axis = "kv_rows", chunks = "1", contract = "f16_online_fp32_merge", from = 1, to = 257},
//!                       {axis = "kv_rows", chunks = "workers", contract = "f16_online_fp32_merge", from = 257}]
//! ```
//!
//! It is derived from the registry, for whoever reads or runs the program; `verify-contracts` derives it anew.

use cke_contracts::effective::{Region, regions};
use cke_contracts::registry::Registry;
use serde_json::{Value, json};

/// The attribute's value; `None` for a contract that does not branch.
pub fn value(registry: &Registry, contract: &str) -> Option<Value> {
    let regions = regions(registry, contract);
    (!regions.is_empty()).then(|| regions.iter().map(of_region).collect())
}

fn of_region(region: &Region) -> Value {
    let mut value = json!({"axis": region.axis.name(), "from": region.from, "contract": region.contract});
    if let Some(to) = region.to {
        value["to"] = json!(to);
    }
    if let Some(chunks) = region.chunks {
        value["chunks"] = json!(chunks.to_string());
    }
    value
}
