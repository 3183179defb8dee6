//! Words of v8 files that no contract uses.

use crate::registry::vocabulary::vocabulary;

vocabulary! {
    /// What the pieces of work of a provider may be.
    WorkPiece {
        Serial = "serial",
        IndependentRows = "independent_rows",
        IndependentColumns = "independent_columns",
        IndependentExperts = "independent_experts",
        IndependentHeads = "independent_heads",
        IndependentQueryBlocks = "independent_query_blocks",
        CooperativeKvGroups = "cooperative_kv_groups",
        KvChunksByWorkers = "kv_chunks_by_workers",
        OutputTiles = "output_tiles",
        SplitK = "split_k",
    }
}

vocabulary! {
    /// What runs the threads of a provider.
    PoolRuntime {
        Serial = "serial",
        CkThreadpool = "ck_threadpool",
        Openmp = "openmp",
        ExternalBlas = "external_blas",
    }
}

vocabulary! {
    /// How work reaches threads.
    PoolDispatch {
        Inline = "inline",
        CkThreadpoolDispatchN = "ck_threadpool_dispatch_n",
        CkThreadpoolParallelForN = "ck_threadpool_parallel_for_n",
        OpenmpParallelFor = "openmp_parallel_for",
        InternalThreaded = "internal_threaded",
    }
}

vocabulary! {
    /// How the rows of a prefill may be batched.
    PrefillBatching {
        FullSequence = "full_sequence",
        BatchAppend = "batch_append",
        SegmentedAppend = "segmented_append",
        UnifiedMixed = "unified_mixed",
    }
}

vocabulary! {
    /// In which order attention goes through scores.
    AttentionSchedule {
        StreamingOnline = "streaming_online",
        QueryTiledOnline = "query_tiled_online",
        FullMatrixCausal = "full_matrix_causal",
    }
}

vocabulary! {
    /// The type of a query, key or value tensor.
    TensorType {
        Fp32 = "fp32",
        Fp16 = "fp16",
        Bf16 = "bf16",
    }
}

vocabulary! {
    /// The order of heads and tokens in memory.
    TensorLayout {
        HeadMajor = "head_major",
        TokenMajor = "token_major",
    }
}

vocabulary! {
    /// What a provider does with the memory of a port.
    Access {
        Read = "read",
        Write = "write",
        ReadWrite = "read_write",
    }
}

vocabulary! {
    /// Whose memory a port is.
    StorageClass {
        Activation = "activation",
        State = "state",
        Runtime = "runtime",
        Scratch = "scratch",
    }
}

vocabulary! {
    /// How long scratch memory keeps its content.
    Lifetime {
        KernelCall = "kernel_call",
        ModelRuntime = "model_runtime",
    }
}

vocabulary! {
    /// What a provider's oracle is.
    OracleKind {
        ScalarContractOracle = "scalar_contract_oracle",
        LlamaRepackedGraphOracle = "llama_repacked_graph_oracle",
    }
}

vocabulary! {
    /// How the oracle is called for a call of the provider.
    OracleAdapter {
        Direct = "direct",
        PerActivationRow = "per_activation_row",
        PerActivationRowThenBias = "per_activation_row_then_bias",
    }
}

vocabulary! {
    /// How near a provider must come to its oracle.
    ComparisonRequirement {
        BitExact = "bit_exact",
        ContractTolerance = "contract_tolerance",
    }
}

vocabulary! {
    /// What chooses among query tilings.
    TilingSelection {
        TokenThreshold = "token_threshold",
    }
}

vocabulary! {
    /// What chooses among work partitions.
    RoutingSelection {
        ShapeThreshold = "shape_threshold",
        GeneratedRuntimeDispatch = "generated_runtime_dispatch",
        RuntimeShapeTopology = "runtime_shape_topology",
    }
}

vocabulary! {
    /// What a choice inside a provider does to the bits: nothing, or it would be no choice but another contract.
    NumericalEffect {
        None = "none",
    }
}

vocabulary! {
    /// Whether a runtime dispatch policy is used.
    PolicyStatus {
        Production = "production",
        Candidate = "candidate",
        ProductionWhenPrepared = "production_when_prepared",
    }
}

vocabulary! {
    /// What a runtime dispatch route turns on.
    RouteFlag {
        OutputTiles = "output_tiles",
        CompactM4 = "compact_m4",
        BatchedTail = "batched_tail",
    }
}

vocabulary! {
    /// The type of segment lengths.
    SegmentLengths {
        I32 = "i32",
    }
}

vocabulary! {
    /// What a segment starts anew.
    SegmentBoundary {
        RestartQueryTilePolicyAtEachSegment = "restart_query_tile_policy_at_each_segment",
    }
}

vocabulary! {
    /// A part of a block.
    Section {
        Header = "header",
        Body = "body",
        Branches = "branches",
        Footer = "footer",
    }
}

vocabulary! {
    /// Where a weight binding applies.
    BindingSection {
        Header = "header",
        Body = "body",
        Branch = "branch",
        Footer = "footer",
    }
}

vocabulary! {
    /// The operation of an attention requirement.
    AttentionOp {
        Attention = "attention",
        AttentionSliding = "attention_sliding",
    }
}

vocabulary! {
    /// An attention operation of a circuit.
    AttentionTemplateOp {
        Attn = "attn",
        AttnSliding = "attn_sliding",
        AttnSharedKv = "attn_shared_kv",
        AttnSlidingSharedKv = "attn_sliding_shared_kv",
    }
}

vocabulary! {
    /// The type a linear operation prefers for its activation.
    ActivationPreference {
        Fp32 = "fp32",
        Q8_0 = "q8_0",
        Q8K = "q8_k",
    }
}
