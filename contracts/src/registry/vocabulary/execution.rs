//! Words of numerical execution contracts.

use super::vocabulary;

vocabulary! {
    /// The family of operations a contract governs.
    OperatorFamily {
        Gemm = "gemm",
        SpatialPositionInterpolation = "spatial_position_interpolation",
        VisionMrope = "vision_mrope",
        TextMrope = "text_mrope",
        Layernorm = "layernorm",
        Rmsnorm = "rmsnorm",
        RecurrentDtGate = "recurrent_dt_gate",
        RecurrentQkL2Norm = "recurrent_qk_l2_norm",
        SsmConv1d = "ssm_conv1d",
        RecurrentSilu = "recurrent_silu",
        RecurrentNormGate = "recurrent_norm_gate",
        GatedDeltanet = "gated_deltanet",
        Attention = "attention",
        AttentionGate = "attention_gate",
        FinalLogitScale = "final_logit_scale",
        AudioHannWindow = "audio_hann_window",
        AudioFeatureNormalize = "audio_feature_normalize",
        AudioLogMel = "audio_log_mel",
        AudioFeatureWindow = "audio_feature_window",
        AudioMelFilters = "audio_mel_filters",
        AudioPadOrTruncate = "audio_pad_or_truncate",
        AudioPcmDecode = "audio_pcm_decode",
        AudioPreemphasis = "audio_preemphasis",
        AudioResample = "audio_resample",
        AudioStft = "audio_stft",
        AudioStftTables = "audio_stft_tables",
        AudioWavDecode = "audio_wav_decode",
        AudioConv1d = "audio_conv1d",
        AudioConv2d = "audio_conv2d",
        AudioFastconformerSubsampling = "audio_fastconformer_subsampling",
        AudioFastconformerBlock = "audio_fastconformer_block",
        AudioGlu = "audio_glu",
        AudioRelativeShift = "audio_relative_shift",
        AudioRelativePosition = "audio_relative_position",
        AudioBatchNorm = "audio_batch_norm",
        AudioLstm = "audio_lstm",
        AudioRelativeAttention = "audio_relative_attention",
        AudioScaledResidualAdd = "audio_scaled_residual_add",
        AudioRelu = "audio_relu",
        AudioArgmax = "audio_argmax",
        LayoutTransform = "layout_transform",
        MultimodalPositionBuilder = "multimodal_position_builder",
        MultimodalPrefixInsert = "multimodal_prefix_insert",
        HyperStreamExpand = "hyper_stream_expand",
        HyperStreamInject = "hyper_stream_inject",
        PleGateConvInject = "ple_gate_conv_inject",
        PositionEmbeddings = "position_embeddings",
        ResidualAdd = "residual_add",
        Gelu = "gelu",
        Swiglu = "swiglu",
        MoeSwigluExpert = "moe_swiglu_expert",
        MoeRouter = "moe_router",
        MoeSharedSwiglu = "moe_shared_swiglu",
        FarskipSharedSwiglu = "farskip_shared_swiglu",
        MlaKvDecompress = "mla_kv_decompress",
        PartialRopeConcat = "partial_rope_concat",
        YarnRopeInit = "yarn_rope_init",
        // Ours.
        Embedding = "embedding",
        Rope = "rope",
        KvAppend = "kv_append",
        Argmax = "argmax",
    }
}

vocabulary! {
    /// How the input of an operation is stored.
    InputStorage {
        None = "none",
        Fp32 = "fp32",
        Fp64 = "fp64",
        Fp16 = "fp16",
        Bf16 = "bf16",
        Q8_0 = "q8_0",
        Q8K = "q8_k",
        Uint8 = "uint8",
        Int16 = "int16",
        Int32 = "int32",
    }
}

vocabulary! {
    /// How the weight of an operation is stored at the time of the call, after any weight preparation.
    WeightStorage {
        None = "none",
        Fp32 = "fp32",
        Fp16 = "fp16",
        Bf16 = "bf16",
        Q4K = "q4_k",
        Q4KQ5K = "q4_k_q5_k",
        Q4KQ6K = "q4_k_q6_k",
        Q5_1 = "q5_1",
        Q5K = "q5_k",
        Q6K = "q6_k",
        Q8_0 = "q8_0",
        Nvfp4 = "nvfp4",
    }
}

