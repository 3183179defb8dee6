// The contract dialect: numerical contracts, the providers that implement them, and the record of decisions.
#ifndef CKE_CONTRACT_TD
#define CKE_CONTRACT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"

def Contract_Dialect : Dialect {
  let name = "contract";
  let summary = "Numerical contracts, their providers, and the ledger of decisions";
  let description = [{
    A *contract* states the numerical meaning of an operation: storage and compute types, rounding points, the
    whole structure of its reductions, the treatment of NaN. A *provider* is an implementation that claims contracts.
    Both are symbols of a `contract.registry`, so a module is self-contained: what an operation requires and what was
    decided for it can be checked from the module alone.

    The attributes `required_contract`, `resolved_contract`, `resolved_execution` and `instance` of the operations of
    every level are builtin attributes: a tool that has never heard of this dialect keeps them.
  }];
  let cppNamespace = "::cke::contract";
}

class Contract_Op<string mnemonic, list<Trait> traits = []> : Op<Contract_Dialect, mnemonic, traits>;

def Contract_RegistryOp : Contract_Op<"registry",
    [Symbol, SymbolTable, IsolatedFromAbove, NoTerminator, SingleBlock]> {
  let summary = "a set of contracts and providers";
  let description = [{
    The definitions are fixed once an operation has been resolved against them: the ledger holds a digest over every
    definition that took part in a decision.

    ```mlir
    contract.registry @native {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = "($sym_visibility^)? $sym_name attr-dict-with-keyword $body";
}

def Contract_FileOp : Contract_Op<"file", [Symbol]> {
  let summary = "the envelope of a file of contracts";
  let description = [{
    `definition` holds the fields of a registry file apart from its contracts. The contracts that say `from` its name
    are those of the file, so that export can write it again.

    ```mlir
    contract.file @"attention_reductions.json" {engine_contract_version = "8", schema_version = 1 : i64}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       DictionaryAttr:$definition);
  let assemblyFormat = "($sym_visibility^)? $sym_name $definition attr-dict";
  let hasVerifier = 1;
}

// A contract. `from` is the file it was imported from, relative to the imported folder. `unspecified` lists what the
// definition leaves unsaid, all of it: production accepts no such contract.
class Contract_ContractOp<string mnemonic> : Contract_Op<mnemonic, [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<StrAttr>:$source, OptionalAttr<ArrayAttr>:$unspecified,
                       DictionaryAttr:$definition);
  let assemblyFormat = [{
    ($sym_visibility^)? $sym_name (`from` $source^)? (`unspecified` $unspecified^)? $definition attr-dict
  }];
  let hasVerifier = 1;
}

def Contract_ExecutionOp : Contract_ContractOp<"execution"> {
  let summary = "a numerical execution contract";
  let description = [{
    `definition` holds the fields of a `cke.numerical_execution_contracts` entry, one dictionary entry a JSON field.
    The verifier applies the registry's schema: an unknown field or a missing one is an error.

    ```mlir
    contract.execution @residual_add {compute = {accumulator = "fp32", input = "fp32", weight = "none"}}
    ```
  }];
}

def Contract_AttentionOp : Contract_ContractOp<"attention"> {
  let summary = "an attention reduction contract";
  let description = [{
    `definition` holds the fields of a `cke.attention_reduction_contracts` entry, one dictionary entry a JSON field.
    A definition without `semantics`, as v8 files have them, leaves things unsaid, and the operation lists them.

    ```mlir
    contract.attention @fp32_online from "attention_reductions.json" unspecified ["empty_row", "lanes", "nan"]
        {status = "observed", q_compute = "fp32", k_compute = "fp32"}
    ```
  }];
}

def Contract_LinearOp : Contract_ContractOp<"linear"> {
  let summary = "a quantized linear contract";
  let description = [{
    `definition` holds the fields of a `cke.quantized_linear_contracts` entry, one dictionary entry a JSON field.

    ```mlir
    contract.linear @q6_k_x_q8_k_fp32_block_order {status = "observed"}
    ```
  }];
}

// What is a file by itself. `from` is that file, relative to the imported folder.
class Contract_DocumentOp<string mnemonic> : Contract_Op<mnemonic, [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<StrAttr>:$source, DictionaryAttr:$definition);
  let assemblyFormat = "($sym_visibility^)? $sym_name (`from` $source^)? $definition attr-dict";
  let hasVerifier = 1;
}

def Contract_ProviderOp : Contract_DocumentOp<"provider"> {
  let summary = "an implementation that claims contracts";
  let description = [{
    `definition` holds the fields of a kernel map, one dictionary entry a JSON field: the operation it serves, its
    capabilities (contract, phases, function), its ports with layouts, and its call ABI.

    ```mlir
    contract.provider @cke_residual_add_fp32 {op = "residual_add", phases = ["prefill", "decode"]}
    ```
  }];
}

def Contract_KernelMapOp : Contract_DocumentOp<"kernel_map"> {
  let summary = "an implementation as a v8 kernel map describes it";
  let description = [{
    `definition` holds the fields of a v8 kernel map of either generation. A map without claims is ungoverned: no
    request is ever bound to it.

    ```mlir
    contract.kernel_map @rmsnorm_forward from "kernel_maps/rmsnorm_forward.json" {id = "rmsnorm_forward", op = "rmsnorm"}
    ```
  }];
}

def Contract_CircuitOp : Contract_DocumentOp<"circuit"> {
  let summary = "a model family";
  let description = [{
    `definition` holds the fields of a circuit: one of this project, whose `schema` says so, or one of v8. The graph of
    a model is made from it; it is no graph itself.

    ```mlir
    contract.circuit @llama from "circuits/llama.json" {name = "llama", version = 2 : i64}
    ```
  }];
}

def Contract_ManifestOp : Contract_DocumentOp<"manifest"> {
  let summary = "a v8 weight manifest";
  let description = [{
    `definition` holds the fields of a manifest: the tensors of a weight file and how each is stored.

    ```mlir
    contract.manifest @weights from "weights.json" {entries = []}
    ```
  }];
}

def Contract_BindingsOp : Contract_DocumentOp<"bindings"> {
  let summary = "a v8 table of calls";
  let description = [{
    `definition` holds the fields of a binding table: how functions were called before kernel maps said so themselves.

    ```mlir
    contract.bindings @kernel_bindings from "kernel_bindings.json" {bindings = {}}
    ```
  }];
}

def Contract_LedgerOp : Contract_Op<"ledger", [Symbol]> {
  let summary = "the record of every decision of a module";
  let description = [{
    `resolve-contracts` writes it once. `entries` maps an operation instance to the SHA-256 digest over the instance,
    its request, the contract's definition and the provider's definition; `root` is the digest over all entries.

    ```mlir
    contract.ledger @ledger root "sha256:0" entries {"decode/embedding" = "sha256:1"}
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, OptionalAttr<StrAttr>:$sym_visibility,
                       StrAttr:$root, DictionaryAttr:$entries);
  let assemblyFormat = [{
    ($sym_visibility^)? $sym_name `root` $root `entries` $entries attr-dict
  }];
}

#endif // CKE_CONTRACT_TD
