//! `cke-opt`: every flag of `mlir-opt`, every upstream dialect and pass, and those of this project.

fn main() {
    std::process::exit(cke_mlir::tools::opt_main("CKE optimizer driver\n", &cke_passes::registry()));
}
