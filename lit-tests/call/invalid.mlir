// Every rule of the dialect's verifiers, one case each, except for those on decisions (invalid-decision.mlir).
// RUN: cke-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'call.program' op expected the phase prefill or decode, found "training"}}
call.program @phase phase "training" {
}

// -----

// expected-error @+1 {{'call.program' op requires attribute 'phase'}}
"call.program"() ({
^body:
}) {sym_name = "x"} : () -> ()

// -----

// expected-error @+1 {{'call.program' op expected a block without arguments, found 1}}
call.program @arguments phase "decode" {
^body(%x: memref<1xf32>):
}

// -----

// expected-error @+1 {{'call.program' op expects region #0 to have 0 or 1 blocks}}
call.program @blocks phase "decode" {
^one:
^two:
}

// -----

// Whatever else stood in a program would not be carried out.
// expected-error @+1 {{'call.program' op holds a 'arith.constant', expected only call.invoke, call.barrier}}
call.program @foreign phase "decode" {
  %0 = arith.constant 1 : i32
}

// -----

// expected-error @+1 {{'call.barrier' op expected 0 results, but found 1}}
%0 = "call.barrier"() : () -> i32

// -----

// expected-error @+1 {{'call.barrier' op expected 0 regions, but found 1}}
"call.barrier"() ({}) : () -> ()

// -----

// An argument: a buffer with offset and layout, or an extent of the call with neither.
// expected-error @+1 {{'call.invoke' op has the argument {layout = "row_major", offset = 0 : i64}, which has no source}}
call.invoke @f.0 op "argmax" args [{layout = "row_major", offset = 0}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{'call.invoke' op has the argument "activation:x", which has no source}}
call.invoke @f.0 op "argmax" args ["activation:x"] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has an unknown source}}
call.invoke @f.0 op "argmax" args [{source = "register:x"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has an unknown source}}
call.invoke @f.0 op "argmax" args [{source = "runtime:time"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has an offset or layout, but is a run-time extent}}
call.invoke @f.0 op "argmax" args [{offset = 0, source = "runtime:rows"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has an offset or layout, but is a run-time extent}}
call.invoke @f.0 op "argmax" args [{layout = "row_major", source = "runtime:position"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has no offset that is a multiple of 64}}
call.invoke @f.0 op "argmax" args [{layout = "row_major", source = "activation:x"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has no offset that is a multiple of 64}}
call.invoke @f.0 op "argmax" args [{layout = "row_major", offset = 4, source = "weight:w"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has no offset that is a multiple of 64}}
call.invoke @f.0 op "argmax" args [{layout = "row_major", offset = -64, source = "output:y"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{which has an unknown layout 'diagonal', expected one of: row_major, panels_n32, k_blocks_t16, head_major}}
call.invoke @f.0 op "argmax" args [{layout = "diagonal", offset = 0, source = "state:s"}] shape {} instance "i"
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{'call.invoke' op carries 'required_contract' but no 'instance' that names it}}
call.invoke @f.0 op "argmax" args [] shape {} instance ""
    requires {contract = @native::@c, operation = "o", phase = "decode"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{'call.invoke' op expected 'required_contract' to hold a string under 'phase', found nothing}}
call.invoke @f.0 op "argmax" args [] shape {} instance "i" requires {contract = @native::@c, operation = "o"}
    resolved {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}

// -----

// expected-error @+1 {{'call.invoke' op requires attribute 'resolved_contract'}}
"call.invoke"() {kernel = @f.0, op = "argmax", args = [], shape = {}, instance = "i",
    required_contract = {contract = @native::@c, operation = "o", phase = "decode"}} : () -> ()

// -----

// expected-error @+1 {{'call.invoke' op attribute 'args' must be an array, but got {}}}
"call.invoke"() {kernel = @f.0, op = "argmax", args = {}, shape = {}, instance = "i",
    required_contract = {contract = @native::@c, operation = "o", phase = "decode"},
    resolved_contract = {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}} : () -> ()

// -----

// expected-error @+1 {{'call.invoke' op attribute 'kernel' must be a flat symbol reference, but got @a::@b}}
"call.invoke"() {kernel = @a::@b, op = "argmax", args = [], shape = {}, instance = "i",
    required_contract = {contract = @native::@c, operation = "o", phase = "decode"},
    resolved_contract = {contract = @native::@c, digest = "d", function = "f", provider = @native::@p}} : () -> ()
