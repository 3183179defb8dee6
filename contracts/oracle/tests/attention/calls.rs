//! Calls of attention contracts on seeded data, and the registry a contract is checked in.

use std::collections::BTreeMap;

use cke_contracts::layout::Layout;
use cke_contracts::registry::vocabulary::IsaClass;
use cke_contracts::registry::{Contract, ContractKind, Registry};
use cke_oracle::{Call, Context, Element, Port, execute};
use half::{bf16, f16};
use serde_json::Value;

use super::crafts::{Craft, Operands};

/// A call whose query heads have a key head each.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub rows: usize,
    pub position: usize,
    pub heads: usize,
    pub width: usize,
    /// How keys and values are stored.
    pub cache: [Element; 2],
    pub workers: u32,
    pub isa: Option<IsaClass>,
    /// What queries are multiplied by: wide scores make weights that differ by orders of magnitude.
    pub spread: f32,
    pub craft: Craft,
}

pub const SMALL: Case = Case {
    rows: 2,
    position: 299,
    heads: 2,
    width: 72,
    cache: [Element::Bits32; 2],
    workers: 3,
    isa: None,
    spread: 1.0,
    craft: Craft::Noise,
};

/// The definition of a native contract.
pub fn native(id: &str) -> Contract {
    Registry::native().expect("the embedded registry is valid").contracts.remove(id).expect("a native contract")
}

/// The contracts of a definition: itself, and its parts where it is a composite.
pub fn contracts(id: &str, definition: &Value) -> Result<BTreeMap<String, Contract>, String> {
    let contract = native(id);
    let parts = contract.parts().into_iter().map(|(_, part)| (part.to_owned(), native(part).definition()));
    let all = parts.chain([(id.to_owned(), definition.clone())]);
    let entries = all.map(|(id, definition)| (id, ContractKind::Attention, definition));
    Registry::from_values(entries, []).map(|registry| registry.contracts).map_err(|fault| fault.message)
}

impl Case {
    /// Positions of the caches, more than are valid.
    pub fn capacity(&self) -> usize {
        self.position + self.rows + 7
    }

    /// What the scores are multiplied by.
    pub fn scale(&self) -> f64 {
        1.0 / (self.width as f64).sqrt()
    }

    /// Queries, keys and values.
    pub fn operands(&self) -> Operands {
        let Self { rows, heads, width, spread, .. } = *self;
        self.craft.operands(rows * heads * width, heads, self.capacity(), width, spread)
    }
}

/// The output of a call.
pub fn run(contracts: &BTreeMap<String, Contract>, id: &str, case: &Case) -> Result<Vec<f32>, String> {
    run_on(contracts, id, case, &case.operands())
}

/// The output of a call on operands that are given.
pub fn run_on(
    contracts: &BTreeMap<String, Contract>,
    id: &str,
    case: &Case,
    Operands { q, k, v }: &Operands,
) -> Result<Vec<f32>, String> {
    let Case { rows, position, heads, width, cache, workers, isa, .. } = *case;
    let extents =
        [("heads", heads), ("kv_heads", heads), ("head_dim", width), ("capacity", case.capacity()), ("window", 5)];
    let shape: BTreeMap<String, i64> = extents.into_iter().map(|(key, n)| (key.to_owned(), n as i64)).collect();
    let params = BTreeMap::from([("scale".to_owned(), case.scale())]);
    let mut state = vec![];
    let mut put = |name, layout, element, values: &[f32]| {
        let offset = state.len();
        state.extend(values.iter().flat_map(|value| stored(*value, element)));
        Port { name, offset, layout, element }
    };
    let ports = [
        put("q", Layout::RowMajor, Element::Bits32, q),
        put("k_cache", Layout::HeadMajor, cache[0], k),
        put("v_cache", Layout::HeadMajor, cache[1], v),
        put("y", Layout::RowMajor, Element::Bits32, &vec![0.0; rows * heads * width]),
    ];
    let context = Context { workers: Some(workers), isa, parts: Some(contracts) };
    let contract = &contracts[id];
    let call =
        Call { contract, op: "attention", shape: &shape, params: &params, ports: &ports, rows, position, context };
    execute(&call, &mut state)?;
    let output = &state[ports[3].offset..];
    Ok(output.chunks_exact(4).map(|bytes| f32::from_ne_bytes(bytes.try_into().expect("four bytes"))).collect())
}

/// The output of a native contract.
pub fn native_run(id: &str, case: &Case) -> Vec<f32> {
    let contracts = contracts(id, &native(id).definition()).expect("a native contract");
    run(&contracts, id, case).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// The greatest difference of two outputs.
pub fn distance(one: &[f32], other: &[f32]) -> f32 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
}

pub fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn stored(value: f32, element: Element) -> Vec<u8> {
    match element {
        Element::Bits32 => value.to_ne_bytes().to_vec(),
        Element::Fp16 => f16::from_f32(value).to_ne_bytes().to_vec(),
        Element::Bf16 => bf16::from_f32(value).to_ne_bytes().to_vec(),
    }
}
