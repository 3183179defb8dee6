// A definition that many operations use is edited: all have faults, of which the first eight are shown in full.
// RUN: cat %inputs/registry.mlir %s | cke-opt --resolve-contracts -o %t.resolved.mlir
// RUN: sed 's/one rounding each/rounded once/' %t.resolved.mlir > %t.mlir
// RUN: not cke-opt %t.mlir --verify-contracts -o %t.out 2>&1 | FileCheck %s

// CHECK-COUNT-8: error: 'decode/{{[0-7]}}': the request, contract or provider was edited after resolution [CKE-C005]
// CHECK-NOT: error:
// CHECK: remark: 2 more operations have faults
// CHECK-NOT: error:
func.func @decode(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %0 = graph.residual_add %x, %x instance "decode/0"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %1 = graph.residual_add %0, %x instance "decode/1"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %2 = graph.residual_add %1, %x instance "decode/2"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %3 = graph.residual_add %2, %x instance "decode/3"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %4 = graph.residual_add %3, %x instance "decode/4"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %5 = graph.residual_add %4, %x instance "decode/5"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %6 = graph.residual_add %5, %x instance "decode/6"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %7 = graph.residual_add %6, %x instance "decode/7"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %8 = graph.residual_add %7, %x instance "decode/8"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %9 = graph.residual_add %8, %x instance "decode/9"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %9 : tensor<1x32xf32>
}
