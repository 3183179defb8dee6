//! The evidence of this project, as the files under `evidence/` say it.

/// Embeds the evidence of providers, each on some instruction sets, as (file name, text).
macro_rules! embed {
    ($($provider:literal on $($isa:literal),+;)*) => {
        &[$($((
            concat!("evidence/", $provider, "/", $isa, ".json"),
            include_str!(concat!("../../evidence/", $provider, "/", $isa, ".json")),
        )),+),*]
    };
}

/// Every file; a test holds the list against the folder.
pub(super) const FILES: &[(&str, &str)] = embed![
    "cke_argmax_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_attention_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_embedding_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_kv_append_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_linear_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_logits_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_residual_add_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_rmsnorm_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_rope_pairwise_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_rope_split_half_fp32" on "x86-64-v3", "x86-64-v4";
    "cke_swiglu_fp32" on "x86-64-v3", "x86-64-v4";
];
