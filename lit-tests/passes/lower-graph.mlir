// Before: a resolved circuit on tensors. After: a program on buffers, all of it read off the kernel maps of the decided
// providers. What the lowering refuses is tested in lower-graph-invalid.mlir.
// RUN: %make_resolved -o %t.resolved.mlir
// RUN: cke-opt %t.resolved.mlir --lower-graph --verify-contracts -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// The registry and the ledger stay; the limits are recorded.
// CHECK-LABEL: contract.registry @native {
// CHECK: contract.ledger @ledger
// CHECK-SAME: "decode/kv" = "[[KV:sha256:[0-9a-f]+]]"
// CHECK: lowered.plan @plan max_rows 64 capacity 48 max_threads 64{{$}}

// Io buffers first, then what the graph declares, in its order, laid out as the providers' ports say.
// CHECK-NEXT: lowered.global @x kind "io" layout "row_major" : memref<1x32xf32>
// CHECK-NEXT: lowered.global @y kind "io" layout "row_major" : memref<1x32xf32>
// CHECK-NEXT: lowered.global @w kind "weight" layout "panels_n32" storage "q4_1" preparation "expand_fp32_panels_n32" : memref<16x32xf32>
// CHECK-NEXT: lowered.global @k_cache kind "state" layout "k_blocks_t16" : memref<1x48x16xf32>
// CHECK-NEXT: lowered.global @v_cache kind "state" layout "head_major" : memref<1x48x16xf32>

// Nothing of the graph is left.
// CHECK-NOT: graph.
// CHECK-NOT: func.func
// CHECK: lowered.program @decode phase "decode" {

// Buffers in the order of the call ABI, extents by matching port shapes; the request and the decision as they were.
// CHECK-NEXT: %[[X:.*]] = lowered.get @x : memref<1x32xf32>
// CHECK-NEXT: %[[W:.*]] = lowered.get @w : memref<16x32xf32>
// CHECK-NEXT: %[[KVB:.*]] = lowered.buffer "decode/kv" : memref<1x16xf32>
// CHECK-NEXT: lowered.invoke "linear"(%[[X]], %[[W]], %[[KVB]])
// CHECK-SAME: sources ["activation:x", "weight:w", "output:y", "runtime:rows"] shape {k = 32 : i64, n = 16 : i64} instance "decode/kv"
// CHECK-SAME: requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "tiny.kv", phase = "decode", storage = {w = "q4_1"}, validation = "observed"}
// CHECK-SAME: resolved {contract = @native::@linear_fp32_ascending_k_fma, digest = "[[KV]]", function = "cke_linear_fp32", provider = @native::@cke_linear_fp32}
// CHECK-SAME: executes {isa_dispatch = "compile_time"

// One value at two ports is one buffer. The position becomes a run-time extent.
// CHECK: lowered.invoke "kv_append"(%[[KVB]], %[[KVB]], %{{.*}}, %{{.*}})
// CHECK-SAME: "runtime:rows", "runtime:position"]

// A derived extent (the width of a head), a parameter, and scratch of max_threads * round_up(48, 16) floats.
// CHECK: %[[SCORES:.*]] = lowered.buffer "decode/attention.scores" : memref<3072xf32>
// CHECK-NEXT: %[[A:.*]] = lowered.buffer "decode/attention" : memref<1x32xf32>
// CHECK-NEXT: lowered.invoke "attention"(%{{.*}}, %{{.*}}, %{{.*}}, %[[SCORES]], %[[A]])
// CHECK-SAME: shape {capacity = 48 : i64, head_dim = 16 : i64, heads = 2 : i64, kv_heads = 1 : i64} params {scale = 2.500000e-01 : f64}

// A returned value lies in its io buffer.
// CHECK: %[[Y:.*]] = lowered.get @y : memref<1x32xf32>
// CHECK-NEXT: lowered.invoke "residual_add"(%{{.*}}, %[[A]], %[[Y]])

