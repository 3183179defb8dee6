//! `cke-opt`: every flag of `mlir-opt`, every upstream dialect and pass, and those of this project.

use cke_mlir::ir::Registry;

fn main() {
    let mut registry = Registry::upstream();
    cke_dialects::register(&mut registry);
    cke_passes::register();
    std::process::exit(cke_mlir::tools::opt_main("CKE optimizer driver\n", &registry));
}
