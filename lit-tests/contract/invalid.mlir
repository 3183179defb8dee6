// Every rule of the dialect's verifiers, one case each: the schema of definitions, then what the tables imply.
// RUN: cke-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'contract.execution' op has a definition that breaks its schema: missing field `operator_family` [CKE-C022]}}
contract.execution @missing {}

// -----

// An unknown field is named, with the ones there are: nothing is ignored.
// expected-error @+1 {{extra: unknown field `extra`, expected one of `operator_family`, `status`, `storage`, `compute`, `rounding`, `reduction`, `threading`, `position_transform`, `spatial_transform`, `semantics`, `description` [CKE-C022]}}
contract.execution @unknown {extra = 1 : i64}

// -----

// expected-error @+1 {{status: unknown variant `perfect`, expected one of `unresolved`, `observed`, `validated` [CKE-C022]}}
contract.execution @variant {status = "perfect"}

// -----

// The path leads through dictionaries.
// expected-error @+1 {{storage.output: invalid type: boolean `true`, expected string or map [CKE-C022]}}
contract.execution @path {storage = {input = "fp32", weight = "fp32", output = true}}

// -----

// `unit` is null, which only a field that may be null takes.
// expected-error @+1 {{status: invalid type: null, expected string or map [CKE-C022]}}
contract.execution @null {status}

// -----

// expected-error @+1 {{'contract.execution' op i32 has no JSON form}}
contract.execution @type {status = i32}

// -----

// A symbol is no text, and a number of another width is another number.
// expected-error @+1 {{'contract.provider' op @native::@linear has no JSON form}}
contract.provider @symbol {op = @native::@linear}

// -----

// expected-error @+1 {{'contract.provider' op 1 : i32 has no JSON form}}
contract.provider @width {contract_schema_version = 1 : i32}

// -----

// expected-error @+1 {{'contract.execution' op 0x7FF8000000000000 : f64 has no JSON form}}
contract.execution @nan {status = 0x7FF8000000000000 : f64}

// -----

// expected-error @+1 {{'contract.attention' op has a definition that breaks its schema: missing field `status` [CKE-C022]}}
contract.attention @missing {}

// -----

// expected-error @+1 {{partition.chunk_extent: invalid value: integer `-1`, expected u32 [CKE-C022]}}
contract.attention @range {partition = {kind = "absolute_position_chunks", chunk_extent = -1 : i64}}

// -----

// expected-error @+1 {{'contract.provider' op has a definition that breaks its schema: missing field `contract_schema_version` [CKE-C022]}}
contract.provider @missing {}

// -----

// The path leads through lists.
// expected-error @+1 {{inputs[0].layout: unknown layout 'diagonal', expected one of: row_major, panels_n32, k_blocks_t16, head_major [CKE-C022]}}
contract.provider @layout {inputs = [{name = "x", dtype = "fp32", shape = ["k"], layout = "diagonal"}]}

// -----

// expected-error @+1 {{inputs[0].shape[0]: size -1 is not between 0 and 2^32 - 1 [CKE-C022]}}
contract.provider @extent {inputs = [{name = "x", dtype = "fp32", shape = [-1], layout = "row_major"}]}

// -----

// expected-error @+1 {{dims[0]: missing field `expression` [CKE-C022]}}
contract.provider @dims {dims = [{name = "x"}]}

// -----

// expected-error @+1 {{'contract.execution' op requires attribute 'definition'}}
"contract.execution"() {sym_name = "x"} : () -> ()

// -----

// expected-error @+1 {{'contract.execution' op attribute 'definition' must be a dictionary, but got 1 : i64}}
"contract.execution"() {sym_name = "x", definition = 1 : i64} : () -> ()

// -----

// expected-error @+1 {{'contract.attention' op requires attribute 'definition'}}
"contract.attention"() {sym_name = "x"} : () -> ()

// -----

// expected-error @+1 {{'contract.provider' op requires attribute 'definition'}}
"contract.provider"() {sym_name = "x"} : () -> ()

// -----

// expected-error @+1 {{'contract.provider' op requires string attribute 'sym_name'}}
"contract.provider"() {definition = {}} : () -> ()

// -----

// expected-error @+1 {{'contract.provider' op expected 0 regions, but found 1}}
"contract.provider"() ({}) {sym_name = "x", definition = {}} : () -> ()

// -----

// expected-error @+1 {{custom op 'contract.provider' attribute 'definition' is given twice}}
contract.provider @twice {} {definition = {}}

// -----

// What a definition leaves unsaid is listed whole,
// expected-error @+1 {{'contract.attention' op leaves unsaid ["address_stride", "empty_row", "extent_padding", "horizontal_tree", "lanes", "nan", "operations", "output_rows", "range", "scale", "threading", "zero_sign"], found no 'unspecified'}}
contract.attention @unsaid
    {status = "observed", q_compute = "fp32", k_compute = "fp32", score_accumulator = "fp32",
     softmax_statistics = "fp32", value_compute = "fp32", value_accumulator = "fp32", partial_storage = "none",
     partial_merge = "none", partition = {kind = "single_range"}}

// -----

