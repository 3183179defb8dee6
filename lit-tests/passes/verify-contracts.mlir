// The pass reads: a module at any level passes through it unchanged, bit for bit. What it refuses is tested in
// reselection/.
// RUN: %make_graph > %t.mlir
// RUN: cke-opt %t.mlir -o %t.graph.mlir
// RUN: %make_resolved -o %t.resolved.mlir
// RUN: %make_lowered -o %t.lowered.mlir
// RUN: %make_call -o %t.call.mlir
// RUN: %make_llvm -o %t.llvm.mlir
// RUN: cke-opt %t.graph.mlir --verify-contracts | diff %t.graph.mlir -
// RUN: cke-opt %t.resolved.mlir --verify-contracts | diff %t.resolved.mlir -
// RUN: cke-opt %t.lowered.mlir --verify-contracts | diff %t.lowered.mlir -
// RUN: cke-opt %t.call.mlir --verify-contracts | diff %t.call.mlir -
// RUN: cke-opt %t.llvm.mlir --verify-contracts | diff %t.llvm.mlir -

// It recomputed each decision, at every level: the four of the circuit.
// RUN: cke-opt %t.resolved.mlir --verify-contracts --cke-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: cke-opt %t.lowered.mlir --verify-contracts --cke-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: cke-opt %t.call.mlir --verify-contracts --cke-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// RUN: cke-opt %t.llvm.mlir --verify-contracts --cke-pass-statistics -o /dev/null 2>&1 | FileCheck %s
// CHECK: verify-contracts 4 verified

// Neither a module of other dialects nor an empty one is its business.
// RUN: cke-opt %s --verify-contracts -o /dev/null
func.func private @elsewhere()

// A decision does not depend on how the module is written: generic text, bytecode and another tool's hands.
// RUN: cke-opt %t.call.mlir --mlir-print-op-generic | cke-opt --verify-contracts | diff %t.call.mlir -
// RUN: cke-opt %t.call.mlir --emit-bytecode | cke-opt --verify-contracts | diff %t.call.mlir -
// RUN: cke-opt %t.call.mlir --mlir-print-op-generic | mlir-opt --allow-unregistered-dialect --mlir-print-op-generic | cke-opt --verify-contracts | diff %t.call.mlir -

// No option turns a check off.
// RUN: not cke-opt %t.resolved.mlir '--pass-pipeline=builtin.module(verify-contracts{strict=false})' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option strict
