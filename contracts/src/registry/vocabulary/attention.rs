//! Words of attention reduction contracts.

use super::vocabulary;

vocabulary! {
    /// The type a query has in the score.
    QueryCompute {
        Fp32 = "fp32",
        Fp16 = "fp16",
        Fp16Rounded = "fp16_rounded",
        Bf16 = "bf16",
        Bf16Rounded = "bf16_rounded",
        ShapeDependentFp16OrFp32 = "shape_dependent_fp16_or_fp32",
    }
}

vocabulary! {
    /// The type a key or a value has in the arithmetic.
    CacheCompute {
        Fp32 = "fp32",
        Fp16 = "fp16",
        Fp16Rounded = "fp16_rounded",
        Bf16 = "bf16",
        Bf16Rounded = "bf16_rounded",
    }
}

vocabulary! {
    /// The type of scores and of softmax statistics.
    ScoreType {
        Fp32 = "fp32",
        Fp16 = "fp16",
        Bf16 = "bf16",
    }
}

vocabulary! {
    /// The type of the accumulator of values.
    ValueAccumulator {
        Fp32 = "fp32",
        Fp16 = "fp16",
        Fp16RoundedEachUpdate = "fp16_rounded_each_update",
        Bf16 = "bf16",
        Bf16RoundedEachUpdate = "bf16_rounded_each_update",
        ShapeDependentFp16OrFp32 = "shape_dependent_fp16_or_fp32",
    }
}

vocabulary! {
    /// How partial results of a chunk are stored.
    PartialStorage {
        None = "none",
        Fp32 = "fp32",
        Fp16 = "fp16",
        Bf16 = "bf16",
        ShapeDependentNoneOrFp32 = "shape_dependent_none_or_fp32",
    }
}

vocabulary! {
    /// How the partial results of chunks are merged.
    PartialMerge {
        None = "none",
        Fp32ChunkOrder = "fp32_chunk_order",
        Fp16ChunkOrder = "fp16_chunk_order",
        Bf16ChunkOrder = "bf16_chunk_order",
        ShapeDependentSingleRangeOrFp32ChunkOrder = "shape_dependent_single_range_or_fp32_chunk_order",
    }
}

vocabulary! {
    /// How the key positions of a row are cut.
    PartitionKind {
        SingleRange = "single_range",
        KvChunksByWorkers = "kv_chunks_by_workers",
        QueryKeyTiles = "query_key_tiles",
        QueryTileThreshold = "query_tile_threshold",
        // Ours.
        ///
        /// Chunk c is the absolute positions `[c * chunk_extent, (c + 1) * chunk_extent)`; only chunks that meet the allowed
        /// range take part, in ascending order.
        AbsolutePositionChunks = "absolute_position_chunks",
    }
}

vocabulary! {
    /// The extent a partition threshold is compared with.
    ExtentSource {
        ValidKvRounded = "valid_kv_rounded",
        // Ours.
        ///
        /// The valid key positions as they are; `extent_alignment` is 1.
        ValidKv = "valid_kv",
    }
}

vocabulary! {
    /// How many chunks are made at or above a threshold.
    ChunkCount {
        RuntimeWorkerCount = "runtime_worker_count",
    }
}

vocabulary! {
    /// How the sum of a softmax is updated.
    SoftmaxSumUpdate {
        Fp32Add = "fp32_add",
        Fp64AddThenFp32Store = "fp64_add_then_fp32_store",
    }
}

vocabulary! {
    /// Which rows a worker takes.
    WorkerPartition {
        ContiguousHeadQueryRows = "contiguous_head_query_rows",
    }
}

// What follows is ours: words of the explicit semantics.

vocabulary! {
    /// How finished values are rounded.
    RoundedTo {
        Fp16Rounded = "fp16_rounded",
        Bf16Rounded = "bf16_rounded",
    }
}

vocabulary! {
    /// When the sums of an online softmax are rescaled.
    RescaleRule {
        ///
        /// Only where a greater maximum was found, by e^(old maximum - new maximum).
        WhereMaximumGrew = "where_maximum_grew",
    }
}

vocabulary! {
    /// How the sum of an online softmax takes the next weight, `f` being the factor of the rescaling or 1.
    OnlineSumUpdate {
        ///
        /// `sum = fma(sum, f, weight)`.
        Fma = "fma",
        ///
        /// `sum = (sum * f) + weight`.
        MultiplyThenAdd = "multiply_then_add",
    }
}

vocabulary! {
    /// The distance in memory between the heads of a cache.
    AddressStride {
        ///
        /// The capacity of the cache.
        Capacity = "capacity",
        ///
        /// The valid rows: the cache is compact.
        ValidRows = "valid_rows",
    }
}

vocabulary! {
    /// How rows are cut into a number of chunks.
    ChunkCut {
        ///
        /// `ceil(extent / chunks)` positions each, the last ones fewer or none.
        CeilOfExtent = "ceil_of_extent",
        ///
        /// `floor(extent / chunks)` positions each, and one more in the first `extent mod chunks`.
        RemainderFirst = "remainder_first",
    }
}

vocabulary! {
    /// What a chunk without an allowed position is.
    EmptyChunk {
        ///
        /// It has no part in the merge.
        Skipped = "skipped",
    }
}

vocabulary! {
    /// The rows a query threshold is compared with.
    QueryExtent {
        ///
        /// The rows of the call. Every segment of a prompt is a call, so the comparison starts anew with it.
        RowsOfCall = "rows_of_call",
    }
}

vocabulary! {
    /// A class of instruction sets whose peers have one order of a reduction.
    IsaClass {
        X86Avx2 = "x86_avx2",
        X86Avx512 = "x86_avx512",
        Aarch64Neon = "aarch64_neon",
    }
}

vocabulary! {
    /// A class of calls by their rows.
    RowClass {
        OneRow = "one_row",
        MoreRows = "more_rows",
    }
}
