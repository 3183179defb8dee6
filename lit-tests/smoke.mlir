// The driver reads and prints upstream MLIR, and what it prints it can read again.
// RUN: cke-opt %s | FileCheck %s
// RUN: cke-opt %s --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func @identity
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>) -> tensor<4xf32>
func.func @identity(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  return %x : tensor<4xf32>
}
