// Before: buffers without a place. After: each has its offset. Buffers share bytes only when no step uses both, or when an
// output takes the place of an input: the kernel map declares it, and nothing uses the input later.
// RUN: cat %inputs/registry.mlir %s > %t.mlir
// RUN: cke-opt %t.mlir --resolve-contracts --lower-graph=max-rows=8 -o %t.lowered.mlir
// RUN: cke-opt %t.lowered.mlir | FileCheck %s --check-prefix=BEFORE
// RUN: cke-opt %t.lowered.mlir --plan-memory --verify-contracts -o %t.planned.mlir
// RUN: FileCheck %s --input-file=%t.planned.mlir
// RUN: cke-opt %t.lowered.mlir --plan-memory --cke-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// BEFORE-NOT: {{ at [0-9]}}
// BEFORE-NOT: bytes {{[0-9]}}

// A kernel map that declares no alias: nothing is done in place, and everything else is planned as before.
// RUN: sed 's/, alias_of = "a"//' %t.mlir | cke-opt --resolve-contracts --lower-graph=max-rows=8 --plan-memory | FileCheck %s --check-prefix=DISTINCT

// It adds offsets and nothing else, the same ones each time; what has a place is placed there again.
// RUN: sed -e 's/ at [0-9][0-9]*//' -e 's/ bytes [0-9][0-9]*$//' %t.planned.mlir | diff %t.lowered.mlir -
// RUN: cke-opt %t.planned.mlir --plan-memory | diff %t.planned.mlir -

// The state block: weights, states, io, then the arena. Each begins at a multiple of 64.
// CHECK: lowered.plan @plan max_rows 8 capacity 40 max_threads 64 bytes 16000

// Io buffers behind weights (4096 + 4096 bytes) and states (3072 + 2560); rows of the call are taken as max_rows.
// CHECK-NEXT: lowered.global @x kind "io" layout "row_major" at 13824 : memref<?x32xf32>
// CHECK-NEXT: lowered.global @y kind "io" layout "row_major" at 14848 : memref<1x32xf32>
// Panels of 32 columns: 16 columns take the bytes of 32.
// CHECK-NEXT: lowered.global @w kind "weight" layout "panels_n32" {{.*}} at 0 : memref<32x32xf32>
// CHECK-NEXT: lowered.global @narrow kind "weight" layout "panels_n32" {{.*}} at 4096 : memref<16x32xf32>
// Blocks of 16 positions: 40 positions take the bytes of 48, but not in the other layout.
// CHECK-NEXT: lowered.global @k_cache kind "state" layout "k_blocks_t16" at 8192 : memref<1x40x16xf32>
// CHECK-NEXT: lowered.global @v_cache kind "state" layout "head_major" at 11264 : memref<1x40x16xf32>
graph.weight @w storage "q4_1" : tensor<32x32xf32>
graph.weight @narrow storage "q4_1" : tensor<16x32xf32>
graph.state @k_cache : tensor<1x40x16xf32>
graph.state @v_cache : tensor<1x40x16xf32>

