//! Small programs and models for the tests.

use cke_contracts::layout::Layout;
use cke_runtime::gguf::Gguf;
use cke_runtime::program::{Entry, Io, Origin, Program, Region, StateSlot, WeightSlot};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Tokens of [`program`].
pub const VOCAB: u64 = 40;
/// Positions of [`program`].
pub const CAPACITY: u64 = 20;
/// Rows of [`program`].
pub const MAX_ROWS: u64 = 8;

/// A valid program without weights: io, one state, an arena, and two entries without steps.
pub fn program() -> Program {
    let entry = |name: &str| Entry { name: name.to_owned(), steps: Vec::new() };
    Program {
        state_bytes: 4096,
        max_rows: MAX_ROWS,
        capacity: CAPACITY,
        max_threads: 4,
        vocab: VOCAB,
        io: Io { tokens: 0, logits: 64, next_token: 256 },
        weights: Vec::new(),
        states: vec![StateSlot {
            name: "cache".to_owned(),
            dims: vec![2, CAPACITY, 3],
            layout: "k_blocks_t16".to_owned(),
            offset: 320,
            bytes: 2 * 32 * 3 * 4,
        }],
        arena: Region { offset: 2048, bytes: 2048 },
        entries: vec![entry("prefill"), entry("decode")],
        contracts: BTreeMap::new(),
        providers: BTreeMap::new(),
        ledger_root: "sha256:0".to_owned(),
    }
}

/// Appends a weight of the model to `program`, behind everything else.
pub fn add_weight(program: &mut Program, name: &str, storage: &str, preparation: &str, dims: &[u64]) {
    let layout = if preparation.ends_with("panels_n32") { Layout::PanelsN32 } else { Layout::RowMajor };
    let sizes: Vec<usize> = dims.iter().map(|&dim| dim as usize).collect();
    let bytes = layout.elements(&sizes).unwrap() as u64 * 4;
    let offset = program.state_bytes.next_multiple_of(64);
    program.state_bytes = offset + bytes;
    program.weights.push(WeightSlot {
        name: name.to_owned(),
        storage: storage.to_owned(),
        preparation: preparation.to_owned(),
        dims: dims.to_vec(),
        layout: layout.name().to_owned(),
        offset,
        bytes,
        origin: None,
    });
}

/// Appends a table of rotary positions.
pub fn add_rope_table(program: &mut Program, base: f64, rotary_dim: u64, positions: u64) {
    let dims = [positions, rotary_dim / 2, 2];
    add_weight(program, "rope_table", "generated", "rope_table_fp64_series", &dims);
    let slot = program.weights.last_mut().unwrap();
    slot.origin = Some(Origin::RopeTableFp64Series { base, rotary_dim, positions });
}

/// The real model's file, from `CKE_MODEL` or below `build/models` of the repository.
pub fn real_model() -> Option<Gguf> {
    let name = "SmolLM2-135M-Instruct.Q4_1.gguf";
    let fetched = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../build/models").join(name);
    let path = std::env::var_os("CKE_MODEL").map_or(fetched, PathBuf::from);
    if !path.is_file() {
        eprintln!("skipped: no model at {} (set CKE_MODEL to the path of {name})", path.display());
        return None;
    }
    Some(Gguf::open(&path).expect("the model can be read"))
}
