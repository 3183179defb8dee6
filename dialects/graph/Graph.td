// The graph dialect: a circuit on tensors. Names of operands, symbols and results are the port names of providers.
#ifndef CKE_GRAPH_TD
#define CKE_GRAPH_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let summary = "Circuits on tensors, each operation with the contract it requires";
  let description = [{
    A program is a `func.func` for each phase over `graph` operations. Weights and states are symbols of the module.
    Activations are tensors `[rows, width]`; a leading dynamic dimension is the number of rows of the call.

    An operation names its `instance`, the contract it `requires` and, after resolution, the decision under `resolved`.
    Operands, symbol attributes and results bear the port names of the kernel maps, so lowering needs no table.
  }];
  let cppNamespace = "::cke::graph";
}

class Graph_Op<string mnemonic, list<Trait> traits = []> : Op<Graph_Dialect, mnemonic, traits>;

def Graph_WeightOp : Graph_Op<"weight", [Symbol]> {
  let summary = "a constant tensor of the model";
  let description = [{
    `type` is the logical shape and the type it is computed in; `storage` is how the model stores it. A weight that
    no file holds has storage `generated` and says with `origin` which function makes it and from which parameters.

    ```mlir
    graph.weight @"blk.0.attn_q.weight" storage "q4_1" : tensor<576x576xf32>
    graph.weight @rope_table storage "generated" origin {base = 1.0e5 : f64, function = "rope_table_fp64_series",
        positions = 64 : i64, rotary_dim = 64 : i64} : tensor<64x32x2xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, StrAttr:$storage,
                       OptionalAttr<DictionaryAttr>:$origin, TypeAttr:$type);
  let assemblyFormat = [{
    ($sym_visibility^)? $sym_name `storage` $storage (`origin` $origin^)? attr-dict `:` $type
  }];
  let hasVerifier = 1;
}

def Graph_StateOp : Graph_Op<"state", [Symbol]> {
  let summary = "a tensor that lives across calls";
  let description = [{
    A cache of the session. Its extent is the capacity; how much of it is valid follows from the position of a call.

    ```mlir
    graph.state @"blk.0.k_cache" : tensor<3x2048x64xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility, TypeAttr:$type);
  let assemblyFormat = "($sym_visibility^)? $sym_name attr-dict `:` $type";
  let hasVerifier = 1;
}

// An operation under contract: `syntax` prints its own operands and attributes, the rest is the same for all.
class Graph_ContractOp<string mnemonic, dag inputs, dag outputs, string syntax, list<Trait> traits>
    : Graph_Op<mnemonic, traits> {
  let arguments = !con(inputs, (ins OptionalAttr<StrAttr>:$instance, OptionalAttr<DictionaryAttr>:$required_contract,
                                    OptionalAttr<DictionaryAttr>:$resolved_contract,
                                    OptionalAttr<DictionaryAttr>:$resolved_execution));
  let results = outputs;
  let assemblyFormat = syntax # [{
    (`instance` $instance^)? (`requires` $required_contract^)? (`resolved` $resolved_contract^)?
    (`executes` $resolved_execution^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// Reads constants only.
class Graph_PureOp<string mnemonic, dag inputs, dag outputs, string syntax, list<Trait> traits = []>
    : Graph_ContractOp<mnemonic, inputs, outputs, syntax, !listconcat([Pure], traits)>;

def Graph_EmbeddingOp : Graph_PureOp<"embedding",
    (ins 1DTensorOf<[I32]>:$tokens, FlatSymbolRefAttr:$table),
    (outs 2DTensorOf<[F32]>:$y),
    "$tokens `,` $table", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "rows of a table, one a token";
  let description = [{
    `y[r] = table[tokens[r]]`. The table is `[vocabulary, width]`.

    ```mlir
    %y = graph.embedding %tokens, @"token_embd.weight" : (tensor<?xi32>) -> tensor<?x576xf32>
    ```
  }];
}

def Graph_RmsnormOp : Graph_PureOp<"rmsnorm",
    (ins 2DTensorOf<[F32]>:$x, FlatSymbolRefAttr:$gamma, F32Attr:$eps),
    (outs 2DTensorOf<[F32]>:$y),
    "$x `,` $gamma `eps` $eps", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "root-mean-square normalisation of each row";
  let description = [{
    `y[r][i] = x[r][i] / sqrt(mean(x[r]^2) + eps) * gamma[i]`, in the order the contract fixes.

    ```mlir
    %y = graph.rmsnorm %x, @"output_norm.weight" eps 1.0e-5 : (tensor<?x576xf32>) -> tensor<?x576xf32>
    ```
  }];
}

def Graph_LinearOp : Graph_PureOp<"linear",
    (ins 2DTensorOf<[F32]>:$x, FlatSymbolRefAttr:$w),
    (outs 2DTensorOf<[F32]>:$y),
    "$x `,` $w", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a matrix product with a weight";
  let description = [{
    `y[r][n] = sum over k of x[r][k] * w[n][k]`. The weight is `[n, k]`.

    ```mlir
    %y = graph.linear %x, @"blk.0.attn_k.weight" : (tensor<?x576xf32>) -> tensor<?x192xf32>
    ```
  }];
}