// Programs share the arena, so each begins where the io buffers end.
// Step by step: %a is read last at the step that writes %b, so they differ; %c is written when %a is gone.
// CHECK: lowered.program @chain
// CHECK: lowered.buffer "chain/a" at [[#ARENA:14976]] : memref<1x32xf32>
// CHECK: lowered.buffer "chain/b" at [[#ARENA+128]] : memref<1x32xf32>
// CHECK: lowered.buffer "chain/c" at [[#ARENA]] : memref<1x32xf32>
func.func @chain(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  %a = graph.linear %x, @w instance "chain/a"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %b = graph.linear %a, @w instance "chain/b"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %c = graph.linear %b, @w instance "chain/c"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = graph.linear %c, @w instance "chain/y"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// The last use of %a, then that of %b: one place for the three.
// CHECK: lowered.program @in_place
// CHECK: lowered.buffer "in_place/a" at [[#ARENA]] : memref<1x32xf32>
// CHECK: lowered.buffer "in_place/b" at [[#ARENA]] : memref<1x32xf32>
// CHECK: lowered.buffer "in_place/c" at [[#ARENA]] : memref<1x32xf32>
// DISTINCT: lowered.program @in_place
// DISTINCT: lowered.buffer "in_place/a" at [[#ARENA:14976]] : memref<1x32xf32>
// DISTINCT: lowered.buffer "in_place/b" at [[#ARENA+128]] : memref<1x32xf32>
// DISTINCT: lowered.buffer "in_place/c" at [[#ARENA]] : memref<1x32xf32>
func.func @in_place(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  %a = graph.linear %x, @w instance "in_place/a"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %b = graph.residual_add %a, %x instance "in_place/b"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %c = graph.residual_add %b, %x instance "in_place/c"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = graph.linear %c, @w instance "in_place/y"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// %a is used once more, so %b takes another place; %c may take that of %b.
// CHECK: lowered.program @used_later
// CHECK: lowered.buffer "used_later/a" at [[#ARENA]] : memref<1x32xf32>
// CHECK: lowered.buffer "used_later/b" at [[#ARENA+128]] : memref<1x32xf32>
// CHECK: lowered.buffer "used_later/c" at [[#ARENA+128]] : memref<1x32xf32>
func.func @used_later(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  %a = graph.linear %x, @w instance "used_later/a"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %b = graph.residual_add %a, %x instance "used_later/b"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %c = graph.residual_add %b, %a instance "used_later/c"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = graph.linear %c, @w instance "used_later/y"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// The kernel map lets the output take the place of `a`. Here `a` is an io buffer and %a stands at `b`.
// CHECK: lowered.program @other_port
// CHECK: lowered.buffer "other_port/a" at [[#ARENA]] : memref<1x32xf32>
// CHECK: lowered.buffer "other_port/b" at [[#ARENA+128]] : memref<1x32xf32>
func.func @other_port(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  %a = graph.linear %x, @w instance "other_port/a"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %b = graph.residual_add %x, %a instance "other_port/b"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = graph.linear %b, @w instance "other_port/y"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// One value at both ports ends there all the same.
// CHECK: lowered.program @both_ports
// CHECK: lowered.buffer "both_ports/a" at [[#ARENA]] : memref<1x32xf32>
// CHECK: lowered.buffer "both_ports/b" at [[#ARENA]] : memref<1x32xf32>
func.func @both_ports(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  %a = graph.linear %x, @w instance "both_ports/a"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %b = graph.residual_add %a, %a instance "both_ports/b"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = graph.linear %b, @w instance "both_ports/y"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// An output that nothing reads still needs a place of its own while it is written.
// CHECK: lowered.program @unread
// CHECK: lowered.buffer "unread/kv" at [[#ARENA]] : memref<1x16xf32>
func.func @unread(%x: tensor<1x32xf32> {graph.io = "x"}, %position: index {graph.io = "position"})
    attributes {graph.phase = "decode"} {
  %kv = graph.linear %x, @narrow instance "unread/kv"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "decode",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x16xf32>
  graph.kv_append %kv, %kv at %position, @k_cache, @v_cache instance "unread/append"
      requires {contract = @native::@kv_append_fp32_copy, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// With dynamic rows a buffer takes the bytes of max_rows: 8 * 32 * 4. The arena is as large as the largest program.
// CHECK: lowered.program @prefill
// CHECK: lowered.buffer "prefill/a" at [[#ARENA]] : memref<?x32xf32>
func.func @prefill(%x: tensor<?x32xf32> {graph.io = "x"}) attributes {graph.phase = "prefill"} {
  %a = graph.linear %x, @w instance "prefill/a"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "o", phase = "prefill",
                storage = {w = "q4_1"}, validation = "observed"}
      : (tensor<?x32xf32>) -> tensor<?x32xf32>
  return
}

// COUNT: plan-memory 16000 state-bytes
// COUNT-NEXT: plan-memory 1024 arena-bytes
// COUNT-NEXT: plan-memory 4 in-place