vocabulary! {
    /// How the output of an operation is stored.
    OutputStorage {
        Fp32 = "fp32",
        Fp64 = "fp64",
        Fp16 = "fp16",
        Bf16 = "bf16",
        Q8_0 = "q8_0",
        Q8K = "q8_k",
        Int32 = "int32",
    }
}

vocabulary! {
    /// The type an input has when it enters the arithmetic.
    ComputeInput {
        Fp32 = "fp32",
        Fp64 = "fp64",
        Fp16 = "fp16",
        Fp16Rne = "fp16_rne",
        Bf16 = "bf16",
        Bf16Rne = "bf16_rne",
        Int8 = "int8",
        Int16 = "int16",
        Int32 = "int32",
    }
}

vocabulary! {
    /// The type a weight has when it enters the arithmetic.
    ComputeWeight {
        None = "none",
        Fp32 = "fp32",
        Fp16 = "fp16",
        Bf16 = "bf16",
        Int4 = "int4",
        Int4Int5 = "int4_int5",
        Int4Int6 = "int4_int6",
        Int5 = "int5",
        Int6 = "int6",
        Int8 = "int8",
        E2m1 = "e2m1",
    }
}

vocabulary! {
    /// The type of the accumulator.
    Accumulator {
        Fp32 = "fp32",
        Fp64 = "fp64",
        Fp16 = "fp16",
        Bf16 = "bf16",
        Int32 = "int32",
    }
}

vocabulary! {
    /// Whether a product and the sum it enters are one rounding (fma).
    Contraction {
        Enabled = "enabled",
        Disabled = "disabled",
    }
}

vocabulary! {
    /// How values are rounded.
    RoundingMode {
        None = "none",
        Rne = "rne",
        Truncate = "truncate",
    }
}

vocabulary! {
    /// A place where a value is rounded.
    RoundingPoint {
        InputLoad = "input_load",
        WeightedProduct = "weighted_product",
        ReductionUpdate = "reduction_update",
        PartialStore = "partial_store",
        ActivationIntermediateStore = "activation_intermediate_store",
        ActivationIntermediateLoad = "activation_intermediate_load",
        SoftmaxProbabilityStore = "softmax_probability_store",
        PartialMerge = "partial_merge",
        OutputStore = "output_store",
        SquareProduct = "square_product",
        ReductionFinalize = "reduction_finalize",
        NormSqrt = "norm_sqrt",
        DenominatorMax = "denominator_max",
        Reciprocal = "reciprocal",
        ReciprocalSqrt = "reciprocal_sqrt",
        NormalizationScale = "normalization_scale",
        WeightScale = "weight_scale",
        VectorExponential = "vector_exponential",
        DenominatorAdd = "denominator_add",
        OutputDivide = "output_divide",
        WindowMultiply = "window_multiply",
        FftProjection = "fft_projection",
        PowerSum = "power_sum",
        MelProjection = "mel_projection",
        Logarithm = "logarithm",
        DynamicRangeClamp = "dynamic_range_clamp",
        AffineNormalization = "affine_normalization",
        // Ours.
        PartnerProduct = "partner_product",
        RotationUpdate = "rotation_update",
    }
}

vocabulary! {
    /// What kind of reduction an operation makes.
    ReductionKind {
        None = "none",
        DotProduct = "dot_product",
        Sum = "sum",
        OnlineSoftmax = "online_softmax",
        TiledOnlineSoftmax = "tiled_online_softmax",
        Normalization = "normalization",
        Argmax = "argmax",
        Composite = "composite",
    }
}

vocabulary! {
    /// The order in which elements enter a reduction.
    ReductionOrder {
        None = "none",
        AscendingK = "ascending_k",
        AscendingIndex = "ascending_index",
        LeftToRight = "left_to_right",
        PairwiseTree = "pairwise_tree",
        HierarchicalCascade = "hierarchical_cascade",
        ContractDefinedChunks = "contract_defined_chunks",
        StageOrdered = "stage_ordered",
        // Ours.
        ///
        /// Ascending within each of the lanes of `semantics.reduction.lanes`.
        ContractDefinedLanes = "contract_defined_lanes",
    }
}

