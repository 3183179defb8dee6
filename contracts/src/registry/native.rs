//! The contracts and providers of this project, as the files under `data/` say them.

use super::Registry;
use crate::fault::Fault;

/// Embeds files of the data folder as (file name, text).
macro_rules! embed {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../data/", $path)))),+]
    };
}

const CONTRACTS: &[(&str, &str)] = embed![
    "contracts/attention_reductions.json",
    "contracts/numerical_execution.json",
    "contracts/v8_attention_reductions.json",
    "contracts/v8_quantized_linear.json",
];

const KERNEL_MAPS: &[(&str, &str)] = embed![
    "kernel_maps/cke_argmax_fp32.json",
    "kernel_maps/cke_attention_fp32.json",
    "kernel_maps/cke_embedding_fp32.json",
    "kernel_maps/cke_kv_append_fp32.json",
    "kernel_maps/cke_linear_fp32.json",
    "kernel_maps/cke_logits_fp32.json",
    "kernel_maps/cke_residual_add_fp32.json",
    "kernel_maps/cke_rmsnorm_fp32.json",
    "kernel_maps/cke_rope_pairwise_fp32.json",
    "kernel_maps/cke_rope_split_half_fp32.json",
    "kernel_maps/cke_swiglu_fp32.json",
];

/// The native registry.
pub(super) fn registry() -> Result<Registry, Fault> {
    Registry::from_files(CONTRACTS, KERNEL_MAPS)
}
