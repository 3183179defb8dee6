// Every rule on declarations, on the symbols an operation names, and on each operation, one case each.
// RUN: cke-opt %s --split-input-file --verify-diagnostics

// Declarations: a weight has extents, all known and none of them empty.
// expected-error @+1 {{'graph.weight' op expected an f32 tensor of fixed, positive extents, found tensor<?x32xf32>}}
graph.weight @dynamic storage "f32" : tensor<?x32xf32>

// -----

// expected-error @+1 {{'graph.weight' op expected an f32 tensor of fixed, positive extents, found tensor<0x32xf32>}}
graph.weight @empty storage "f32" : tensor<0x32xf32>

// -----

// expected-error @+1 {{'graph.weight' op expected an f32 tensor of fixed, positive extents, found tensor<f32>}}
graph.weight @scalar storage "f32" : tensor<f32>

// -----

// expected-error @+1 {{'graph.weight' op expected an f32 tensor of fixed, positive extents, found tensor<*xf32>}}
graph.weight @unranked storage "f32" : tensor<*xf32>

// -----

// expected-error @+1 {{'graph.weight' op expected an f32 tensor of fixed, positive extents, found memref<32xf32>}}
graph.weight @memref storage "f32" : memref<32xf32>

// -----

// Kernels see f32 however a weight is stored.
// expected-error @+1 {{'graph.weight' op expected an f32 tensor of fixed, positive extents, found tensor<32xf16>}}
graph.weight @element storage "f16" : tensor<32xf16>

// -----

// expected-error @+1 {{'graph.state' op expected an f32 tensor of fixed, positive extents, found tensor<1x48x16xi1>}}
graph.state @element : tensor<1x48x16xi1>

// -----

// expected-error @+1 {{'graph.weight' op has the unknown storage "q9", expected one of: f32, f16, }}
graph.weight @storage storage "q9" : tensor<32xf32>

// -----

// expected-error @+1 {{'graph.weight' op has the storage "generated" but no 'origin' that says how}}
graph.weight @generated storage "generated" : tensor<32xf32>

// -----

// expected-error @+1 {{'graph.weight' op has an 'origin', which only the storage "generated" takes}}
graph.weight @stored storage "f32" origin {function = "rope_table_fp64_series"} : tensor<32xf32>

// -----

// expected-error @+1 {{'graph.state' op expected an f32 tensor of fixed, positive extents, found tensor<1x?x16xf32>}}
graph.state @dynamic : tensor<1x?x16xf32>

// -----

// Symbols: the one that is named exists and is of the right kind. All operations ask alike.
func.func @symbol_unknown(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.linear' op refers to the unknown graph.weight @w}}
  %y = graph.linear %x, @w : (tensor<1x32xf32>) -> tensor<1x16xf32>
  return
}

// -----

graph.state @w : tensor<16x32xf32>
func.func @symbol_of_another_kind(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.linear' op refers to @w as 'w', which is a graph.state, expected a graph.weight}}
  %y = graph.linear %x, @w : (tensor<1x32xf32>) -> tensor<1x16xf32>
  return
}

// -----

