// A function with a decided operation is called twice, and a pass of MLIR that knows nothing of contracts inlines it: the
// decision was made for one place in the program, not for two.
// RUN: cat %inputs/registry.mlir %s | cke-opt --resolve-contracts -o %t.mlir
// RUN: cke-opt %t.mlir --verify-contracts -o %t.out
// RUN: not cke-opt %t.mlir --inline --verify-contracts -o %t.out 2>&1 | FileCheck %s

// CHECK: error: instance 'decode/residual' appears twice [CKE-C006]
// CHECK-NEXT: graph.residual_add
// CHECK: note: first here
// CHECK-NEXT: graph.residual_add
// CHECK-NOT: error:
func.func private @twice(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %y = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
func.func @decode(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %0 = call @twice(%x) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %y = call @twice(%0) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}
