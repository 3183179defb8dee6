//! The upstream passes from func, scf, vector, arith and math to the LLVM dialect.

/// The passes, in order, that lower a module of kernels to the LLVM dialect; to be run on a `builtin.module`.
///
/// None of them reorders, fuses or approximates: `math.fma` becomes `llvm.intr.fma`, and every other floating-point
/// operation becomes the LLVM instruction of the same meaning without fast-math flags. There is no `arith-expand` and no
/// `math` library call: the kernels use only operations that are instructions. Simplification is left to LLVM, so that
/// operations of other dialects beside the kernels are not touched.
pub const TO_LLVM_DIALECT: &str = "convert-scf-to-cf,convert-math-to-llvm,convert-vector-to-llvm,convert-arith-to-llvm,\
    convert-cf-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts";
