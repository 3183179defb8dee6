// Every way in which `lower-graph` refuses a resolved circuit, with its code. (Each part has the registry in front of it.)
// RUN: %with_registry %s > %t.mlir
// RUN: cke-opt %t.mlir --resolve-contracts --lower-graph --split-input-file --verify-diagnostics=only-expected
// RUN: not cke-opt %t.mlir --resolve-contracts --lower-graph --split-input-file 2>&1 | FileCheck %s

// -----

// Keys and values lie in different layouts, so one cache cannot hold both.
graph.state @cache : tensor<1x48x16xf32>
func.func @decode(%k: tensor<1x16xf32> {graph.io = "k"}, %position: index {graph.io = "position"}) attributes {graph.phase = "decode"} {
  // expected-error @+1 {{needs state 'cache' as head_major, another as k_blocks_t16 [CKE-L001]}}
  graph.kv_append %k, %k at %position, @cache, @cache instance "decode/append"
      requires {contract = @native::@kv_append_fp32_copy, operation = "tiny.append", phase = "decode",
                validation = "observed"} : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

// The kernel is made for a width, which therefore must be known.
func.func @decode(%x: tensor<1x?xf32> {graph.io = "x"}) attributes {graph.phase = "decode"} {
  // expected-error @+1 {{does not suit provider 'cke_residual_add_fp32': 'dim' is not known [CKE-L002]}}
  %y = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"} : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<1x?xf32>
  return
}

// -----

// Decode has one row, which its kernels are made for.
func.func @decode(%x: tensor<5x32xf32> {graph.io = "x"}) attributes {graph.phase = "decode"} {
  // expected-error @+1 {{has 5 rows at port 'a', its phase has 1 [CKE-L002]}}
  %y = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"} : (tensor<5x32xf32>, tensor<5x32xf32>) -> tensor<5x32xf32>
  return
}

// -----

// Prefill has as many as the call brings.
func.func @prefill(%x: tensor<8x32xf32> {graph.io = "x"}) attributes {graph.phase = "prefill"} {
  // expected-error @+1 {{has 8 rows at port 'a', its phase has any number of [CKE-L002]}}
  %y = graph.residual_add %x, %x instance "prefill/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "prefill",
                validation = "observed"} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return
}

// -----

// Operations of other dialects have no contract, hence no provider.
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}) attributes {graph.phase = "decode"} {
  // expected-error @+1 {{'arith.negf' stands under no contract and cannot be lowered [CKE-L002]}}
  %0 = arith.negf %x : tensor<1x32xf32>
  return
}

// -----

// expected-error @+1 {{has no body [CKE-L002]}}
func.func private @decode(tensor<1x32xf32>) attributes {graph.phase = "decode"}

// -----

// A tensor that is an argument must be named, or there is no buffer for it.
func.func @decode(%x: tensor<1x32xf32>) attributes {graph.phase = "decode"} {
  // expected-error @+1 {{has nothing for port 'a' of provider 'cke_residual_add_fp32' [CKE-L002]}}
  %y = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

// One capacity holds for all caches of a program.
// CHECK: error: caches have capacities 48 and 64, expected one [CKE-L003]
graph.state @short_k : tensor<1x48x16xf32>
graph.state @short_v : tensor<1x48x16xf32>
graph.state @long_k : tensor<1x64x16xf32>
graph.state @long_v : tensor<1x64x16xf32>
func.func @decode(%k: tensor<1x16xf32> {graph.io = "k"}, %position: index {graph.io = "position"}) attributes {graph.phase = "decode"} {
  graph.kv_append %k, %k at %position, @short_k, @short_v instance "decode/short"
      requires {contract = @native::@kv_append_fp32_copy, operation = "tiny.append", phase = "decode",
                validation = "observed"} : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  graph.kv_append %k, %k at %position, @long_k, @long_v instance "decode/long"
      requires {contract = @native::@kv_append_fp32_copy, operation = "tiny.append", phase = "decode",
                validation = "observed"} : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

// Phases share their io buffers, which therefore have one type (but for the rows).
func.func @prefill(%x: tensor<1x32xf32> {graph.io = "x"}) attributes {graph.phase = "prefill"} {
  return
}
// expected-error @+1 {{io buffer 'x' is tensor<1x64xf32> here and tensor<1x32xf32> elsewhere [CKE-L004]}}
func.func @decode(%x: tensor<1x64xf32> {graph.io = "x"}) attributes {graph.phase = "decode"} {
  return
}

// -----

// The rows may differ, nothing else.
func.func @prefill(%x: tensor<?x32xf32> {graph.io = "x"}) attributes {graph.phase = "prefill"} {
  return
}
// expected-error @+1 {{io buffer 'x' is tensor<1x32xi32> here and tensor<?x32xf32> elsewhere [CKE-L004]}}
func.func @decode(%x: tensor<1x32xi32> {graph.io = "x"}) attributes {graph.phase = "decode"} {
  return
}

// -----

// One buffer for an argument and a result would be written while it is read.
// expected-error @+1 {{names two io buffers 'x' [CKE-L004]}}
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "x"})
    attributes {graph.phase = "decode"} {
  %y = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// -----

// expected-error @+1 {{has an io buffer without a name [CKE-L004]}}
func.func @decode(%x: tensor<1x32xf32> {graph.io = ""}) attributes {graph.phase = "decode"} {
  return
}

// -----

// A result without a name would be lost.
// expected-error @+1 {{returns result #0 without a name for its buffer [CKE-L004]}}
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}) -> tensor<1x32xf32> attributes {graph.phase = "decode"} {
  %y = graph.residual_add %x, %x instance "decode/residual"
      requires {contract = @native::@residual_add_fp32, operation = "tiny.residual", phase = "decode",
                validation = "observed"} : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return %y : tensor<1x32xf32>
}

// -----

// A call has one position.
graph.state @k_cache : tensor<1x48x16xf32>
graph.state @v_cache : tensor<1x48x16xf32>
func.func @decode(%k: tensor<1x16xf32> {graph.io = "k"}, %position: index {graph.io = "position"}, %other: index)
    attributes {graph.phase = "decode"} {
  // expected-error @+1 {{takes a position that is not the one of the call [CKE-L004]}}
  graph.kv_append %k, %k at %other, @k_cache, @v_cache instance "decode/append"
      requires {contract = @native::@kv_append_fp32_copy, operation = "tiny.append", phase = "decode",
                validation = "observed"} : (tensor<1x16xf32>, tensor<1x16xf32>, index) -> ()
  return
}

// -----

// expected-error @+1 {{'x' is the name of an io buffer too [CKE-L004]}}
graph.weight @x storage "f32" : tensor<16x32xf32>
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}) attributes {graph.phase = "decode"} {
  return
}

// -----

// A value lies in one place.
// expected-error @+1 {{returns one value as 'y' and as another [CKE-L004]}}
func.func @decode(%x: tensor<1x32xf32> {graph.io = "x"}) -> (tensor<1x32xf32> {graph.io = "y"})
    attributes {graph.phase = "decode"} {
  return %x : tensor<1x32xf32>
}
