// Every rule of the dialect's verifiers, one case each, except for those on decisions (invalid-decision.mlir).
// RUN: cke-opt %s --split-input-file --verify-diagnostics

// Globals: all extents are known, except for the rows of an io buffer.
// expected-error @+1 {{'lowered.global' op expected a memref of fixed, positive extents, found memref<?x32xf32>}}
lowered.global @dynamic kind "state" layout "row_major" : memref<?x32xf32>

// -----

// expected-error @+1 {{'lowered.global' op expected a memref of fixed, positive extents, found memref<1x?xf32>}}
lowered.global @inner_dynamic kind "io" layout "row_major" : memref<1x?xf32>

// -----

// expected-error @+1 {{'lowered.global' op expected a memref of fixed, positive extents, found memref<0xf32>}}
lowered.global @empty kind "io" layout "row_major" : memref<0xf32>

// -----

// expected-error @+1 {{'lowered.global' op expected a memref of fixed, positive extents, found memref<f32>}}
lowered.global @scalar kind "io" layout "row_major" : memref<f32>

// -----

// expected-error @+1 {{'lowered.global' op expected a memref of fixed, positive extents, found memref<*xf32>}}
lowered.global @unranked kind "io" layout "row_major" : memref<*xf32>

// -----

// expected-error @+1 {{'lowered.global' op expected a memref of fixed, positive extents, found tensor<32xf32>}}
lowered.global @tensor kind "io" layout "row_major" : tensor<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op has an unknown layout: unknown layout 'diagonal', expected one of: row_major, panels_n32, k_blocks_t16, head_major}}
lowered.global @layout kind "io" layout "diagonal" : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op has a layout of another rank: layout k_blocks_t16 takes 3 dimensions, found 1}}
lowered.global @rank kind "state" layout "k_blocks_t16" : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op expected the kind weight, state or io, found "cache"}}
lowered.global @kind kind "cache" layout "row_major" : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op is a weight without 'storage' and 'preparation'}}
lowered.global @weight kind "weight" layout "row_major" storage "f32" : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op is a weight without 'storage' and 'preparation'}}
lowered.global @weight kind "weight" layout "row_major" preparation "expand_fp32" : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op has a 'preparation', which only a weight takes}}
lowered.global @state kind "state" layout "row_major" storage "f32" preparation "expand_fp32" : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op expected an offset that is a multiple of 64, found 32}}
lowered.global @unaligned kind "io" layout "row_major" at 32 : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op expected an offset that is a multiple of 64, found -64}}
lowered.global @negative kind "io" layout "row_major" at -64 : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.global' op attribute 'offset' must be an i64, but got 64 : i32}}
"lowered.global"() {sym_name = "x", kind = "io", layout = "row_major", offset = 64 : i32, type = memref<32xf32>}
    : () -> ()

// -----

// expected-error @+1 {{'lowered.global' op requires attribute 'kind'}}
"lowered.global"() {sym_name = "x", layout = "row_major", type = memref<32xf32>} : () -> ()

// -----

// The plan: limits that an address can be computed from.
// expected-error @+1 {{'lowered.plan' op expected 'max_rows' to be 1 to 2147483647, found 0}}
lowered.plan @plan max_rows 0 capacity 48 max_threads 8

// -----

// expected-error @+1 {{'lowered.plan' op expected 'capacity' to be 1 to 2147483647, found 2147483648}}
lowered.plan @plan max_rows 64 capacity 2147483648 max_threads 8

// -----

// expected-error @+1 {{'lowered.plan' op expected 'max_threads' to be 1 to 2147483647, found -1}}
lowered.plan @plan max_rows 64 capacity 48 max_threads -1

// -----

// expected-error @+1 {{'lowered.plan' op requires attribute 'max_threads'}}
"lowered.plan"() {sym_name = "plan", max_rows = 64, capacity = 48} : () -> ()

// -----

// Programs.
// expected-error @+1 {{'lowered.program' op expected the phase prefill or decode, found "training"}}
lowered.program @phase phase "training" {
}

// -----

// expected-error @+1 {{'lowered.program' op expected 1 region, but found 0}}
"lowered.program"() {sym_name = "x", phase = "decode"} : () -> ()

// -----

// expected-error @+1 {{'lowered.program' op expected a block without arguments, found 1}}
lowered.program @arguments phase "decode" {
^body(%x: memref<1xf32>):
}

// -----

// expected-error @+1 {{'lowered.program' op expects region #0 to have 0 or 1 blocks}}
lowered.program @blocks phase "decode" {
^one:
^two:
}

// -----

%0 = lowered.buffer "outside" : memref<32xf32>
// expected-note @+1 {{required by region isolation constraints}}
lowered.program @isolated phase "decode" {
  // expected-error @+1 {{'lowered.invoke' op using value defined outside the region}}
  lowered.invoke "argmax"(%0) sources ["activation:x"] shape {} instance "i"
      requires {contract = @native::@c, operation = "o", phase = "decode"}
      resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p} : memref<32xf32>
}