vocabulary! {
    /// The type of a partial result.
    PartialAccumulator {
        None = "none",
        Fp32 = "fp32",
        Fp64 = "fp64",
        Fp16 = "fp16",
        Bf16 = "bf16",
        Int32 = "int32",
    }
}

vocabulary! {
    /// How partial results are merged.
    MergeOrder {
        None = "none",
        AscendingChunk = "ascending_chunk",
        PairwiseTree = "pairwise_tree",
        HierarchicalCascade = "hierarchical_cascade",
        ImplementationDefined = "implementation_defined",
        SelectedSlotOrder = "selected_slot_order",
        FirstIndexOnTie = "first_index_on_tie",
        // Ours.
        ///
        /// By the strides of `semantics.reduction.horizontal_tree`.
        HorizontalTree = "horizontal_tree",
    }
}

vocabulary! {
    /// How the work of an operation is cut.
    WorkPartition {
        Serial = "serial",
        IndependentRows = "independent_rows",
        IndependentColumns = "independent_columns",
        IndependentHeads = "independent_heads",
        IndependentQueryBlocks = "independent_query_blocks",
        KvChunksByWorkers = "kv_chunks_by_workers",
        OutputTiles = "output_tiles",
        SplitK = "split_k",
        IndependentExperts = "independent_experts",
        CooperativeKvGroups = "cooperative_kv_groups",
    }
}

vocabulary! {
    /// Whether a cut goes through a reduction.
    SplitStrategy {
        Serial = "serial",
        IndependentOutputs = "independent_outputs",
        SplitK = "split_k",
        SplitKv = "split_kv",
    }
}

vocabulary! {
    /// Where the positions of a transform come from.
    PositionSource {
        ScalarOffset = "scalar_offset",
        ContiguousZeroBasedPositions = "contiguous_zero_based_positions",
        ExplicitI32AxisStreams = "explicit_i32_axis_streams",
        ExplicitI32Positions = "explicit_i32_positions",
    }
}

vocabulary! {
    /// Which elements of a head form a rotated pair.
    Pairing {
        SplitHalf = "split_half",
        PairwiseInterleaved = "pairwise_interleaved",
        MultiSection = "multi_section",
    }
}

vocabulary! {
    /// What the sections of a rotation mean.
    SectionInterpretation {
        NotApplicable = "not_applicable",
        AxisSelection = "axis_selection",
        InterleavedAxisSelection = "interleaved_axis_selection",
        ContiguousWidths = "contiguous_widths",
    }
}

vocabulary! {
    /// The type frequencies are computed in.
    FrequencyCompute {
        Fp32 = "fp32",
        Fp64 = "fp64",
    }
}

vocabulary! {
    /// The type of the products of a rotation.
    IntermediateCompute {
        Fp32 = "fp32",
        Fp16 = "fp16",
        Bf16 = "bf16",
    }
}

vocabulary! {
    /// How a position transform is cut.
    PositionThreading {
        Serial = "serial",
        IndependentHeads = "independent_heads",
        IndependentTokens = "independent_tokens",
    }
}

vocabulary! {
    /// How a grid is interpolated.
    Interpolation {
        Bilinear = "bilinear",
    }
}

vocabulary! {
    /// How grid coordinates are mapped.
    CoordinateTransform {
        AlignCorners = "align_corners",
        HalfPixel = "half_pixel",
    }
}

vocabulary! {
    /// How grid coordinates are computed.
    CoordinateCompute {
        Fp32FromRational = "fp32_from_rational",
    }
}

vocabulary! {
    /// The order of a source grid.
    SourceLayout {
        RowMajor = "row_major",
    }
}

vocabulary! {
    /// The order in which outputs of a grid are visited.
    OutputTraversal {
        RowMajor = "row_major",
        MergedTileOrder = "merged_tile_order",
    }
}

vocabulary! {
    /// The order of the loops over a grid.
    SpatialEvaluationOrder {
        ChannelRowColumn = "channel_row_column",
        TokenChannel = "token_channel",
    }
}
