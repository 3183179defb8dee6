// Every operation of the dialect survives text, generic text and bytecode; with every optional part and without.
// RUN: cke-opt %s --verify-roundtrip | FileCheck %s
// RUN: cke-opt %s -o %t.custom.mlir
// RUN: cke-opt %t.custom.mlir | diff %t.custom.mlir -
// RUN: cke-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: cke-opt %s --mlir-print-op-generic | cke-opt | diff %t.custom.mlir -
// RUN: cke-opt %s --emit-bytecode -o %t.bc
// RUN: cke-opt %t.bc | diff %t.custom.mlir -
// RUN: cke-opt %t.bc --emit-bytecode | cmp %t.bc -

// CHECK: graph.weight @embeddings storage "q8_0" : tensor<128x32xf32>
graph.weight @embeddings storage "q8_0" : tensor<128x32xf32>
// CHECK: graph.weight @gamma storage "f32" : tensor<32xf32>
graph.weight @gamma storage "f32" : tensor<32xf32>
// CHECK: graph.weight "private" @blk.0.attn_k.weight storage "q4_1" {note = "kept"} : tensor<16x32xf32>
graph.weight "private" @"blk.0.attn_k.weight" storage "q4_1" {note = "kept"} : tensor<16x32xf32>
// CHECK: graph.weight @rope_table storage "generated" origin {base = 1.000000e+05 : f64, function = "rope_table_fp64_series", positions = 48 : i64, rotary_dim = 16 : i64} : tensor<48x8x2xf32>
graph.weight @rope_table storage "generated"
    origin {base = 1.0e5 : f64, function = "rope_table_fp64_series", positions = 48 : i64, rotary_dim = 16 : i64}
    : tensor<48x8x2xf32>
// CHECK: graph.state @k_cache : tensor<1x48x16xf32>
graph.state @k_cache : tensor<1x48x16xf32>
// CHECK: graph.state "nested" @v_cache {note = "kept"} : tensor<1x48x16xf32>
graph.state "nested" @v_cache {note = "kept"} : tensor<1x48x16xf32>

// CHECK-LABEL: func.func @prefill(
// CHECK-SAME: %[[TOKENS:.*]]: tensor<?xi32>, %[[POSITION:.*]]: index
func.func @prefill(%tokens: tensor<?xi32>, %position: index) -> tensor<1xi32> {
  // CHECK: %[[X:.*]] = graph.embedding %[[TOKENS]], @embeddings : (tensor<?xi32>) -> tensor<?x32xf32>
  %x = graph.embedding %tokens, @embeddings : (tensor<?xi32>) -> tensor<?x32xf32>
  // An f32 is printed with the digits that give it back.
  // CHECK: %[[N:.*]] = graph.rmsnorm %[[X]], @gamma eps 9.99999974E-6 : (tensor<?x32xf32>) -> tensor<?x32xf32>
  %n = graph.rmsnorm %x, @gamma eps 1.0e-5 : (tensor<?x32xf32>) -> tensor<?x32xf32>
  // CHECK: %[[K:.*]] = graph.linear %[[N]], @blk.0.attn_k.weight : (tensor<?x32xf32>) -> tensor<?x16xf32>
  %k = graph.linear %n, @"blk.0.attn_k.weight" : (tensor<?x32xf32>) -> tensor<?x16xf32>
  // CHECK: %[[Q:.*]] = graph.rope %[[N]] at %[[POSITION]], @rope_table pairing "split_half" heads 2 : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  %q = graph.rope %n at %position, @rope_table pairing "split_half" heads 2
      : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  // CHECK: graph.kv_append %[[K]], %[[K]] at %[[POSITION]], @k_cache, @v_cache : (tensor<?x16xf32>, tensor<?x16xf32>, index) -> ()
  graph.kv_append %k, %k at %position, @k_cache, @v_cache : (tensor<?x16xf32>, tensor<?x16xf32>, index) -> ()
  // CHECK: %[[A:.*]] = graph.attention %[[Q]] at %[[POSITION]], @k_cache, @v_cache heads 2 scale 2.500000e-01 : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  %a = graph.attention %q at %position, @k_cache, @v_cache heads 2 scale 0.25
      : (tensor<?x32xf32>, index) -> tensor<?x32xf32>
  // CHECK: %[[G:.*]] = graph.swiglu %[[A]], %[[X]] : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %g = graph.swiglu %a, %x : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  // CHECK: %[[S:.*]] = graph.residual_add %[[G]], %[[X]] : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %s = graph.residual_add %g, %x : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  // CHECK: %[[L:.*]] = graph.logits %[[S]], @embeddings : (tensor<?x32xf32>) -> tensor<1x128xf32>
  %l = graph.logits %s, @embeddings : (tensor<?x32xf32>) -> tensor<1x128xf32>
  // CHECK: graph.argmax %[[L]] : (tensor<1x128xf32>) -> tensor<1xi32>
  %t = graph.argmax %l : (tensor<1x128xf32>) -> tensor<1xi32>
  return %t : tensor<1xi32>
}

// Every part of an operation under contract, on fixed rows.
// CHECK-LABEL: func.func @decode
func.func @decode(%a: tensor<1x32xf32>, %b: tensor<1x32xf32>) -> tensor<1x32xf32> {
  // CHECK: graph.residual_add %{{.*}}, %{{.*}} instance "decode/residual"
  // CHECK-SAME: requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode", validation = "observed"}
  // CHECK-SAME: resolved {contract = @native::@residual_add_fp32, digest = "sha256:0", function = "cke_residual_add_fp32", provider = @native::@cke_residual_add_fp32}
  // CHECK-SAME: executes {isa_dispatch = "compile_time"} {note = "kept"} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  // GENERIC: "graph.residual_add"(%{{.*}}, %{{.*}}) <{instance = "decode/residual", required_contract = {contract = @native::@residual_add_fp32,
  // GENERIC-SAME: resolved_contract = {
  // GENERIC-SAME: resolved_execution = {isa_dispatch = "compile_time"}}> {note = "kept"}
  %y = graph.residual_add %a, %b instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"}
      resolved {contract = @native::@residual_add_fp32, digest = "sha256:0", function = "cke_residual_add_fp32",
                provider = @native::@cke_residual_add_fp32}
      executes {isa_dispatch = "compile_time"} {note = "kept"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