// -----

// Whatever else stood in a program would not be carried out.
// expected-error @+1 {{'lowered.program' op holds a 'arith.constant', expected only lowered.get, lowered.buffer, lowered.invoke}}
lowered.program @foreign phase "decode" {
  %0 = arith.constant 1 : i32
}

// -----

// Buffers: only the rows are dynamic.
// expected-error @+1 {{'lowered.buffer' op expected positive extents of which only the first may be dynamic, found memref<?x?xf32>}}
%0 = lowered.buffer "x" : memref<?x?xf32>

// -----

// expected-error @+1 {{'lowered.buffer' op expected positive extents of which only the first may be dynamic, found memref<?x0xf32>}}
%0 = lowered.buffer "x" : memref<?x0xf32>

// -----

// expected-error @+1 {{'lowered.buffer' op expected positive extents of which only the first may be dynamic, found memref<f32>}}
%0 = lowered.buffer "x" : memref<f32>

// -----

// expected-error @+1 {{'lowered.buffer' op expected a ranked memref, found memref<*xf32>}}
%0 = lowered.buffer "x" : memref<*xf32>

// -----

// expected-error @+1 {{'lowered.buffer' op expected an offset that is a multiple of 64, found 8}}
%0 = lowered.buffer "x" at 8 : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.buffer' op result #0 ('buffer') must be memref of any type values, but got 'tensor<32xf32>'}}
%0 = lowered.buffer "x" : tensor<32xf32>

// -----

// expected-error @+1 {{'lowered.buffer' op attribute 'label' must be a string, but got 1 : i64}}
%0 = "lowered.buffer"() {label = 1} : () -> memref<32xf32>

// -----

// Uses of globals.
// expected-error @+1 {{'lowered.get' op refers to the unknown lowered.global @x}}
%0 = lowered.get @x : memref<32xf32>

// -----

lowered.plan @x max_rows 64 capacity 48 max_threads 8
// expected-error @+1 {{'lowered.get' op refers to the unknown lowered.global @x}}
%0 = lowered.get @x : memref<32xf32>

// -----

lowered.global @x kind "io" layout "row_major" : memref<32xf32>
// expected-error @+1 {{'lowered.get' op expected the type memref<32xf32> of @x, found memref<64xf32>}}
%0 = lowered.get @x : memref<64xf32>

// -----

// Invocations: a buffer for each source that names one.
%0 = lowered.buffer "x" : memref<32xf32>
// expected-error @+1 {{'lowered.invoke' op expected 2 buffers for its sources, found 1}}
lowered.invoke "argmax"(%0) sources ["activation:x", "output:y"] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p} : memref<32xf32>

// -----

%0 = lowered.buffer "x" : memref<32xf32>
// expected-error @+1 {{'lowered.invoke' op expected 0 buffers for its sources, found 1}}
lowered.invoke "argmax"(%0) sources ["runtime:rows", "runtime:position"] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p} : memref<32xf32>

// -----

// expected-error @+1 {{'lowered.invoke' op has an unknown source "runtime:time"}}
lowered.invoke "argmax"() sources ["runtime:time"] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p} :

// -----

// expected-error @+1 {{'lowered.invoke' op has an unknown source "x"}}
lowered.invoke "argmax"() sources ["x"] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p} :

// -----

// expected-error @+1 {{'lowered.invoke' op has an unknown source 1 : i64}}
lowered.invoke "argmax"() sources [1] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p} :

// -----

// expected-error @+1 {{'lowered.invoke' op carries 'required_contract' but no 'instance' that names it}}
lowered.invoke "argmax"() sources [] shape {} instance ""
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p} :

// -----

// expected-error @+1 {{'lowered.invoke' op expected 'resolved_contract' to hold a string under 'digest', found nothing}}
lowered.invoke "argmax"() sources [] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, function = "f", provider = @native::@p} :

// -----

// At this level no operation is without a decision, nor without a request.
// expected-error @+1 {{'lowered.invoke' op requires attribute 'resolved_contract'}}
"lowered.invoke"() {op = "argmax", sources = [], shape = {}, instance = "i",
    required_contract = {contract = @native::@c, operation = "o", phase = "decode"}} : () -> ()

// -----

// expected-error @+1 {{'lowered.invoke' op requires attribute 'required_contract'}}
"lowered.invoke"() {op = "argmax", sources = [], shape = {}, instance = "i",
    resolved_contract = {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}} : () -> ()

// -----

%0 = arith.constant 1 : i64
// expected-error @+1 {{'lowered.invoke' op operand #0 ('buffers') must be memref of any type values, but got 'i64'}}
"lowered.invoke"(%0) {op = "argmax", sources = ["activation:x"], shape = {}, instance = "i",
    required_contract = {contract = @native::@c, operation = "o", phase = "decode"},
    resolved_contract = {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}} : (i64) -> ()