// Scratch follows the number of threads, which is recorded, as is the number of rows.
// RUN: cke-opt %t.resolved.mlir '--lower-graph=max-rows=8 max-threads=2' | FileCheck %s --check-prefix=LIMITS
// LIMITS: lowered.plan @plan max_rows 8 capacity 48 max_threads 2
// LIMITS: lowered.buffer "decode/attention.scores" : memref<96xf32>

// A module that is not of this level is left alone, so a second run does nothing.
// RUN: cke-opt %t.mlir --lower-graph | diff %t.mlir -

// Without decisions there is nothing to lower.
// RUN: %make_graph > %t.graph.mlir
// RUN: not cke-opt %t.graph.mlir --lower-graph 2>&1 | FileCheck %s --check-prefix=UNRESOLVED
// UNRESOLVED: [[#]]:9: error: 'decode/kv' has no decision [CKE-C004]
// UNRESOLVED-NEXT: %kv = graph.linear

// RUN: not cke-opt %t.resolved.mlir --lower-graph=max-rows=0 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not cke-opt %t.resolved.mlir --lower-graph=max-rows=65537 2>&1 | FileCheck %s --check-prefix=ROWS
// ROWS: error: lower-graph: 'max-rows' must be 1 to 65536, found {{0|65537}}
// RUN: not cke-opt %t.resolved.mlir --lower-graph=max-threads=-1 2>&1 | FileCheck %s --check-prefix=THREADS
// THREADS: error: lower-graph: 'max-threads' must be 1 to 65536, found -1
// RUN: not cke-opt %t.resolved.mlir '--pass-pipeline=builtin.module(lower-graph{max-rows=many})' 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: 'many' value invalid for long argument

// Scratch takes whole floats, and a size that is none is refused.
// RUN: %make_graph | sed 's/max_threads [*] round_up(capacity, 16) [*] 4/max_threads + capacity + 1/' | cke-opt --resolve-contracts --lower-graph | FileCheck %s --check-prefix=BYTES
// BYTES: lowered.buffer "decode/attention.scores" : memref<29xf32>
// RUN: %make_graph | sed 's/max_threads [*] round_up(capacity, 16) [*] 4/max_threads - capacity - capacity/' | not cke-opt --resolve-contracts --lower-graph 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: {{.*}}needs -32 bytes of scratch 'scores', expected a positive number [CKE-L002]

// The phases of one module: they share io buffers, of which the one with dynamic rows gives the type; a weight that no
// operation uses is left out.
// RUN: cat %inputs/registry.mlir %s | cke-opt --resolve-contracts --lower-graph --verify-contracts | FileCheck %s --check-prefix=PHASES
// PHASES: lowered.plan @plan max_rows 64 capacity 1 max_threads 64
// PHASES-NEXT: lowered.global @x kind "io" layout "row_major" : memref<?x32xf32>
// PHASES-NEXT: lowered.global @y kind "io" layout "row_major" : memref<?x32xf32>
// PHASES-NOT: lowered.global
// PHASES: lowered.program @decode phase "decode" {
// PHASES: lowered.invoke "residual_add"{{.*}} : memref<?x32xf32>, memref<?x32xf32>, memref<?x32xf32>
// PHASES: lowered.program @prefill phase "prefill" {
// PHASES: lowered.buffer "prefill/first" : memref<?x32xf32>
graph.weight @unused storage "f32" : tensor<16x32xf32>
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  %y = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
func.func @prefill(%x: tensor<?x32xf32> {graph.io = "x"}) -> (tensor<?x32xf32> {graph.io = "y"})
    attributes {graph.phase = "prefill"} {
  %0 = graph.residual_add %x, %x instance "prefill/first"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "prefill",
                validation = "observed"} : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  %y = graph.residual_add %0, %x instance "prefill/second"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "prefill",
                validation = "observed"} : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  return %y : tensor<?x32xf32>
}
