//! `cke-lsp-server`: diagnostics, hover, completion and definitions of .mlir files in an editor.

use cke_mlir::ir::Registry;

fn main() {
    let mut registry = Registry::upstream();
    cke_dialects::register(&mut registry);
    std::process::exit(cke_mlir::tools::lsp_main(&registry));
}
