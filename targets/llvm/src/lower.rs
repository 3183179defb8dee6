//! The upstream passes from func, scf, vector, arith and math to the LLVM dialect.

/// A pass pipeline that lowers a module of kernels to the LLVM dialect.
///
/// None of these passes reorders, fuses or approximates: `math.fma` becomes `llvm.intr.fma`, and every other
/// floating-point operation becomes the LLVM instruction of the same meaning without fast-math flags. There is no
/// `arith-expand` and no `math` library call: the kernels use only operations that are instructions.
pub const TO_LLVM_DIALECT: &str = "builtin.module(convert-scf-to-cf,convert-math-to-llvm,convert-vector-to-llvm,\
    convert-arith-to-llvm,convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts,canonicalize,cse)";
