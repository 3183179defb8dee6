// Before: a program of calls. After: the entry point of an object, which each thread runs: slots are stored, the kernel is
// called, all threads wait. Requests and decisions stand on the calls.
// RUN: %make_call -o %t.call.mlir
// Of a kernel, only the signature matters here.
// RUN: sed -e 1d -e '/^}/d' %t.call.mlir > %t.mlir
// RUN: grep -o '@cke_[a-z0-9_]*[.][^ ]*' %t.call.mlir | sed 's/$/(!llvm.ptr, i64, i64)/;s/^/llvm.func /' >> %t.mlir
// RUN: cke-opt %t.mlir --lower-call-to-llvm --verify-contracts | FileCheck %s

// The numbers come from the program before.
// CHECK: lowered.global @x kind "io" layout "row_major" at [[#X:]] : memref<1x32xf32>
// CHECK: lowered.global @w {{.*}} at [[#W:]] : memref<16x32xf32>
// CHECK: lowered.global @k_cache {{.*}} at [[#K:]] : memref<1x48x16xf32>
// CHECK-NOT: call.program
// CHECK: llvm.func @cke_barrier(!llvm.ptr)
// CHECK-NEXT: llvm.func @decode(%[[STATE:.*]]: !llvm.ptr, %[[ROWS:.*]]: i64, %[[POSITION:.*]]: i64, %[[THREAD:.*]]: i64, %[[THREADS:.*]]: i64, %[[SYNC:.*]]: !llvm.ptr) attributes {call.phase = "decode"} {

// One block of slots, as many as the call with the most of them takes.
// CHECK-NEXT: %[[SIZE:.*]] = llvm.mlir.constant(7 : i64) : i64
// CHECK-NEXT: %[[SLOTS:.*]] = llvm.alloca %[[SIZE]] x i64 {alignment = 8 : i64} : (i64) -> !llvm.ptr

// A buffer is an address, an extent of the call is a number.
// CHECK-NEXT: %[[O0:.*]] = llvm.mlir.constant([[#X]] : i64) : i64
// CHECK-NEXT: %[[A0:.*]] = llvm.getelementptr %[[STATE]][%[[O0]]] : (!llvm.ptr, i64) -> !llvm.ptr, i8
// CHECK-NEXT: %[[S0:.*]] = llvm.getelementptr %[[SLOTS]][0] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT: llvm.store %[[A0]], %[[S0]] : !llvm.ptr, !llvm.ptr
// CHECK-NEXT: %[[O1:.*]] = llvm.mlir.constant([[#W]] : i64) : i64
// CHECK: llvm.getelementptr %[[SLOTS]][2]
// CHECK: %[[S3:.*]] = llvm.getelementptr %[[SLOTS]][3] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK-NEXT: llvm.store %[[ROWS]], %[[S3]] : i64, !llvm.ptr
// CHECK-NEXT: llvm.call @cke_linear_fp32.decode.k32.n16.{{[0-9a-f]+}}(%[[SLOTS]], %[[THREAD]], %[[THREADS]]) {instance = "decode/kv", op = "linear",
// CHECK-SAME: required_contract = {contract = @native::@linear_fp32_ascending_k_fma, operation = "tiny.kv", phase = "decode", storage = {w = "q4_1"}, validation = "observed"}
// CHECK-SAME: resolved_contract = {contract = @native::@linear_fp32_ascending_k_fma, digest = "sha256:{{[0-9a-f]+}}", function = "cke_linear_fp32", provider = @native::@cke_linear_fp32}
// CHECK-SAME: resolved_execution = {isa_dispatch = "compile_time"
// CHECK-SAME: shape = {k = 32 : i64, n = 16 : i64}} : (!llvm.ptr, i64, i64) -> ()
// CHECK-NEXT: llvm.call @cke_barrier(%[[SYNC]]) : (!llvm.ptr) -> ()
// CHECK: llvm.mlir.constant([[#K]] : i64)
// CHECK: llvm.store %[[POSITION]], %{{.*}} : i64, !llvm.ptr
// CHECK-NEXT: llvm.call @cke_kv_append_fp32.
// CHECK-NEXT: llvm.call @cke_barrier
// CHECK: llvm.call @cke_attention_fp32.
// CHECK-SAME: params = {scale = 2.500000e-01 : f64}
// CHECK-NEXT: llvm.call @cke_barrier
// CHECK: llvm.call @cke_residual_add_fp32.
// CHECK-NEXT: llvm.return

// A program without steps is a function that returns; two programs share the barrier.
// RUN: cke-opt %s --lower-call-to-llvm --cke-pass-statistics -o %t.empty.mlir 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: FileCheck %s --check-prefix=EMPTY --input-file=%t.empty.mlir
// COUNT: lower-call-to-llvm 2 entries
// EMPTY-COUNT-1: llvm.func @cke_barrier(!llvm.ptr)
// EMPTY: llvm.func @empty(
// EMPTY: llvm.return
// A name may hold any character.
// EMPTY: llvm.func @"only \22a\22 \\ barrier"(
// EMPTY-SAME: call.phase = "prefill"
// EMPTY: llvm.call @cke_barrier
// EMPTY-NEXT: llvm.return
// EMPTY-NOT: @cke_barrier
call.program @empty phase "decode" {
}
call.program @"only \"a\" \\ barrier" phase "prefill" {
  call.barrier
}

// A kernel that is not there, or not yet lowered, is missed at the call.
// RUN: not cke-opt %t.call.mlir --lower-call-to-llvm 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not cke-opt %t.call.mlir --synthesize-kernels=isa=x86-64-v3 --lower-call-to-llvm 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: [[#]]:5: error: {{.*}}calls @cke_linear_fp32.decode.{{.*}}, which is no llvm.func of the module; synthesize-kernels and the conversions come first [CKE-L006]
// MISSING-NEXT: call.invoke @cke_linear_fp32

// The barrier's name is taken.
// RUN: sed 's/call.program @empty/call.program @cke_barrier/' %s | not cke-opt --lower-call-to-llvm 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: {{.*}}has the name of the barrier, @cke_barrier [CKE-L004]
// NAME-NEXT: call.program @cke_barrier

// A module that is not of this level is left alone.
// RUN: cke-opt %t.empty.mlir --lower-call-to-llvm | diff %t.empty.mlir -
