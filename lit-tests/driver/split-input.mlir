// Parts of a file are separate modules, and expected diagnostics are checked in each.
// RUN: cke-opt %s --split-input-file --verify-diagnostics -o %t.out
// RUN: FileCheck %s --input-file=%t.out

// CHECK: graph.state @first
// CHECK: // -----
// CHECK-NOT: graph.state @second
// CHECK: // -----
// CHECK: graph.state @third
graph.state @first : tensor<2xf32>

// -----

// expected-error @below {{f32 tensor of fixed, positive extents, found tensor<?xf32>}}
graph.state @second : tensor<?xf32>

// -----

graph.state @third : tensor<2xf32>

// Without the comment the error counts, and the other parts are still processed.
// RUN: not cke-opt %s --split-input-file -o %t.out 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: split-input.mlir:[[@LINE-8]]:1: error: 'graph.state' op {{.*}} found tensor<?xf32>

// An error that does not come, and one that was not expected, are both reported.
// RUN: sed 's/?xf32>$/4xf32>/' %s | not cke-opt --split-input-file --verify-diagnostics -o %t.out 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: expected error "f32 tensor of fixed, positive extents, found tensor<?xf32>" was not produced
// RUN: sed 's/expected-error @below .*//' %s | not cke-opt --split-input-file --verify-diagnostics -o %t.out 2>&1 | FileCheck %s --check-prefix=UNEXPECTED
// UNEXPECTED: error: unexpected error: 'graph.state' op