graph.weight @w storage "f32" : tensor<1x48x16xf32>
func.func @cache_is_a_weight(%k: tensor<1x16xf32>, %position: index) {
  // expected-error @+1 {{'graph.kv_append' op refers to @w as 'k_cache', which is a graph.weight, expected a graph.state}}
  graph.kv_append %k, %k at %position, @w, @w : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

// What a request says of a weight's storage is what the weight says.
graph.weight @w storage "f16" : tensor<16x32xf32>
func.func @storage(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.linear' op requests 'w' stored as "q4_1", the weight is stored as "f16"}}
  %y = graph.linear %x, @w instance "i" requires {contract = @native::@c, operation = "o", phase = "decode",
                                                  storage = {w = "q4_1"}} : (tensor<1x32xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @embedding_rows(%tokens: tensor<?xi32>) {
  // expected-error @+1 {{'graph.embedding' op expected the result to have the shape [?, 32], found [1, 32]}}
  %y = graph.embedding %tokens, @table : (tensor<?xi32>) -> tensor<1x32xf32>
  return
}

// -----

graph.weight @table storage "f32" : tensor<128x64xf32>
func.func @embedding_table(%tokens: tensor<?xi32>) {
  // expected-error @+1 {{'graph.embedding' op expected the table to have the shape [128, 32], found [128, 64]}}
  %y = graph.embedding %tokens, @table : (tensor<?xi32>) -> tensor<?x32xf32>
  return
}

// -----

func.func @rmsnorm_shape(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.rmsnorm' op expected the result to have the shape [1, 32], found [1, 16]}}
  %y = graph.rmsnorm %x, @gamma eps 1.0e-5 : (tensor<1x32xf32>) -> tensor<1x16xf32>
  return
}

// -----

func.func @rmsnorm_negative_epsilon(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.rmsnorm' op expected 'eps' to be finite and not negative}}
  %y = graph.rmsnorm %x, @gamma eps -1.0e-5 : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @rmsnorm_infinite_epsilon(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.rmsnorm' op expected 'eps' to be finite and not negative}}
  %y = graph.rmsnorm %x, @gamma eps 0x7F800000 : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

graph.weight @gamma storage "f32" : tensor<16xf32>
func.func @rmsnorm_weight(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.rmsnorm' op expected the weight to have the shape [32], found [16]}}
  %y = graph.rmsnorm %x, @gamma eps 1.0e-5 : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @linear_rows(%x: tensor<?x32xf32>) {
  // expected-error @+1 {{'graph.linear' op expected the result to have the shape [?, 16], found [1, 16]}}
  %y = graph.linear %x, @w : (tensor<?x32xf32>) -> tensor<1x16xf32>
  return
}

// -----

// [n, k], not [k, n].
graph.weight @w storage "f32" : tensor<32x16xf32>
func.func @linear_weight(%x: tensor<?x32xf32>) {
  // expected-error @+1 {{'graph.linear' op expected the weight to have the shape [16, 32], found [32, 16]}}
  %y = graph.linear %x, @w : (tensor<?x32xf32>) -> tensor<?x16xf32>
  return
}

// -----

func.func @logits_rows(%x: tensor<?x32xf32>) {
  // expected-error @+1 {{'graph.logits' op expected the result to have the shape [1, 128], found [?, 128]}}
  %y = graph.logits %x, @w : (tensor<?x32xf32>) -> tensor<?x128xf32>
  return
}

// -----

graph.weight @w storage "f32" : tensor<32x128xf32>
func.func @logits_weight(%x: tensor<?x32xf32>) {
  // expected-error @+1 {{'graph.logits' op expected the weight to have the shape [128, 32], found [32, 128]}}
  %y = graph.logits %x, @w : (tensor<?x32xf32>) -> tensor<1x128xf32>
  return
}

// -----

func.func @rope_shape(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected the result to have the shape [1, 32], found [1, 16]}}
  %y = graph.rope %x at %position, @table pairing "split_half" heads 2
      : (tensor<1x32xf32>, index) -> tensor<1x16xf32>
  return
}

// -----

func.func @rope_heads(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected the width of [32] to be cut into 3 equal heads}}
  %y = graph.rope %x at %position, @table pairing "split_half" heads 3
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

func.func @rope_no_heads(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected the width of [32] to be cut into 0 equal heads}}
  %y = graph.rope %x at %position, @table pairing "split_half" heads 0
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

// A width that is not known has no heads.
func.func @rope_dynamic_width(%x: tensor<1x?xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected the width of [?] to be cut into 2 equal heads}}
  %y = graph.rope %x at %position, @table pairing "split_half" heads 2 : (tensor<1x?xf32>, index) -> tensor<1x?xf32>
  return
}

// -----

func.func @rope_pairing(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected 'pairing' to be pairwise_interleaved or split_half, found "thirds"}}
  %y = graph.rope %x at %position, @table pairing "thirds" heads 2 : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

// A head of 16 elements has at most 8 pairs.
graph.weight @table storage "f32" : tensor<48x9x2xf32>
func.func @rope_table_too_wide(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected the table to be [positions, at most 8, 2], found [48, 9, 2]}}
  %y = graph.rope %x at %position, @table pairing "split_half" heads 2 : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

// So many pairs that their elements cannot be counted.
graph.weight @table storage "f32" : tensor<48x4611686018427387904x2xf32>
func.func @rope_table_far_too_wide(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected the table to be [positions, at most 8, 2], found [48, 4611686018427387904, 2]}}
  %y = graph.rope %x at %position, @table pairing "split_half" heads 2 : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

