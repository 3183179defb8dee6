// The declared effects keep MLIR's own passes from harm: what they do to a circuit is what its meaning allows.
// RUN: cke-opt %s --cse --canonicalize | FileCheck %s --check-prefixes=CHECK,CSE
// RUN: cke-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefixes=CHECK,LICM
// RUN: cke-opt %s --symbol-dce | FileCheck %s --check-prefixes=CHECK,SYMBOL
// RUN: cke-opt %s --inline | FileCheck %s --check-prefix=INLINE
// All together, with the verifier after each.
// RUN: cke-opt %s --inline --cse --canonicalize --loop-invariant-code-motion --symbol-dce -o /dev/null

graph.weight @w storage "f32" : tensor<32x32xf32>
graph.state @k_cache : tensor<1x48x32xf32>
graph.state @v_cache : tensor<1x48x32xf32>

// Equal operations are equal decisions only when they are one instance: the name is an attribute, so that those of two
// instances differ.
// CHECK-LABEL: func.func @two_instances(
// CSE: graph.linear {{.*}} instance "decode/blk.0/attn_q"
// CSE: graph.linear {{.*}} instance "decode/blk.1/attn_q"
func.func @two_instances(%x: tensor<1x32xf32>) -> (tensor<1x32xf32>, tensor<1x32xf32>) {
  %0 = graph.linear %x, @w instance "decode/blk.0/attn_q"
      requires {contract = @native::@linear, operation = "decoder.attn_q", phase = "decode"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %1 = graph.linear %x, @w instance "decode/blk.1/attn_q"
      requires {contract = @native::@linear, operation = "decoder.attn_q", phase = "decode"}
      : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %0, %1 : tensor<1x32xf32>, tensor<1x32xf32>
}

// Operations without a name may be merged: nothing has been asked of them yet.
// CHECK-LABEL: func.func @unnamed(
// CSE: %[[Y:.*]] = graph.linear
// CSE-NEXT: return %[[Y]], %[[Y]]
func.func @unnamed(%x: tensor<1x32xf32>) -> (tensor<1x32xf32>, tensor<1x32xf32>) {
  %0 = graph.linear %x, @w : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %1 = graph.linear %x, @w : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %0, %1 : tensor<1x32xf32>, tensor<1x32xf32>
}

// An operation that only reads constants goes when its result is not used. (After resolution the ledger misses it.)
// CHECK-LABEL: func.func @unused(
// CSE-NEXT: return
func.func @unused(%x: tensor<1x32xf32>, %position: index) {
  %0 = graph.linear %x, @w : (tensor<1x32xf32>) -> tensor<1x32xf32>
  %1 = graph.residual_add %0, %x : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  %2 = graph.attention %x at %position, @k_cache, @v_cache heads 1 scale 1.0
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// A write stays although it has no result, and so does the second of two equal ones. Attention reads what was
// written: equal ones on either side of a write are not merged, those with no write between them are.
// CHECK-LABEL: func.func @append_then_attend(
// CSE: graph.attention
// CSE: graph.kv_append
// CSE: graph.kv_append
// CSE: %[[Y:.*]] = graph.attention
// CSE-NOT: graph.attention
// CSE: return %{{.*}}, %[[Y]], %[[Y]]
func.func @append_then_attend(%x: tensor<1x32xf32>, %position: index)
    -> (tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>) {
  %0 = graph.attention %x at %position, @k_cache, @v_cache heads 1 scale 1.0
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  graph.kv_append %x, %x at %position, @k_cache, @v_cache : (tensor<1x32xf32>, tensor<1x32xf32>, index) -> ()
  graph.kv_append %x, %x at %position, @k_cache, @v_cache : (tensor<1x32xf32>, tensor<1x32xf32>, index) -> ()
  %1 = graph.attention %x at %position, @k_cache, @v_cache heads 1 scale 1.0
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  %2 = graph.attention %x at %position, @k_cache, @v_cache heads 1 scale 1.0
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return %0, %1, %2 : tensor<1x32xf32>, tensor<1x32xf32>, tensor<1x32xf32>
}

// Out of a loop goes what reads constants; what reads or writes the caches stays in it, in order.
// CHECK-LABEL: func.func @loop(
// LICM: %[[Y:.*]] = graph.linear
// LICM-NEXT: scf.for
// LICM-NEXT: graph.kv_append %[[Y]], %[[Y]]
// LICM-NEXT: graph.attention %[[Y]]
func.func @loop(%x: tensor<1x32xf32>, %position: index, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %0 = graph.linear %x, @w : (tensor<1x32xf32>) -> tensor<1x32xf32>
    graph.kv_append %0, %0 at %position, @k_cache, @v_cache : (tensor<1x32xf32>, tensor<1x32xf32>, index) -> ()
    %1 = graph.attention %0 at %position, @k_cache, @v_cache heads 1 scale 1.0
        : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  }
  return
}

// Weights and states are public symbols unless they say otherwise: only a private one that nothing uses goes.
// SYMBOL-NOT: graph.weight "private" @unused_private
// SYMBOL: graph.weight "private" @used_private
// SYMBOL: graph.weight @unused_public
graph.weight "private" @unused_private storage "f32" : tensor<32x32xf32>
graph.weight "private" @used_private storage "f32" : tensor<32x32xf32>
graph.weight @unused_public storage "f32" : tensor<32x32xf32>
// CHECK-LABEL: func.func @uses(
func.func @uses(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %0 = graph.linear %x, @used_private : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}

// Inlining copies operations with all they bear. (After resolution the copies of an instance are a fault.)
// INLINE-LABEL: func.func @calls(
// INLINE-SAME: %[[X:.*]]: tensor
// INLINE-NEXT: %[[Y:.*]] = graph.linear %[[X]], @used_private
// INLINE-NEXT: return %[[Y]]
func.func @calls(%x: tensor<1x32xf32>) -> tensor<1x32xf32> {
  %0 = call @uses(%x) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}
