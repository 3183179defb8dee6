// An operation that requires nothing would be computed by no stated rule.
// RUN: cat %inputs/registry.mlir %s > %t.mlir
// RUN: not cke-opt %t.mlir --resolve-contracts -o %t.out 2>&1 | FileCheck %s

// CHECK: .tmp.mlir:[[#LINE:]]:8: error: 'graph.residual_add' requires no contract [CKE-C011]
// CHECK-NEXT: %0 = graph.residual_add
// CHECK: .tmp.mlir:[[#LINE]]:8: note: repair the circuit, the contract registry or the kernel map; nothing else may change a decision
// CHECK: error: 'graph.argmax' requires no contract [CKE-C011]
// CHECK-NOT: error:
func.func @decode(%x: tensor<1x32xf32>) {
  %0 = graph.residual_add %x, %x : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  // A name alone is no request.
  %1 = graph.argmax %x instance "decode/argmax" : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}
