// The call dialect: kernels by symbol, arguments by offset, barriers in between.
#ifndef CKE_CALL_TD
#define CKE_CALL_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Call_Dialect : Dialect {
  let name = "call";
  let summary = "Calls of kernels with ordered arguments";
  let description = [{
    The last level before code: a program is a straight list of calls and barriers which every thread runs. An
    argument is an offset into the state block or a run-time extent. The symbol of a kernel ends with a digest of the
    contract, the provider and the shape it was made for.
  }];
  let cppNamespace = "::cke::call";
}

class Call_Op<string mnemonic, list<Trait> traits = []> : Op<Call_Dialect, mnemonic, traits>;

def Call_ProgramOp : Call_Op<"program", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "an entry point: calls and barriers in order";
  let description = [{
    ```mlir
    call.program @decode phase "decode" {
      call.barrier
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrAttr:$phase);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = "($sym_visibility^)? $sym_name `phase` $phase attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Call_InvokeOp : Call_Op<"invoke",
    [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a kernel";
  let description = [{
    `args` is the call ABI in order, each with its `source` and, for a buffer, its `offset` in the state block and its
    `layout`.

    ```mlir
    call.invoke @cke_residual_add_fp32.decode.dim576.00000000 op "residual_add"
        args [{layout = "row_major", offset = 0 : i64, source = "activation:a"}, {source = "runtime:rows"} ]
        shape {dim = 576 : i64} instance "decode/blk.0/attn_residual"
        requires {contract = @native::@residual_add_fp32} resolved {provider = @native::@cke_residual_add_fp32}
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, StrAttr:$op, ArrayAttr:$args, DictionaryAttr:$shape,
                       OptionalAttr<DictionaryAttr>:$params, StrAttr:$instance, DictionaryAttr:$required_contract,
                       DictionaryAttr:$resolved_contract, OptionalAttr<DictionaryAttr>:$resolved_execution);
  let assemblyFormat = [{
    $kernel `op` $op `args` $args `shape` $shape (`params` $params^)? `instance` $instance
    `requires` $required_contract `resolved` $resolved_contract (`executes` $resolved_execution^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Call_BarrierOp : Call_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until every thread of the program has come here";
  let description = [{
    ```mlir
    call.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // CKE_CALL_TD
