// An operation is added whose request and decision are in order: they were made for another module with the same registry.
// The ledger does not know it.
// RUN: %make_resolved -o %t.resolved.mlir
// RUN: cat %inputs/registry.mlir %s | cke-opt --resolve-contracts -o %t.other.mlir
// RUN: cke-opt %t.other.mlir --verify-contracts -o %t.out
// RUN: grep graph.kv_append %t.other.mlir | sed 's/%arg0, %arg0/%0, %0/' > %t.added
// RUN: sed '/graph.kv_append/r %t.added' %t.resolved.mlir > %t.mlir
// RUN: not cke-opt %t.mlir --verify-contracts -o %t.out 2>&1 | FileCheck %s

// CHECK: .tmp.mlir:[[#LINE:]]:5: error: 'decode/again' has a decision that the ledger does not record [CKE-C014]
// CHECK-NEXT: graph.kv_append %0, %0
// CHECK: .tmp.mlir:[[#LINE]]:5: note: repair the circuit, the contract registry or the kernel map; nothing else may change a decision
// CHECK-NOT: error:
graph.state @k_cache : tensor<1x48x16xf32>
graph.state @v_cache : tensor<1x48x16xf32>
func.func @decode(%k: tensor<1x16xf32>, %position: index) {
  graph.kv_append %k, %k at %position, @k_cache, @v_cache instance "decode/again"
      requires {contract = @native::@kv_append_fp32_copy, operation = "o", phase = "decode", validation = "observed"}
      : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}