def Graph_LogitsOp : Graph_PureOp<"logits",
    (ins 2DTensorOf<[F32]>:$x, FlatSymbolRefAttr:$w),
    (outs 2DTensorOf<[F32]>:$y),
    "$x `,` $w", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the scores of the last row over the vocabulary";
  let description = [{
    A linear operation that requests one output row: `y[0][n] = sum over k of x[rows-1][k] * w[n][k]`.

    ```mlir
    %y = graph.logits %x, @"token_embd.weight" : (tensor<?x576xf32>) -> tensor<1x49152xf32>
    ```
  }];
}

def Graph_RopeOp : Graph_PureOp<"rope",
    (ins 2DTensorOf<[F32]>:$x, Index:$position, FlatSymbolRefAttr:$table, StrAttr:$pairing, I64Attr:$heads),
    (outs 2DTensorOf<[F32]>:$y),
    "$x `at` $position `,` $table `pairing` $pairing `heads` $heads",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "rotary position embedding";
  let description = [{
    Turns pairs of elements of each head by the angle of the row's position (`position` + row). `pairing` is
    `pairwise_interleaved`, pairs (2i, 2i+1), or `split_half`, pairs (i, i + rotary/2). The table is
    `[positions, rotary/2, 2]` with cosine and sine; elements beyond the rotary width are copied.

    ```mlir
    %y = graph.rope %x at %position, @rope_table pairing "pairwise_interleaved" heads 9
        : (tensor<?x576xf32>, index) -> tensor<?x576xf32>
    ```
  }];
}

def Graph_KvAppendOp : Graph_ContractOp<"kv_append",
    (ins 2DTensorOf<[F32]>:$k, 2DTensorOf<[F32]>:$v, Index:$position, FlatSymbolRefAttr:$k_cache,
         FlatSymbolRefAttr:$v_cache),
    (outs),
    "$k `,` $v `at` $position `,` $k_cache `,` $v_cache",
    [MemoryEffects<[MemWrite]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "stores keys and values at a position of the caches";
  let description = [{
    Row r is stored at `position` + r. The caches are states `[kv_heads, capacity, head_dim]`.

    ```mlir
    graph.kv_append %k, %v at %position, @"blk.0.k_cache", @"blk.0.v_cache"
        : (tensor<?x192xf32>, tensor<?x192xf32>, index) -> ()
    ```
  }];
}

def Graph_AttentionOp : Graph_ContractOp<"attention",
    (ins 2DTensorOf<[F32]>:$q, Index:$position, FlatSymbolRefAttr:$k_cache, FlatSymbolRefAttr:$v_cache,
         I64Attr:$heads, F32Attr:$scale),
    (outs 2DTensorOf<[F32]>:$y),
    "$q `at` $position `,` $k_cache `,` $v_cache `heads` $heads `scale` $scale",
    [MemoryEffects<[MemRead]>, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "causal attention over the caches";
  let description = [{
    Row r attends to the positions 0 ..= `position` + r, which a `graph.kv_append` must have stored before. Heads of the
    query share the key heads in groups of `heads / kv_heads`.

    ```mlir
    %y = graph.attention %q at %position, @"blk.0.k_cache", @"blk.0.v_cache" heads 9 scale 0.125
        : (tensor<?x576xf32>, index) -> tensor<?x576xf32>
    ```
  }];
}

def Graph_SwigluOp : Graph_PureOp<"swiglu",
    (ins 2DTensorOf<[F32]>:$gate, 2DTensorOf<[F32]>:$up),
    (outs 2DTensorOf<[F32]>:$y),
    "$gate `,` $up"> {
  let summary = "the gated activation gate * sigmoid(gate) * up";
  let description = [{
    ```mlir
    %y = graph.swiglu %gate, %up : (tensor<?x1536xf32>, tensor<?x1536xf32>) -> tensor<?x1536xf32>
    ```
  }];
}

def Graph_ResidualAddOp : Graph_PureOp<"residual_add",
    (ins 2DTensorOf<[F32]>:$a, 2DTensorOf<[F32]>:$b),
    (outs 2DTensorOf<[F32]>:$y),
    "$a `,` $b"> {
  let summary = "the elementwise sum of two activations";
  let description = [{
    ```mlir
    %y = graph.residual_add %a, %b : (tensor<?x576xf32>, tensor<?x576xf32>) -> tensor<?x576xf32>
    ```
  }];
}

def Graph_ArgmaxOp : Graph_PureOp<"argmax",
    (ins 2DTensorOf<[F32]>:$x),
    (outs 1DTensorOf<[I32]>:$y),
    "$x"> {
  let summary = "the index of the greatest element of each row";
  let description = [{
    ```mlir
    %y = graph.argmax %x : (tensor<1x49152xf32>) -> tensor<1xi32>
    ```
  }];
}

#endif // CKE_GRAPH_TD
