// What the tables imply and the form of contract attributes, one case each. The rules of declarations and operations:
// invalid-operations.mlir.
// RUN: cke-opt %s --split-input-file --verify-diagnostics

// The element type of a port.
func.func @operand_element(%tokens: tensor<?xi64>) {
  // expected-error @+1 {{'graph.embedding' op operand #0 ('tokens') must be 1D tensor of i32 values, but got 'tensor<?xi64>'}}
  %y = graph.embedding %tokens, @table : (tensor<?xi64>) -> tensor<?x32xf32>
  return
}

// -----

// The rank of a port.
func.func @operand_rank(%x: tensor<32xf32>) {
  // expected-error @+1 {{'graph.swiglu' op operand #0 ('gate') must be 2D tensor of f32 values, but got 'tensor<32xf32>'}}
  %y = graph.swiglu %x, %x : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  return
}

// -----

func.func @operand_unranked(%x: tensor<*xf32>) {
  // expected-error @+1 {{'graph.argmax' op operand #0 ('x') must be 2D tensor of f32 values, but got 'tensor<*xf32>'}}
  %y = graph.argmax %x : (tensor<*xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @operand_scalar(%k: tensor<1x16xf32>, %position: i64) {
  // expected-error @+1 {{'graph.kv_append' op operand #2 ('position') must be index, but got 'i64'}}
  graph.kv_append %k, %k at %position, @c, @c : (tensor<1x16xf32>, tensor<1x16xf32>, i64) -> ()
  return
}

// -----

func.func @result_element(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.argmax' op result #0 ('y') must be 1D tensor of i32 values, but got 'tensor<1xi64>'}}
  %y = graph.argmax %x : (tensor<1x32xf32>) -> tensor<1xi64>
  return
}

// -----

func.func @operand_count(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.residual_add' op expected 2 operands, but found 1}}
  %y = "graph.residual_add"(%x) : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @result_count(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.residual_add' op expected 1 result, but found 0}}
  "graph.residual_add"(%x, %x) : (tensor<1x32xf32>, tensor<1x32xf32>) -> ()
  return
}

// -----

func.func @region_count(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.residual_add' op expected 0 regions, but found 1}}
  %y = "graph.residual_add"(%x, %x) ({}) : (tensor<1x32xf32>, tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @types_of_operands(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{number of operands and types do not match: got 2 operands and 1 types}}
  %y = graph.residual_add %x, %x : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @attribute_missing(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.rmsnorm' op requires attribute 'gamma'}}
  %y = "graph.rmsnorm"(%x) {eps = 1.0e-5 : f32} : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @attribute_float(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.rmsnorm' op attribute 'eps' must be an f32, but got 1.000000e-05 : f64}}
  %y = "graph.rmsnorm"(%x) {gamma = @g, eps = 1.0e-5 : f64} : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @attribute_integer(%x: tensor<1x32xf32>, %position: index) {
  // expected-error @+1 {{'graph.attention' op attribute 'heads' must be an i64, but got 2 : i32}}
  %y = "graph.attention"(%x, %position) {k_cache = @c, v_cache = @c, heads = 2 : i32, scale = 1.0 : f32}
      : (tensor<1x32xf32>, index) -> tensor<1x32xf32>
  return
}

// -----

func.func @attribute_symbol(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.linear' op attribute 'w' must be a flat symbol reference, but got @a::@b}}
  %y = "graph.linear"(%x) {w = @a::@b} : (tensor<1x32xf32>) -> tensor<1x32xf32>
  return
}

// -----

func.func @attribute_dictionary(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.argmax' op attribute 'required_contract' must be a dictionary, but got "fp32"}}
  %y = "graph.argmax"(%x) {required_contract = "fp32"} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

// expected-error @+1 {{'graph.state' op attribute 'type' must be a type, but got 1 : i64}}
"graph.state"() {sym_name = "s", type = 1} : () -> ()

// -----

// expected-error @+1 {{'graph.weight' op attribute 'storage' must be a string, but got 1 : i64}}
"graph.weight"() {sym_name = "w", storage = 1, type = tensor<2xf32>} : () -> ()

// -----

// Contract attributes: a request names its operation.
func.func @request_without_instance(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.argmax' op carries 'required_contract' but no 'instance' that names it}}
  %y = graph.argmax %x requires {contract = @native::@c, operation = "o", phase = "decode"}
      : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @request_with_empty_instance(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.argmax' op carries 'required_contract' but no 'instance' that names it}}
  %y = graph.argmax %x instance "" requires {contract = @native::@c, operation = "o", phase = "decode"}
      : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @decision_without_request(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{'graph.argmax' op carries 'resolved_contract' but no 'required_contract'}}
  %y = graph.argmax %x instance "i" resolved {contract = @native::@c, digest = "d", function = "f",
                                             provider = @native::@p} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @request_without_contract(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'required_contract' to hold a symbol of a registry (@registry::@id) under 'contract', found nothing}}
  %y = graph.argmax %x instance "i" requires {} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

// A contract is named with its registry.
func.func @request_of_a_flat_symbol(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'required_contract' to hold a symbol of a registry (@registry::@id) under 'contract', found @c}}
  %y = graph.argmax %x instance "i" requires {contract = @c} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @request_without_operation(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'required_contract' to hold a string under 'operation', found nothing}}
  %y = graph.argmax %x instance "i" requires {contract = @native::@c} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @request_with_a_numeric_phase(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'required_contract' to hold a string under 'phase', found 1 : i64}}
  %y = graph.argmax %x instance "i" requires {contract = @native::@c, operation = "o", phase = 1}
      : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @decision_without_contract(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'resolved_contract' to hold a symbol of a registry (@registry::@id) under 'contract', found nothing}}
  %y = graph.argmax %x instance "i" requires {contract = @native::@c, operation = "o", phase = "decode"} resolved {}
      : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @decision_with_a_text_as_provider(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'resolved_contract' to hold a symbol of a registry (@registry::@id) under 'provider', found "@native::@p"}}
  %y = graph.argmax %x instance "i" requires {contract = @native::@c, operation = "o", phase = "decode"}
      resolved {contract = @native::@c, provider = "@native::@p"} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @decision_without_function(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'resolved_contract' to hold a string under 'function', found nothing}}
  %y = graph.argmax %x instance "i" requires {contract = @native::@c, operation = "o", phase = "decode"}
      resolved {contract = @native::@c, provider = @native::@p} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}

// -----

func.func @decision_without_digest(%x: tensor<1x32xf32>) {
  // expected-error @+1 {{expected 'resolved_contract' to hold a string under 'digest', found nothing}}
  %y = graph.argmax %x instance "i" requires {contract = @native::@c, operation = "o", phase = "decode"}
      resolved {contract = @native::@c, provider = @native::@p, function = "f"} : (tensor<1x32xf32>) -> tensor<1xi32>
  return
}
