// A request for a contract that is not there, or that governs something else: nothing similar is taken in its place.
// RUN: cat %inputs/registry.mlir %s > %t.mlir
// RUN: not cke-opt %t.mlir --resolve-contracts -o %t.out 2>&1 | FileCheck %s

func.func @decode(%x: tensor<1x32xf32>) {
  // CHECK: .tmp.mlir:[[#LINE:]]:8: error: 'decode/unknown': requests contract 'residual_add_fp64', which the registry does not define [CKE-C007]
  // CHECK-NEXT: %0 = graph.residual_add
  // CHECK: .tmp.mlir:[[#LINE]]:8: note: defined: fp32_exact_max_kv_chunks_1024, kv_append_fp32_copy, linear_fp32_ascending_k_fma, residual_add_fp32
  %0 = graph.residual_add %x, %x instance "decode/unknown"
      requires {contract = @native::@residual_add_fp64, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>

  // CHECK: error: 'decode/other': contract 'residual_add_fp32' governs residual_add, not operation 'swiglu' [CKE-C015]
  // CHECK-NEXT: %1 = graph.swiglu
  %1 = graph.swiglu %x, %x instance "decode/other"
      requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>

  // A provider is no contract.
  // CHECK: error: 'decode/provider': requests contract 'cke_residual_add_fp32', which the registry does not define [CKE-C007]
  %2 = graph.residual_add %x, %x instance "decode/provider"
      requires {contract = @native::@cke_residual_add_fp32, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>

  // A policy is no contract either.
  // CHECK: error: 'decode/fast': contract {{.*}}fast{{.*}} [CKE-C024]
  %3 = graph.residual_add %x, %x instance "decode/fast"
      requires {contract = @native::@fast, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}
