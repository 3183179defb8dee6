// Before: requests. After: each operation bears one decision, and the ledger has the digest of each. Requests, registry
// and everything else stay as they were.
// RUN: %make_graph > %t.graph.mlir
// RUN: cke-opt %t.graph.mlir | FileCheck %s --check-prefix=BEFORE
// RUN: cke-opt %t.graph.mlir --resolve-contracts -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: cke-opt %t.mlir --verify-contracts | diff %t.mlir -

// BEFORE-NOT: contract.ledger
// BEFORE-NOT: resolved {
// BEFORE: graph.linear {{.*}} instance "decode/kv" requires {{.*}}, validation = "observed"} : (tensor<1x32xf32>)

// CHECK-LABEL: contract.registry @native {
// CHECK: contract.ledger @ledger root "sha256:{{[0-9a-f]+}}" entries {
// CHECK-SAME: "decode/append" = "[[APPEND:sha256:[0-9a-f]+]]",
// CHECK-SAME: "decode/attention" = "[[ATTENTION:sha256:[0-9a-f]+]]",
// CHECK-SAME: "decode/kv" = "[[KV:sha256:[0-9a-f]+]]",
// CHECK-SAME: "decode/residual" = "[[RESIDUAL:sha256:[0-9a-f]+]]"}
// CHECK: graph.linear %{{.*}}, @w instance "decode/kv"
// CHECK-SAME: requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "tiny.kv", phase = "decode", storage = {w = "q4_1"}, validation = "observed"}
// CHECK-SAME: resolved {contract = @native::@linear_fp32_ascending_k_fma, digest = "[[KV]]", function = "cke_linear_fp32", provider = @native::@cke_linear_fp32}
// CHECK-SAME: executes {isa_dispatch = "compile_time", threading = {dispatch = ["thread_index"], reduction_order_effect = "none", runtime = "spmd", schedule = "static_partition", work_partition = ["independent_columns", "independent_rows"]}}
// CHECK-SAME: : (tensor<1x32xf32>) -> tensor<1x16xf32>
// CHECK: graph.kv_append {{.*}} resolved {{{.*}}, digest = "[[APPEND]]", function = "cke_kv_append_fp32", provider = @native::@cke_kv_append_fp32}
// CHECK: graph.attention {{.*}} resolved {{{.*}}, digest = "[[ATTENTION]]", function = "cke_attention_fp32", provider = @native::@cke_attention_fp32}
// CHECK: graph.residual_add {{.*}} resolved {{{.*}}, digest = "[[RESIDUAL]]", function = "cke_residual_add_fp32", provider = @native::@cke_residual_add_fp32}

// What was there is not touched: without the ledger and the decisions the module is the one before.
// RUN: cke-opt %t.graph.mlir -o %t.before.mlir
// RUN: sed -e '/contract.ledger/d' -e 's/ resolved {.*}} : / : /' -e 's/ executes {.*}} : / : /' %t.mlir | diff %t.before.mlir -

// The same input gives the same bits.
// RUN: cke-opt %t.graph.mlir --resolve-contracts | diff %t.mlir -

// Weights, states and functions of other dialects need no decision: such a module has an empty ledger.
// RUN: cat %inputs/registry.mlir %s | cke-opt --resolve-contracts | FileCheck %s --check-prefix=NONE
// NONE: contract.ledger @ledger root "sha256:{{[0-9a-f]+}}" entries {}
// NONE: graph.weight @w storage "f32" : tensor<2x2xf32>
// NONE-NEXT: func.func private @elsewhere()
graph.weight @w storage "f32" : tensor<2x2xf32>
func.func private @elsewhere()

// RUN: not cke-opt %s --resolve-contracts 2>&1 | FileCheck %s --check-prefix=REGISTRY
// REGISTRY: resolve-contracts.mlir:0:0: error: the module has no contract.registry [CKE-C007]

// RUN: not cke-opt %t.graph.mlir '--resolve-contracts=mode=careless' 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not cke-opt %t.graph.mlir '--pass-pipeline=builtin.module(resolve-contracts{mode=careless})' 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: resolve-contracts: unknown mode 'careless', expected bringup or production

// RUN: not cke-opt %t.graph.mlir '--pass-pipeline=builtin.module(resolve-contracts{force=true})' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: no such option force

// It works on a module, not on a function.
// RUN: not cke-opt %t.graph.mlir '--pass-pipeline=builtin.module(func.func(resolve-contracts))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: Can't add pass 'resolve-contracts' restricted to 'builtin.module' on a PassManager intended to run on 'func.func'
