//! Makes MLIR linkable: a linker script for the C API, and the one C++ file of the project.
//!
//! Distributions ship `libMLIR.so` (the C++ API) and `libMLIRCAPI*.a` (the C API), but no `libMLIR-C.so`, which is what
//! `mlir-sys` asks the linker for. A GNU linker script of that name fills the gap.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

fn main() {
    let prefix = prefix();
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    write_linker_script(&prefix.join("lib"), &out);
    compile_shim(&prefix);
}

/// Where LLVM and MLIR are installed; `.cargo/config.toml` says so.
fn prefix() -> PathBuf {
    const VARIABLE: &str = "MLIR_SYS_220_PREFIX";
    println!("cargo:rerun-if-env-changed={VARIABLE}");
    let prefix = PathBuf::from(env::var(VARIABLE).unwrap_or_else(|_| "/usr/lib/llvm-22".into()));
    for file in ["lib/libMLIR.so", "lib/libLLVM.so", "include/mlir/IR/Operation.h", "bin/clang++"] {
        assert!(
            prefix.join(file).exists(),
            "{} is missing: install the packages libmlir-22-dev, mlir-22-tools, llvm-22-dev and clang-22, \
             or set {VARIABLE} to where LLVM 22 with MLIR is installed",
            prefix.join(file).display()
        );
    }
    prefix
}

fn write_linker_script(libraries: &Path, out: &Path) {
    let mut archives: Vec<String> = fs::read_dir(libraries)
        .expect("the library folder was just seen")
        .filter_map(|entry| entry.ok()?.path().into_os_string().into_string().ok())
        .filter(|path| path.contains("/libMLIRCAPI") && path.ends_with(".a"))
        .collect();
    archives.sort();
    let libraries = libraries.display();
    let script = format!("GROUP ( {} {libraries}/libMLIR.so {libraries}/libLLVM.so )\n", archives.join(" "));
    fs::write(out.join("libMLIR-C.so"), script).expect("OUT_DIR is writable");
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-search=native={libraries}");
}

/// Only clang will do: with another compiler the traits of MLIR get other identities than in `libMLIR.so`, and every
/// `hasTrait` is false. `NDEBUG` must be as in `libMLIR.so`, since classes differ with it.
fn compile_shim(prefix: &Path) {
    println!("cargo:rerun-if-changed=cpp");
    cc::Build::new()
        .compiler(prefix.join("bin/clang++"))
        .cpp(true)
        .std("c++17")
        .file("cpp/shim.cpp")
        .include(prefix.join("include"))
        .define("NDEBUG", None)
        .flag("-fno-exceptions")
        .flag("-Wno-unused-parameter")
        .debug(false)
        .opt_level(2)
        .compile("ckeshim");
}
