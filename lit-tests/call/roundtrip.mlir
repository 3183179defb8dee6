// Every operation of the dialect survives text, generic text and bytecode: first real ones, as the passes write them,
// then those below.
// RUN: %make_call -o %t.mlir
// RUN: cke-opt %t.mlir --verify-roundtrip | diff %t.mlir -
// RUN: cke-opt %t.mlir --mlir-print-op-generic | cke-opt | diff %t.mlir -
// RUN: cke-opt %t.mlir --emit-bytecode -o %t.bc
// RUN: cke-opt %t.bc | diff %t.mlir -
// RUN: cke-opt %t.bc --emit-bytecode | cmp %t.bc -
// RUN: FileCheck %s --check-prefix=REAL --input-file=%t.mlir

// REAL: call.program @decode phase "decode" {
// REAL-NEXT: call.invoke @cke_linear_fp32.decode.k32.n16.{{[0-9a-f]+}} op "linear" args [{bytes = 128 : i64, layout = "row_major", offset = {{[0-9]+}} : i64, source = "activation:x"}, {{.*}}, {source = "runtime:rows"}] shape {k = 32 : i64, n = 16 : i64} instance "decode/kv" requires {{{.*}}} resolved {{{.*}}} executes {
// REAL-NEXT: call.barrier

// RUN: cke-opt %s --verify-roundtrip | FileCheck %s
// RUN: cke-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: cke-opt %s --mlir-print-op-generic | cke-opt | FileCheck %s

// CHECK: call.program "private" @"two words" phase "prefill" attributes {note = "kept"} {
// CHECK-NEXT: call.barrier
// CHECK-NEXT: call.barrier {note = "kept"}
// CHECK-NEXT: }
// GENERIC: "call.program"() <{phase = "prefill", sym_name = "two words", sym_visibility = "private"}> ({
// GENERIC-NEXT: "call.barrier"() : () -> ()
// GENERIC-NEXT: "call.barrier"() {note = "kept"} : () -> ()
// GENERIC-NEXT: }) {note = "kept"} : () -> ()
call.program "private" @"two words" phase "prefill" attributes {note = "kept"} {
  call.barrier
  call.barrier {note = "kept"}
}

// CHECK: call.program @empty phase "decode" {
// CHECK-NEXT: }
call.program @empty phase "decode" {
}
