// The named pipeline: all passes in order, `verify-contracts` after each; its options reach the passes.
// RUN: %make_graph > %t.mlir
// RUN: cke-opt %t.mlir --cke-cpu=isa=x86-64-v3 -o %t.llvm.mlir --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: builtin.module(
// PIPELINE-NEXT: resolve-contracts{mode=bringup},
// PIPELINE-NEXT: verify-contracts,
// PIPELINE-NEXT: lower-graph{max-rows=64 max-threads=64},
// PIPELINE-NEXT: verify-contracts,
// PIPELINE-NEXT: plan-memory,
// PIPELINE-NEXT: verify-contracts,
// PIPELINE-NEXT: lower-to-call,
// PIPELINE-NEXT: verify-contracts,
// PIPELINE-NEXT: synthesize-kernels{isa=x86-64-v3},
// PIPELINE-NEXT: verify-contracts,

// Upstream's conversions are followed by the check as well.
// PIPELINE-NEXT: convert-scf-to-cf{{.*}},
// PIPELINE-NEXT: verify-contracts,
// PIPELINE: reconcile-unrealized-casts,
// PIPELINE-NEXT: verify-contracts,
// PIPELINE-NEXT: lower-call-to-llvm,
// PIPELINE-NEXT: verify-contracts
// PIPELINE-NEXT: )

// RUN: cke-opt %t.mlir --cke-cpu=isa=x86-64-v3 -o /dev/null --cke-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: resolve-contracts 4 resolved
// COUNT: lower-graph 4 invocations
// COUNT: synthesize-kernels 4 kernels
// COUNT: lower-call-to-llvm 1 entries

// RUN: FileCheck %s --input-file=%t.llvm.mlir --implicit-check-not=call.program --implicit-check-not=func.func --implicit-check-not=unrealized_conversion_cast
// CHECK: llvm.func @cke_attention_fp32.decode.
// CHECK: llvm.func @decode(
// CHECK: llvm.call @cke_linear_fp32.decode.

// RUN: cke-opt %t.mlir '--cke-cpu=isa=x86-64-v4 max-rows=8 mode=bringup' -o /dev/null --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=OPTIONS
// OPTIONS: lower-graph{max-rows=8 max-threads=64}
// OPTIONS: synthesize-kernels{isa=x86-64-v4}

// By its text, which is the same pipeline.
// RUN: cke-opt %t.mlir '--pass-pipeline=builtin.module(cke-cpu{isa=x86-64-v3})' | diff %t.llvm.mlir -

// RUN: not cke-opt %t.mlir '--cke-cpu=isa=x86-64-v3 mode=production' 2>&1 | FileCheck %s --check-prefix=PRODUCTION
// PRODUCTION: error: {{.*}}[CKE-C008]

// RUN: not cke-opt %t.mlir '--pass-pipeline=builtin.module(cke-cpu{mode=careless})' 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: unknown mode 'careless', expected bringup or production
// RUN: not cke-opt %t.mlir '--pass-pipeline=builtin.module(cke-cpu{isa=pentium})' 2>&1 | FileCheck %s --check-prefix=ISA
// ISA: unknown instruction set 'pentium'; known are
// RUN: not cke-opt %t.mlir '--pass-pipeline=builtin.module(cke-cpu{max-rows=-1})' 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: 'max-rows' is -1, expected 1 to 65536
// RUN: not cke-opt %t.mlir '--pass-pipeline=builtin.module(cke-cpu{max-rows=0})' 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: 'max-rows' must be 1 to 65536, found 0
// RUN: not cke-opt %t.mlir '--pass-pipeline=builtin.module(cke-cpu{speed=high})' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: no such option speed
