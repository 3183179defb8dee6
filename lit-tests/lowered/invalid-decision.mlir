// A decision that does not hang together cannot even be read: the verifier compares it with the module's registry. What
// was required, what was found and the registry's entry are named. (Each part has the registry in front of it.)
// RUN: %with_registry %s > %t.mlir
// RUN: cke-opt %t.mlir --split-input-file --verify-diagnostics=only-expected
// RUN: not cke-opt %t.mlir --split-input-file 2>&1 | FileCheck %s

// -----

// expected-error @+1 {{'lowered.invoke' op refers to @native::@swiglu_fp32, which no registry of the module defines [CKE-C007]}}
lowered.invoke "swiglu"() sources [] shape {} instance "i"
    requires {contract = @native::@swiglu_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@swiglu_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_residual_add_fp32} :

// -----

// expected-error @+1 {{'lowered.invoke' op refers to @foreign::@residual_add_fp32, which no registry of the module defines [CKE-C007]}}
lowered.invoke "residual_add"() sources [] shape {} instance "i"
    requires {contract = @foreign::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @foreign::@residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_residual_add_fp32} :

// -----

// expected-error @+1 {{'lowered.invoke' op refers to @native::@cke_residual_add_fp32, which is a contract.provider, expected a contract.execution or a contract.attention}}
lowered.invoke "residual_add"() sources [] shape {} instance "i"
    requires {contract = @native::@cke_residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@cke_residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_residual_add_fp32} :

// -----

// CHECK: [[#]]:1: error: 'lowered.invoke' op requires contract @native::@residual_add_fp32, found @native::@linear_fp32_ascending_k_fma [CKE-C001]
// CHECK-NEXT: lowered.invoke "residual_add"()
// CHECK: [[#]]:3: note: the registry's entry gives @native::@residual_add_fp32
// CHECK-NEXT: contract.execution @residual_add_fp32
// expected-error @+1 {{requires contract @native::@residual_add_fp32, found @native::@linear_fp32_ascending_k_fma [CKE-C001]}}
lowered.invoke "residual_add"() sources [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@linear_fp32_ascending_k_fma, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_residual_add_fp32} :

// -----

// expected-error @+1 {{'lowered.invoke' op refers to @native::@cke_add_fp32, which no registry of the module defines [CKE-C007]}}
lowered.invoke "residual_add"() sources [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_add_fp32} :

// -----

// expected-error @+1 {{'lowered.invoke' op refers to @native::@residual_add_fp32, which is a contract.execution, expected a contract.provider}}
lowered.invoke "residual_add"() sources [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@residual_add_fp32} :

// -----

// CHECK: [[#]]:1: error: 'lowered.invoke' op requires contract @native::@residual_add_fp32, which the decided provider @native::@cke_linear_fp32 does not claim [CKE-C001]
// CHECK-NEXT: lowered.invoke "residual_add"()
// CHECK: [[#]]:3: note: the provider
// CHECK-NEXT: contract.provider @cke_linear_fp32
// expected-error @+1 {{requires contract @native::@residual_add_fp32, which the decided provider @native::@cke_linear_fp32 does not claim [CKE-C001]}}
lowered.invoke "residual_add"() sources [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_residual_add_fp32",
              provider = @native::@cke_linear_fp32} :

// -----

// CHECK: [[#]]:1: error: 'lowered.invoke' op requires function "cke_residual_add_fp32", found "cke_add_fast" [CKE-C001]
// CHECK-NEXT: lowered.invoke "residual_add"()
// CHECK: [[#]]:3: note: the registry's entry gives "cke_residual_add_fp32"
// CHECK-NEXT: contract.provider @cke_residual_add_fp32
// expected-error @+1 {{requires function "cke_residual_add_fp32", found "cke_add_fast" [CKE-C001]}}
lowered.invoke "residual_add"() sources [] shape {} instance "i"
    requires {contract = @native::@residual_add_fp32, operation = "o", phase = "decode"}
    resolved {contract = @native::@residual_add_fp32, digest = "d", function = "cke_add_fast",
              provider = @native::@cke_residual_add_fp32} :
