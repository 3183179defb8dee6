//! The buffers of each operation, in the order of its call ABI.

use super::{Kernel, MAX_THREADS};
use cke_contracts::layout::Layout;
use std::ops::Range;

/// A buffer of a kernel.
pub struct Port {
    pub name: &'static str,
    pub layout: Layout,
    /// First byte in the state.
    pub offset: usize,
    /// Elements, padding included; each has four bytes.
    pub elements: usize,
    /// Not part of the result.
    pub scratch: bool,
}

impl Port {
    /// The bytes in the state.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + 4 * self.elements
    }
}

/// The buffers of the kernel for its most rows, with a gap of 64 bytes around each.
pub fn ports(kernel: &Kernel) -> Vec<Port> {
    let mut next = 64;
    let buffers = buffers(kernel).into_iter();
    buffers
        .map(|(name, layout, dims)| {
            let elements = layout.elements(&dims).expect("a small buffer");
            let offset = next;
            next = (next + 4 * elements).next_multiple_of(64) + 64;
            Port { name, layout, offset, elements, scratch: name == "scores" }
        })
        .collect()
}

fn buffers(kernel: &Kernel) -> Vec<(&'static str, Layout, Vec<usize>)> {
    use Layout::{HeadMajor, KBlocksT16, PanelsN32, RowMajor};
    let extent = |key| kernel.extent(key);
    let rows = kernel.max_rows;
    let activation = |name, width| (name, RowMajor, vec![rows, width]);
    match kernel.op {
        "embedding" => vec![
            ("tokens", RowMajor, vec![rows]),
            ("table", PanelsN32, vec![extent("vocab"), extent("dim")]),
            activation("y", extent("dim")),
        ],
        "rmsnorm" => vec![
            activation("x", extent("dim")),
            ("gamma", RowMajor, vec![extent("dim")]),
            activation("y", extent("dim")),
        ],
        "linear" => vec![
            activation("x", extent("k")),
            ("w", PanelsN32, vec![extent("n"), extent("k")]),
            activation("y", extent("n")),
        ],
        "logits" => vec![
            activation("x", extent("k")),
            ("w", PanelsN32, vec![extent("n"), extent("k")]),
            ("y", RowMajor, vec![1, extent("n")]),
        ],
        "rope" => {
            let width = extent("heads") * extent("head_dim");
            let table = vec![extent("positions"), extent("rotary_dim") / 2, 2];
            vec![activation("x", width), ("table", RowMajor, table), activation("y", width)]
        }
        "kv_append" => {
            let width = extent("kv_heads") * extent("head_dim");
            let cache = vec![extent("kv_heads"), extent("capacity"), extent("head_dim")];
            vec![
                activation("k", width),
                activation("v", width),
                ("k_cache", KBlocksT16, cache.clone()),
                ("v_cache", HeadMajor, cache),
            ]
        }
        "attention" => {
            let width = extent("heads") * extent("head_dim");
            let cache = vec![extent("kv_heads"), extent("capacity"), extent("head_dim")];
            vec![
                activation("q", width),
                ("k_cache", KBlocksT16, cache.clone()),
                ("v_cache", HeadMajor, cache),
                ("scores", RowMajor, vec![MAX_THREADS, extent("capacity").next_multiple_of(16)]),
                activation("y", width),
            ]
        }
        "swiglu" => ["gate", "up", "y"].map(|name| activation(name, extent("dim"))).into(),
        "residual_add" => ["a", "b", "y"].map(|name| activation(name, extent("dim"))).into(),
        "argmax" => vec![("x", RowMajor, vec![1, extent("n")]), ("y", RowMajor, vec![1])],
        other => panic!("no buffers for {other}"),
    }
}
