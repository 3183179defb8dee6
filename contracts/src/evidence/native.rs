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
pub(super) const FILES: &[(&str, &str)] = embed![];