// and nothing but that.
// expected-error @+1 {{"threading", "zero_sign"], found ["nan"]}}
contract.attention @unsaid unspecified ["nan"]
    {status = "observed", q_compute = "fp32", k_compute = "fp32", score_accumulator = "fp32",
     softmax_statistics = "fp32", value_compute = "fp32", value_accumulator = "fp32", partial_storage = "none",
     partial_merge = "none", partition = {kind = "single_range"}}

// -----

// expected-error @+1 {{'contract.linear' op has a definition that breaks its schema: missing field `status` [CKE-C022]}}
contract.linear @missing {}

// -----

// expected-error @+1 {{'contract.kernel_map' op has a definition that breaks its schema: missing field `id` [CKE-C022]}}
contract.kernel_map @missing {}

// -----

// expected-error @+1 {{'contract.kernel_map' op is named 'one', but its definition has the id 'other'}}
contract.kernel_map @one {id = "other", op = "memcpy", impl = {function = "memcpy"}}

// -----

// A circuit is one of v8 unless its schema says that it is one of this project.
// expected-error @+1 {{'contract.circuit' op has a definition that breaks its schema: missing field `version` [CKE-C022]}}
contract.circuit @missing {}

// -----

// expected-error @+1 {{'contract.circuit' op has a definition that breaks its schema: missing field `schema_version` [CKE-C022]}}
contract.circuit @missing {schema = "cke.circuit"}

// -----

// expected-error @+1 {{'contract.manifest' op has a definition that breaks its schema: missing field `entries` [CKE-C022]}}
contract.manifest @missing {}

// -----

// expected-error @+1 {{'contract.bindings' op has a definition that breaks its schema: missing field `bindings` [CKE-C022]}}
contract.bindings @missing {}

// -----

// expected-error @+1 {{'contract.file' op has a definition that breaks its schema: missing field `schema` [CKE-C022]}}
contract.file @missing {}

// -----

// expected-error @+1 {{'contract.file' op has schema 'cke.circuit', which is none of a file of contracts}}
contract.file @kind {engine_contract_version = "8", schema = "cke.circuit", schema_version = 1}

// -----

// expected-error @+1 {{'contract.file' op holds 'contracts', which are operations of their own}}
contract.file @contracts {contracts = {}}

// -----

// expected-error @+1 {{'contract.manifest' op attribute 'source' must be a string, but got 1 : i64}}
"contract.manifest"() {sym_name = "x", source = 1, definition = {entries = []}} : () -> ()

// -----

// expected-error @+1 {{'contract.registry' op expected 1 region, but found 0}}
"contract.registry"() {sym_name = "x"} : () -> ()

// -----

// expected-error @+1 {{'contract.registry' op Operations with a 'SymbolTable' must have exactly one block}}
"contract.registry"() ({}) {sym_name = "x"} : () -> ()

// -----

// expected-error @+1 {{'contract.registry' op expects region #0 to have 0 or 1 blocks}}
contract.registry @blocks {
^one:
^two:
}

// -----

// A registry is a symbol table: an id has one definition.
contract.registry @ids {
  // expected-note @+1 {{see existing symbol definition here}}
  contract.ledger @same root "" entries {}
  // expected-error @+1 {{redefinition of symbol named 'same'}}
  contract.ledger @same root "" entries {}
}

// -----

%captured = arith.constant 1 : i32
// expected-note @+1 {{required by region isolation constraints}}
contract.registry @isolated {
  // expected-error @+1 {{'arith.addi' op using value defined outside the region}}
  arith.addi %captured, %captured : i32
}

// -----

// expected-error @+1 {{'contract.ledger' op requires attribute 'root'}}
"contract.ledger"() {sym_name = "x", entries = {}} : () -> ()

// -----

// expected-error @+1 {{'contract.ledger' op attribute 'root' must be a string, but got 1 : i64}}
"contract.ledger"() {sym_name = "x", root = 1, entries = {}} : () -> ()

// -----

// expected-error @+1 {{'contract.ledger' op attribute 'entries' must be a dictionary, but got []}}
"contract.ledger"() {sym_name = "x", root = "", entries = []} : () -> ()

// -----

// expected-error @+1 {{'contract.ledger' op visibility expected to be one of ["public", "private", "nested"], but got "own"}}
contract.ledger "own" @x root "" entries {}

// -----

%0 = arith.constant 1 : i32
// expected-error @+1 {{'contract.ledger' op expected 0 operands, but found 1}}
"contract.ledger"(%0) {sym_name = "x", root = "", entries = {}} : (i32) -> ()

// -----

// expected-error @+1 {{'contract.ledger' op expected 0 results, but found 1}}
%0 = "contract.ledger"() {sym_name = "x", root = "", entries = {}} : () -> i32

// -----

// expected-error @+1 {{for op contract.ledger: no attribute is named 'extra'}}
"contract.ledger"() <{sym_name = "x", root = "", entries = {}, extra = 2}> : () -> ()

// -----

// expected-error @+1 {{custom op 'contract.ledger' expected a symbol name, as in '@name'}}
contract.ledger root "" entries {}

// -----

// expected-error @+1 {{custom op 'contract.ledger' expected 'entries'}}
contract.ledger @x root "" {}

// -----

// The dialect knows all of its operations.
// expected-error @+1 {{unregistered operation 'contract.promise' found in dialect ('contract') that does not allow unknown operations}}
"contract.promise"() : () -> ()
