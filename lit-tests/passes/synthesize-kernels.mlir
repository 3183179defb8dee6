// Before: calls of kernels that are not there. After: one function for each symbol; the calls are as before.
// RUN: %make_call -o %t.call.mlir
// RUN: cke-opt %t.call.mlir --synthesize-kernels=isa=x86-64-v3 --verify-contracts -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir

// CHECK: call.program @decode phase "decode" {
// CHECK: call.invoke @[[LINEAR:cke_linear_fp32[.]decode[.a-z0-9]+]] op "linear"
// CHECK: call.invoke @[[APPEND:cke_kv_append_fp32[.]decode[._a-z0-9]+]] op "kv_append"
// CHECK: call.invoke @[[ATTENTION:cke_attention_fp32[.]decode[._a-z0-9]+]] op "attention"
// CHECK: call.invoke @[[ADD:cke_residual_add_fp32[.]decode[.a-z0-9]+]] op "residual_add"

// By name, so that the object does not depend on the order of the calls. A kernel sees its slots and which thread it is.
// CHECK-DAG: func.func @[[ATTENTION]](%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64) {
// CHECK-DAG: func.func @[[APPEND]](%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64) {
// CHECK-DAG: func.func @[[LINEAR]](%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64) {
// CHECK-DAG: func.func @[[ADD]](%{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64) {

// The chain of a linear kernel is fused multiply-adds, as its contract says; nothing lets LLVM change a rounding.
// RUN: sed -n '/func.func @cke_linear_fp32/,/^  }/p' %t.mlir | FileCheck %s --check-prefix=CHAIN --implicit-check-not=fastmath --implicit-check-not=contract
// CHAIN: math.fma
// CHAIN-NOT: arith.mulf
// CHAIN: return

// Calls of one symbol share a kernel: two residuals of one shape.
// RUN: cat %inputs/registry.mlir %s | cke-opt --resolve-contracts --lower-graph --plan-memory --lower-to-call --synthesize-kernels=isa=x86-64-v3 | FileCheck %s --check-prefix=ONCE
// ONCE: call.invoke @[[KERNEL:cke_residual_add_fp32[.a-z0-9]+]] {{.*}} instance "decode/first"
// ONCE: call.invoke @[[KERNEL]] {{.*}} instance "decode/second"
// ONCE: func.func @[[KERNEL]](
// ONCE-NOT: func.func
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  %0 = graph.residual_add %x, %x instance "decode/first"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = graph.residual_add %0, %x instance "decode/second"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// The instruction set decides how wide the code is, not what it is called.
// RUN: grep -o 'func.func @[^(]*' %t.mlir > %t.names
// RUN: cke-opt %t.call.mlir --synthesize-kernels=isa=x86-64-v4 -o %t.wide.mlir
// RUN: grep -o 'func.func @[^(]*' %t.wide.mlir | diff %t.names -
// RUN: grep -o 'vector<8xf32>' %t.mlir | FileCheck %s --check-prefix=NARROW
// RUN: grep -o 'vector<16xf32>' %t.wide.mlir | FileCheck %s --check-prefix=WIDE
// NARROW: vector<8xf32>
// WIDE: vector<16xf32>

// A module that is not of this level is left alone.
// RUN: %make_lowered -o %t.lowered.mlir
// RUN: cke-opt %t.lowered.mlir --synthesize-kernels=isa=x86-64-v3 | diff %t.lowered.mlir -

// A generator that cannot do what a contract or a kernel map says refuses; nothing else is used in its place.
// RUN: %make_graph | sed 's/chunk_extent = 1024/chunk_extent = 1000/' | not cke-opt --resolve-contracts --lower-graph --plan-memory --lower-to-call --synthesize-kernels=isa=x86-64-v3 2>&1 | FileCheck %s --check-prefix=CONTRACT
// CONTRACT: [[#]]:8: error: {{.*}}has no kernel: the contract's field 'partition.chunk_extent' is 1000, but only multiples of 16 are implemented [CKE-L006]
// CONTRACT-NEXT: %a = graph.attention

// RUN: %make_graph | sed -e 's/function = "cke_linear_fp32"/function = "cke_linear_fast"/' | not cke-opt --resolve-contracts --lower-graph --plan-memory --lower-to-call --synthesize-kernels=isa=x86-64-v3 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: [[#]]:9: error: {{.*}}has no kernel: no generator for the function 'cke_linear_fast' [CKE-L006]
// FUNCTION-NEXT: %kv = graph.linear

// RUN: not cke-opt %t.call.mlir --synthesize-kernels=isa=x86-64-v2 2>&1 | FileCheck %s --check-prefix=FMA
// FMA: [[#]]:5: error: {{.*}}has no kernel: 'cke_{{.*}}' needs a fused multiply-add instruction, which the instruction set 'x86-64-v2' lacks [CKE-L006]
// FMA-NEXT: call.invoke @cke_

// RUN: not cke-opt %t.call.mlir --synthesize-kernels=isa=pentium 2>&1 | FileCheck %s --check-prefix=ISA
// ISA: error: synthesize-kernels: unknown instruction set 'pentium'; known are native, x86-64-v2, x86-64-v3, x86-64-v4, aarch64
