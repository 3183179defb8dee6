// The lowered dialect: the same operations on buffers of one state block.
#ifndef CKE_LOWERED_TD
#define CKE_LOWERED_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Lowered_Dialect : Dialect {
  let name = "lowered";
  let summary = "Resolved operations on buffers of one relocatable state block";
  let description = [{
    Lowering to this level adds layouts, buffers, scratch and, by `plan-memory`, offsets. It may not change a decision:
    every `lowered.invoke` carries the request and the resolution of the operation it came from.
  }];
  let cppNamespace = "::cke::lowered";
}

class Lowered_Op<string mnemonic, list<Trait> traits = []> : Op<Lowered_Dialect, mnemonic, traits>;

def Lowered_GlobalOp : Lowered_Op<"global", [Symbol]> {
  let summary = "a buffer that lives as long as the session";
  let description = [{
    `kind` is `weight` (prepared once from what the model stores), `state` (a cache) or `io` (tokens, logits). `layout`
    is how the logical shape lies in memory. `plan-memory` adds the offset in bytes from the start of the state block.

    ```mlir
    lowered.global @"blk.0.attn_q.weight" kind "weight" layout "panels_n32" storage "q4_1"
        preparation "expand_fp32_panels_n32" : memref<576x576xf32>
    lowered.global @"blk.0.k_cache" kind "state" layout "k_blocks_t16" at 4096 : memref<3x2048x64xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrAttr:$kind, StrAttr:$layout,
                       OptionalAttr<StrAttr>:$storage, OptionalAttr<StrAttr>:$preparation,
                       OptionalAttr<DictionaryAttr>:$origin, OptionalAttr<I64Attr>:$offset, TypeAttr:$type);
  let assemblyFormat = [{
    ($sym_visibility^)? $sym_name `kind` $kind `layout` $layout (`storage` $storage^)? (`preparation` $preparation^)?
    (`origin` $origin^)? (`at` $offset^)? attr-dict `:` $type
  }];
  let hasVerifier = 1;
}

def Lowered_PlanOp : Lowered_Op<"plan", [Symbol]> {
  let summary = "the extent of the state block and the limits it was planned for";
  let description = [{
    ```mlir
    lowered.plan @plan max_rows 64 capacity 2048 max_threads 64
    lowered.plan @plan max_rows 64 capacity 2048 max_threads 64 bytes 1048576
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, I64Attr:$max_rows,
                       I64Attr:$capacity, I64Attr:$max_threads, OptionalAttr<I64Attr>:$bytes);
  let assemblyFormat = [{
    ($sym_visibility^)? $sym_name `max_rows` $max_rows `capacity` $capacity `max_threads` $max_threads
    (`bytes` $bytes^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Lowered_ProgramOp : Lowered_Op<"program", [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator]> {
  let summary = "a straight list of invocations for one phase";
  let description = [{
    ```mlir
    lowered.program @decode phase "decode" {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrAttr:$phase);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = "($sym_visibility^)? $sym_name `phase` $phase attr-dict-with-keyword $body";
  let hasVerifier = 1;
}

def Lowered_BufferOp : Lowered_Op<"buffer", [MemoryEffects<[MemAlloc]>]> {
  let summary = "a buffer that lives within one call of the program";
  let description = [{
    An activation, or scratch of one invocation. A leading dynamic dimension takes the rows of the call; the planner
    reserves `max_rows` of them. Scratch has no rows: its type is the whole extent.

    ```mlir
    %x = lowered.buffer "embedding" : memref<?x576xf32>
    %y = lowered.buffer "blk.0.attn_norm" at 8192 : memref<?x576xf32>
    ```
  }];
  let arguments = (ins StrAttr:$label, OptionalAttr<I64Attr>:$offset);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "$label (`at` $offset^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Lowered_GetOp : Lowered_Op<"get", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a global buffer";
  let description = [{
    ```mlir
    %w = lowered.get @"blk.0.attn_q.weight" : memref<576x576xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$global);
  let results = (outs AnyMemRef:$buffer);
  let assemblyFormat = "$global attr-dict `:` type($buffer)";
}

def Lowered_InvokeOp : Lowered_Op<"invoke",
    [MemoryEffects<[MemRead, MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one resolved operation on buffers";
  let description = [{
    `sources` is the provider's call ABI in order: `activation:`, `weight:`, `state:`, `output:` and `scratch:` take
    the next buffer, `runtime:rows` and `runtime:position` take none. `shape` and `params` are what the kernel is made
    for.

    ```mlir
    lowered.invoke "residual_add"(%a, %b, %y) sources ["activation:a", "activation:b", "output:y", "runtime:rows"]
        shape {dim = 576 : i64} instance "decode/blk.0/attn_residual"
        requires {contract = @native::@residual_add_fp32} resolved {provider = @native::@cke_residual_add_fp32}
        : memref<?x576xf32>, memref<?x576xf32>, memref<?x576xf32>
    ```
  }];
  let arguments = (ins StrAttr:$op, Variadic<AnyMemRef>:$buffers, ArrayAttr:$sources, DictionaryAttr:$shape,
                       OptionalAttr<DictionaryAttr>:$params, StrAttr:$instance, DictionaryAttr:$required_contract,
                       DictionaryAttr:$resolved_contract, OptionalAttr<DictionaryAttr>:$resolved_execution);
  let assemblyFormat = [{
    $op `(` $buffers `)` `sources` $sources `shape` $shape (`params` $params^)? `instance` $instance
    `requires` $required_contract `resolved` $resolved_contract (`executes` $resolved_execution^)?
    attr-dict `:` type($buffers)
  }];
  let hasVerifier = 1;
}

#endif // CKE_LOWERED_TD