graph.weight @table storage "f32" : tensor<48x16xf32>
func.func @rope_table_rank(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.rope' op expected the table to be [positions, at most 8, 2], found [48, 16]}}
  %y = graph.rope %x at %position, @table pairing "split_half" heads 2 : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

func.func @kv_append_values(%k: tensor<1x16xf32>, %v: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.kv_append' op expected the values to have the shape [1, 16], found [1, 32]}}
  graph.kv_append %k, %v at %position, @c, @c : (tensor<1x16xf32>, tensor<1x32xf32>, index) -> ()
  return
}

// -----

graph.state @k_cache : tensor<2x48x16xf32>
graph.state @v_cache : tensor<2x48x16xf32>
func.func @kv_append_keys(%k: tensor<1x16xf32>, %position: index) {
  // expected-error @+1 {{'graph.kv_append' op expected the keys to have the shape [1, 32], found [1, 16]}}
  graph.kv_append %k, %k at %position, @k_cache, @v_cache : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

graph.state @k_cache : tensor<1x48x16xf32>
graph.state @v_cache : tensor<1x64x16xf32>
func.func @caches_differ(%k: tensor<1x16xf32>, %position: index) {
  // expected-error @+1 {{'graph.kv_append' op expected the value cache to have the shape [1, 48, 16], found [1, 64, 16]}}
  graph.kv_append %k, %k at %position, @k_cache, @v_cache : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

graph.state @cache : tensor<48x16xf32>
func.func @cache_rank(%k: tensor<1x16xf32>, %position: index) {
  // expected-error @+1 {{'graph.kv_append' op expected the caches to be [kv_heads, capacity, head_dim], found [48, 16]}}
  graph.kv_append %k, %k at %position, @cache, @cache : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

// Heads whose row is wider than can be counted.
graph.state @cache : tensor<4294967296x1x4294967296xf32>
func.func @row_too_wide(%k: tensor<1x16xf32>, %position: index) {
  // expected-error @+1 {{'graph.kv_append' op expected a row of 4294967296 heads of 4294967296 to be countable in 63 bits}}
  graph.kv_append %k, %k at %position, @cache, @cache : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

func.func @attention_shape(%q: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.attention' op expected the result to have the shape [1, 32], found [?, 32]}}
  %y = graph.attention %q at %position, @c, @c heads 2 scale 1.0 : (tensor<1x32xf32>, index) -> tensor<?x32xf32>
  return
}

// -----

func.func @attention_heads(%q: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.attention' op expected the width of [32] to be cut into -2 equal heads}}
  %y = graph.attention %q at %position, @c, @c heads -2 scale 1.0 : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

func.func @attention_scale(%q: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.attention' op expected 'scale' to be finite}}
  %y = graph.attention %q at %position, @c, @c heads 2 scale 0x7FC00000
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

// Grouped heads: every head of the caches serves the same number of heads of the query.
graph.state @cache : tensor<2x48x16xf32>
func.func @attention_groups(%q: tensor<1x48xf32>, %position: index) {
  // expected-error @+1 {{'graph.attention' op expected the 3 heads of the query to be a multiple of the caches' 2}}
  %y = graph.attention %q at %position, @cache, @cache heads 3 scale 1.0
      : (tensor<1x48xf32>, index) -> tensor<1x48xf32>
  return
}

// -----

graph.state @cache : tensor<1x48x16xf32>
func.func @attention_head_width(%q: tensor<1x64xf32>, %position: index) {
  // expected-error @+1 {{'graph.attention' op expected the query to have the shape [1, 32], found [1, 64]}}
  %y = graph.attention %q at %position, @cache, @cache heads 2 scale 1.0
      : (tensor<1x64xf32>, index) -> tensor<1x64xf32>
  return
}

// -----

func.func @swiglu_operands(%gate: tensor<1x32xf32>, %up: tensor<?x32xf32>) {
  // expected-error @+1 {{'graph.swiglu' op expected operand #1 to have the shape [1, 32], found [?, 32]}}
  %y = graph.swiglu %gate, %up : (tensor<1x32xf32>, tensor<?x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @residual_add_result(%a: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.residual_add' op expected the result to have the shape [1, 32], found [1, 64]}}
  %y = graph.residual_add %a, %a : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x64xf32>
  return
}

// -----

func.func @argmax_rows(%x: tensor<2x32xf32>) {
  // expected-error @+1 {{'graph.argmax' op expected the result to have the shape [2], found [1]}}
  %y = graph.argmax %x : (tensor<2x32xf32>) -> tensor<1xi32>
  return
}
