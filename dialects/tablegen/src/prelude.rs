//! The part of MLIR's own definition files that dialects may build on, written anew in our subset.
//!
//! An `include "mlir/..."` finds these files instead of MLIR's. They declare the same classes, parameters and fields, so
//! a file that is accepted here is accepted by `mlir-tblgen`; whatever they leave out cannot be named by accident.

const FILES: &[(&str, &str)] = &[
    ("mlir/IR/CommonAttrConstraints.td", include_str!("prelude/mlir/IR/CommonAttrConstraints.td")),
    ("mlir/IR/CommonTypeConstraints.td", include_str!("prelude/mlir/IR/CommonTypeConstraints.td")),
    ("mlir/IR/DialectBase.td", include_str!("prelude/mlir/IR/DialectBase.td")),
    ("mlir/IR/Interfaces.td", include_str!("prelude/mlir/IR/Interfaces.td")),
    ("mlir/IR/OpBase.td", include_str!("prelude/mlir/IR/OpBase.td")),
    ("mlir/IR/SymbolInterfaces.td", include_str!("prelude/mlir/IR/SymbolInterfaces.td")),
    ("mlir/Interfaces/ControlFlowInterfaces.td", include_str!("prelude/mlir/Interfaces/ControlFlowInterfaces.td")),
    ("mlir/Interfaces/InferTypeOpInterface.td", include_str!("prelude/mlir/Interfaces/InferTypeOpInterface.td")),
    ("mlir/Interfaces/SideEffectInterfaces.td", include_str!("prelude/mlir/Interfaces/SideEffectInterfaces.td")),
];

/// The text of a file of MLIR.
pub(crate) fn find(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}
