// No provider fits: every candidate of the operation is listed with all of its reasons, those of other operations in one
// line. There is no fallback.
// RUN: cat %inputs/registry.mlir %s > %t.mlir
// RUN: not cke-opt %t.mlir --resolve-contracts -o %t.out 2>&1 | FileCheck %s

graph.weight @w storage "generated" origin {function = "zero"} : tensor<16x32xf32>
func.func @decode(%x: tensor<1x32xf32>, %position: index) {
  // All reasons, not the first.
  // CHECK: .tmp.mlir:[[#LINE:]]:8: error: 'decode/kv': no provider of operation 'linear' fulfils contract 'linear_fp32_ascending_k_fma' in phase decode [CKE-C002]
  // CHECK-NEXT: %0 = graph.linear
  // CHECK: .tmp.mlir:[[#LINE]]:8: note: 'cke_linear_fp32' rejected: 'tensor.activation.dtype' must be 'int8', it provides fp32; 'tensor.kv.dtype' must be 'fp32', it provides nothing; weight 'w' is stored as generated, it accepts f32, f16, q8_0, q4_1; has no weight 'z'
  // CHECK: .tmp.mlir:[[#LINE]]:8: note: rejected for their operation: 'cke_attention_fp32' (attention), 'cke_kv_append_fp32' (kv_append), 'cke_residual_add_fp32' (residual_add)
  // CHECK: .tmp.mlir:[[#LINE]]:8: note: repair the circuit, the contract registry or the kernel map; nothing else may change a decision
  %0 = graph.linear %x, @w instance "decode/kv"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "tiny.kv", phase = "decode",
                requires = {tensor.activation.dtype = "int8", tensor.kv.dtype = "fp32"},
                storage = {w = "generated", z = "f32"}, validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x16xf32>

  // A request that leaves out how a weight is stored. Every fault of a module is reported, not only the first.
  // CHECK: error: 'decode/unsaid': no provider of operation 'linear'
  // CHECK: note: 'cke_linear_fp32' rejected: the request does not say how weight 'w' is stored
  %1 = graph.linear %x, @w instance "decode/unsaid"
      requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "tiny.kv", phase = "decode",
                validation = "observed"}
      : (tensor<1x32xf32>) -> tensor<1x16xf32>
  return
}

// A kernel map that serves another phase, claims another contract, or is retired.
// RUN: %make_graph > %t.tiny.mlir
// RUN: sed '/contract.provider @cke_residual_add_fp32/,/^  }/s/."prefill", "decode"./["prefill"]/' %t.tiny.mlir | not cke-opt --resolve-contracts -o %t.out 2>&1 | FileCheck %s --check-prefix=PHASE
// PHASE: error: 'decode/residual': no provider of operation 'residual_add' fulfils contract 'residual_add_fp32' in phase decode [CKE-C002]
// PHASE: note: 'cke_residual_add_fp32' rejected: serves prefill; claims the contract for prefill only

// RUN: sed '/contract_id = "residual_add_fp32"/,/^ *phases/s/."prefill", "decode"./["prefill"]/' %t.tiny.mlir | not cke-opt --resolve-contracts -o %t.out 2>&1 | FileCheck %s --check-prefix=CLAIM
// CLAIM: note: 'cke_residual_add_fp32' rejected: claims the contract for prefill only

// RUN: sed '/contract.provider @cke_residual_add_fp32/,/^  }/s/status = "candidate"/status = "diagnostic"/' %t.tiny.mlir | not cke-opt --resolve-contracts -o %t.out 2>&1 | FileCheck %s --check-prefix=RETIRED
// RETIRED: note: 'cke_residual_add_fp32' rejected: is diagnostic

// A second contract for the operation that nobody claims: another meaning, hence another id and another field.
// RUN: sed -n '/contract.execution @residual_add_fp32/,/^  }/p' %t.tiny.mlir | sed -e 's/@residual_add_fp32/@residual_add_fp32_plain/' -e 's/independent_rows/serial/; s/independent_outputs/serial/' > %t.plain
// RUN: sed -e '/^contract.registry/r %t.plain' -e 's/@native::@residual_add_fp32/@native::@residual_add_fp32_plain/' %t.tiny.mlir | not cke-opt --resolve-contracts -o %t.out 2>&1 | FileCheck %s --check-prefix=CONTRACT
// CONTRACT: error: 'decode/residual': no provider of operation 'residual_add' fulfils contract 'residual_add_fp32_plain' in phase decode [CKE-C002]
// CONTRACT: note: 'cke_residual_add_fp32' rejected: claims residual_add_fp32
