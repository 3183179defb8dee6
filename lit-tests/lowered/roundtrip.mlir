// Every operation of the dialect survives text, generic text and bytecode: first real ones, as the passes write them,
// then those below, which have every optional part.
// RUN: %make_lowered -o %t.mlir
// RUN: cke-opt %t.mlir --verify-roundtrip | diff %t.mlir -
// RUN: cke-opt %t.mlir --mlir-print-op-generic | cke-opt | diff %t.mlir -
// RUN: cke-opt %t.mlir --emit-bytecode | cke-opt | diff %t.mlir -

// RUN: cke-opt %s --verify-roundtrip | FileCheck %s
// RUN: cke-opt %s -o %t.custom.mlir
// RUN: cke-opt %t.custom.mlir | diff %t.custom.mlir -
// RUN: cke-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: cke-opt %s --mlir-print-op-generic | cke-opt | diff %t.custom.mlir -
// RUN: cke-opt %s --emit-bytecode -o %t.bc
// RUN: cke-opt %t.bc | diff %t.custom.mlir -
// RUN: cke-opt %t.bc --emit-bytecode | cmp %t.bc -

// CHECK: lowered.plan @plan max_rows 64 capacity 48 max_threads 8
lowered.plan @plan max_rows 64 capacity 48 max_threads 8
// CHECK: lowered.plan "private" @other max_rows 1 capacity 1 max_threads 1 bytes 4096 {note = "kept"}
lowered.plan "private" @other max_rows 1 capacity 1 max_threads 1 bytes 4096 {note = "kept"}

// CHECK: lowered.global @w kind "weight" layout "panels_n32" storage "q4_1" preparation "expand_fp32_panels_n32" : memref<16x32xf32>
lowered.global @w kind "weight" layout "panels_n32" storage "q4_1" preparation "expand_fp32_panels_n32"
    : memref<16x32xf32>
// CHECK: lowered.global "private" @rope_table kind "weight" layout "row_major" storage "generated" preparation "rope_table_fp64_series" origin {base = 1.000000e+05 : f64} at 4096 {note = "kept"} : memref<48x8x2xf32>
lowered.global "private" @rope_table kind "weight" layout "row_major" storage "generated"
    preparation "rope_table_fp64_series" origin {base = 1.0e5 : f64} at 4096 {note = "kept"} : memref<48x8x2xf32>
// CHECK: lowered.global @blk.0.k_cache kind "state" layout "k_blocks_t16" at 8192 : memref<1x48x16xf32>
lowered.global @"blk.0.k_cache" kind "state" layout "k_blocks_t16" at 8192 : memref<1x48x16xf32>
// CHECK: lowered.global @tokens kind "io" layout "row_major" : memref<?xi32>
lowered.global @tokens kind "io" layout "row_major" : memref<?xi32>

// CHECK: lowered.program "private" @empty phase "decode" attributes {note = "kept"} {
// CHECK-NEXT: }
lowered.program "private" @empty phase "decode" attributes {note = "kept"} {
}

// CHECK-LABEL: lowered.program @prefill phase "prefill" {
// GENERIC: "lowered.program"() <{phase = "prefill", sym_name = "prefill"}> ({
lowered.program @prefill phase "prefill" {
  // CHECK: %[[TOKENS:.*]] = lowered.get @tokens : memref<?xi32>
  // GENERIC: "lowered.get"() <{global = @tokens}> : () -> memref<?xi32>
  %tokens = lowered.get @tokens : memref<?xi32>
  // CHECK: lowered.buffer "prefill/embedding" : memref<?x32xf32>
  %x = lowered.buffer "prefill/embedding" : memref<?x32xf32>
  // CHECK: lowered.buffer "prefill/scores" at 12288 {note = "kept"} : memref<384xf32>
  // GENERIC: "lowered.buffer"() <{label = "prefill/scores", offset = 12288 : i64}> {note = "kept"} : () -> memref<384xf32>
  %s = lowered.buffer "prefill/scores" at 12288 {note = "kept"} : memref<384xf32>
}
