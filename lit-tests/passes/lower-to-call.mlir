// Before: invocations on planned buffers. After: calls of kernels by symbol, with ordered arguments and a barrier
// between each two.
// RUN: %make_lowered -o %t.lowered.mlir
// RUN: cke-opt %t.lowered.mlir --lower-to-call --verify-contracts -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: cke-opt %t.lowered.mlir --lower-to-call --cke-pass-statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// What lies where stays written down.
// CHECK-LABEL: contract.registry @native {
// CHECK: contract.ledger @ledger
// CHECK: lowered.plan @plan max_rows 64 capacity 48 max_threads 64 bytes {{[0-9]+}}
// CHECK: lowered.global @x kind "io" layout "row_major" at [[#X:]] : memref<1x32xf32>
// CHECK: lowered.global @w kind "weight" layout "panels_n32" {{.*}} at [[#W:]] : memref<16x32xf32>
// CHECK: lowered.global @k_cache kind "state" layout "k_blocks_t16" at [[#K:]] : memref<1x48x16xf32>
// CHECK: lowered.global @v_cache kind "state" layout "head_major" at [[#V:]] : memref<1x48x16xf32>
// CHECK-NOT: lowered.program

// The symbol: function, phase, shape, and a digest of all that the kernel is made from. Bytes count what a layout adds:
// a panel of 32 columns for 16, no padding for 48 positions.
// CHECK: call.program @decode phase "decode" {
// CHECK-NEXT: call.invoke @cke_linear_fp32.decode.k32.n16.{{[0-9a-f]+}} op "linear"
// CHECK-SAME: args [{bytes = 128 : i64, layout = "row_major", offset = [[#X]] : i64, source = "activation:x"}, {bytes = 4096 : i64, layout = "panels_n32", offset = [[#W]] : i64, source = "weight:w"}, {bytes = 64 : i64, layout = "row_major", offset = [[#KV:]] : i64, source = "output:y"}, {source = "runtime:rows"}]
// CHECK-SAME: shape {k = 32 : i64, n = 16 : i64} instance "decode/kv"
// CHECK-SAME: requires {contract = @native::@linear_fp32_ascending_k_fma, operation = "tiny.kv", phase = "decode", storage = {w = "q4_1"}, validation = "observed"}
// CHECK-SAME: resolved {contract = @native::@linear_fp32_ascending_k_fma, digest = "sha256:{{[0-9a-f]+}}", function = "cke_linear_fp32", provider = @native::@cke_linear_fp32}
// CHECK-SAME: executes {isa_dispatch = "compile_time"
// CHECK-NEXT: call.barrier
// CHECK-NEXT: call.invoke @cke_kv_append_fp32.decode.capacity48.head_dim16.kv_heads1.{{[0-9a-f]+}} op "kv_append"
// CHECK-SAME: args [{{{.*}}offset = [[#KV]] : i64, source = "activation:k"}, {{{.*}}offset = [[#KV]] : i64, source = "activation:v"}, {{{.*}}layout = "k_blocks_t16", offset = [[#K]] : i64, source = "state:k_cache"}, {{{.*}}layout = "head_major", offset = [[#V]] : i64, source = "state:v_cache"}, {source = "runtime:rows"}, {source = "runtime:position"}]
// CHECK-NEXT: call.barrier
// CHECK-NEXT: call.invoke @cke_attention_fp32.decode.capacity48.head_dim16.heads2.kv_heads1.{{[0-9a-f]+}} op "attention"
// CHECK-SAME: {bytes = 12288 : i64, layout = "row_major", offset = {{[0-9]+}} : i64, source = "scratch:scores"}
// CHECK-SAME: params {scale = 2.500000e-01 : f64} instance "decode/attention"
// CHECK-NEXT: call.barrier
// CHECK-NEXT: call.invoke @cke_residual_add_fp32.decode.dim32.{{[0-9a-f]+}} op "residual_add"
// CHECK-NEXT: {{^  [}]$}}

// COUNT: lower-to-call 4 calls
// COUNT-NEXT: lower-to-call 3 barriers

// The symbol follows what the kernel is made from and nothing else: another parameter is another kernel, another
// instance and another place are not.
// RUN: FileCheck %s --check-prefix=SYMBOL --input-file=%t.mlir
// RUN: %make_graph | sed 's/decode.attention/decode|other/' | cke-opt --resolve-contracts --lower-graph=max-rows=3 --plan-memory --lower-to-call > %t.renamed.mlir
// RUN: grep -o '@cke_attention_fp32[.][^ ]*' %t.mlir > %t.symbol
// RUN: grep -o '@cke_attention_fp32[.][^ ]*' %t.renamed.mlir | diff %t.symbol -
// RUN: %make_graph | sed 's/scale 0.25/scale 0.5/' | cke-opt --resolve-contracts --lower-graph --plan-memory --lower-to-call > %t.scaled.mlir
// RUN: grep -o '@cke_attention_fp32[.][^ ]*' %t.scaled.mlir | not cmp -s %t.symbol -
// SYMBOL: @cke_attention_fp32.decode.capacity48.head_dim16.heads2.kv_heads1.{{[0-9a-f]{8} }}

// A module that is not of this level is left alone.
// RUN: cke-opt %t.mlir --lower-to-call | diff %t.mlir -

// A buffer without a place, and a global without one: the memory is not planned yet.
// RUN: sed 's/ at [0-9][0-9]* : memref<1x16xf32>/ : memref<1x16xf32>/' %t.lowered.mlir | not cke-opt --lower-to-call 2>&1 | FileCheck %s --check-prefix=BUFFER
// RUN: sed '/lowered.global @w /s/ at [0-9][0-9]*//' %t.lowered.mlir | not cke-opt --lower-to-call 2>&1 | FileCheck %s --check-prefix=BUFFER
// BUFFER: :5: error: {{.*}}has a buffer without an offset; run plan-memory first [CKE-L005]
// BUFFER-NEXT: lowered.invoke "linear"
// RUN: sed '/lowered.plan/d' %t.lowered.mlir | not cke-opt --lower-to-call 2>&1 | FileCheck %s --check-prefix=PLAN
// PLAN: error: {{.*}}has programs but no lowered.plan [CKE-L005]
