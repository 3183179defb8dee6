// A request that is there but not complete, or says what a request cannot say.
// RUN: cat %inputs/registry.mlir %s > %t.mlir
// RUN: not cke-opt %t.mlir --resolve-contracts -o %t.out 2>&1 | FileCheck %s

func.func @decode(%x: tensor<1x32xf32>) {
  // CHECK: .tmp.mlir:[[#]]:8: error: phase: unknown variant `warm_up`, expected {{.*}} [CKE-C009]
  // CHECK-NEXT: %0 = graph.residual_add
  %0 = graph.residual_add %x, %x instance "decode/0"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "warm_up", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>

  // CHECK: error: provider: unknown field `provider`, expected one of {{.*}} [CKE-C009]
  %1 = graph.residual_add %x, %x instance "decode/1"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed",
                provider = "cke_residual_add_fp32"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>

  // CHECK: error: 'decode/2': field 'operation' is empty [CKE-C009]
  %2 = graph.residual_add %x, %x instance "decode/2"
      requires {contract = @native::@residual_add_fp32, operation = " ", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>

  // CHECK: error: i32 has no JSON form [CKE-C009]
  %3 = graph.residual_add %x, %x instance "decode/3"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = i32}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// A kernel for decode is made for one row, so a program for another phase may not ask for it.
// CHECK: error: 'prefill/residual': requests phase decode in a program for prefill [CKE-C009]
// CHECK-NEXT: %y = graph.residual_add
func.func @prefill(%x: tensor<?x32xf32>) attributes {graph.phase = "prefill"} {
  %y = graph.residual_add %x, %x instance "prefill/residual"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
  return
}
