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
