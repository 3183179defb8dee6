//! Generates tables, typed accessors and builders from the definition files.

fn main() {
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for file in ["contract/Contract.td", "graph/Graph.td", "lowered/Lowered.td", "call/Call.td"] {
        cke_tablegen::build_script(std::path::Path::new(file), &out);
    }
}
