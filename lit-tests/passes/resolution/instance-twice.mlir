// Two operations of a circuit with one name: a decision could not be told from the other.
// RUN: cat %inputs/registry.mlir %s > %t.mlir
// RUN: not cke-opt %t.mlir --resolve-contracts -o %t.out 2>&1 | FileCheck %s

// CHECK: error: instance 'decode/residual' appears twice [CKE-C006]
func.func @decode(%x: tensor<1x32xf32>) {
  %0 = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %1 = graph.residual_add %0, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}
