//! The upstream dialects a pass can depend on.

use crate::ffi::{self, MlirDialectHandle};

/// The handle of an upstream dialect.
pub fn upstream(name: &str) -> Option<MlirDialectHandle> {
    let handle = match name {
        "affine" => ffi::mlirGetDialectHandle__affine__,
        "arith" => ffi::mlirGetDialectHandle__arith__,
        "bufferization" => ffi::mlirGetDialectHandle__bufferization__,
        "cf" => ffi::mlirGetDialectHandle__cf__,
        "func" => ffi::mlirGetDialectHandle__func__,
        "index" => ffi::mlirGetDialectHandle__index__,
        "linalg" => ffi::mlirGetDialectHandle__linalg__,
        "llvm" => ffi::mlirGetDialectHandle__llvm__,
        "math" => ffi::mlirGetDialectHandle__math__,
        "memref" => ffi::mlirGetDialectHandle__memref__,
        "scf" => ffi::mlirGetDialectHandle__scf__,
        "tensor" => ffi::mlirGetDialectHandle__tensor__,
        "vector" => ffi::mlirGetDialectHandle__vector__,
        _ => return None,
    };
    // SAFETY: these return constants.
    Some(unsafe { handle() })
}
