// Every operation of the dialect survives text, generic text and bytecode, with real definitions: nested dictionaries,
// lists, integers, truth values, and the one field that is `null` in JSON and therefore `unit` here.
// RUN: cat %inputs/registry.mlir %s > %t.mlir
// RUN: cke-opt %t.mlir --verify-roundtrip | FileCheck %s
// RUN: cke-opt %t.mlir -o %t.custom.mlir
// RUN: cke-opt %t.custom.mlir | diff %t.custom.mlir -
// RUN: cke-opt %t.mlir --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: cke-opt %t.mlir --mlir-print-op-generic | cke-opt | diff %t.custom.mlir -
// RUN: cke-opt %t.mlir --emit-bytecode -o %t.bc
// RUN: cke-opt %t.bc | diff %t.custom.mlir -
// RUN: cke-opt %t.bc --emit-bytecode | cmp %t.bc -

// CHECK-LABEL: contract.registry @native {
// CHECK: contract.attention @fp32_exact_max_kv_chunks_1024 {
// CHECK-SAME: partition = {chunk_extent = 1024 : i64, kind = "absolute_position_chunks"}
// CHECK: contract.execution @kv_append_fp32_copy {
// CHECK-SAME: position_transform, reduction = {
// CHECK: contract.provider @cke_residual_add_fp32 {
// CHECK-SAME: dims = ["dim"]
// CHECK-SAME: thread_count_changes_arithmetic_order = false

// GENERIC: "contract.registry"() <{sym_name = "native"}> ({
// GENERIC: "contract.provider"() <{definition = {{{.*}}}, sym_name = "cke_residual_add_fp32"}> : () -> ()

// An instance is no identifier, so its key is quoted.
// CHECK: contract.ledger @ledger root "sha256:0" entries {"decode/blk.0/attn_q" = "sha256:1", plain = "sha256:2"}
contract.ledger @ledger root "sha256:0" entries {"decode/blk.0/attn_q" = "sha256:1", plain = "sha256:2"}

// CHECK: contract.ledger "private" @"of nothing" root "" entries {} {note = "kept"}
contract.ledger "private" @"of nothing" root "" entries {} {note = "kept"}

// CHECK: contract.registry "nested" @empty attributes {note = "kept"} {
// CHECK-NEXT: }
contract.registry "nested" @empty attributes {note = "kept"} {
}
