// A decision that does not hang together cannot even be read, nor can a call of a kernel that is not of the decided
// function. (Each part has the registry in front of it. All rules on decisions are tested with the lowered dialect.)
// RUN: %with_registry %s > %t.mlir
// RUN: cke-opt %t.mlir --split-input-file --verify-diagnostics=only-expected
// RUN: not cke-opt %t.mlir --split-input-file 2>&1 | FileCheck %s

// -----

// CHECK: [[#]]:1: error: 'call.invoke' op requires function "cke_residual_add_fp32", found "cke_add_fast" [CKE-C001]
// CHECK-NEXT: call.invoke @cke_add_fast.0
// CHECK: [[#]]:3: note: the registry's entry gives "cke_residual_add_fp32"
// CHECK-NEXT: contract.provider @cke_residual_add_fp32
// expected-error @+1 {{requires function "cke_residual_add_fp32", found "cke_add_fast" [CKE-C001]}}
call.invoke @cke_add_fast.0 op "residual_add" args [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_add_fast",
              provider = @native::@cke_residual_add_fp32}

// -----

// CHECK: [[#]]:1: error: 'call.invoke' op requires contract @native::@residual_add_fp32, which the decided provider @native::@cke_linear_fp32 does not claim [CKE-C001]
// CHECK: [[#]]:3: note: the provider
// expected-error @+1 {{does not claim [CKE-C001]}}
call.invoke @cke_linear_fp32.0 op "residual_add" args [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_linear_fp32",
              provider = @native::@cke_linear_fp32}

// -----

// expected-error @+1 {{'call.invoke' op requires a kernel of the decided function 'cke_residual_add_fp32', found @cke_linear_fp32.0 [CKE-C001]}}
call.invoke @cke_linear_fp32.0 op "residual_add" args [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_residual_add_fp32}

// -----

// The name of the function alone is no kernel, and neither is a name that begins like it.
// expected-error @+1 {{requires a kernel of the decided function 'cke_residual_add_fp32', found @cke_residual_add_fp32 [CKE-C001]}}
call.invoke @cke_residual_add_fp32 op "residual_add" args [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_residual_add_fp32}

// -----

// expected-error @+1 {{found @cke_residual_add_fp32_fast.0 [CKE-C001]}}
call.invoke @cke_residual_add_fp32_fast.0 op "residual_add" args [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_residual_add_fp32}
