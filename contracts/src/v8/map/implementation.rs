//! How a map's function runs.

use super::routing::{QueryTiling, RuntimeDispatch, WorkPartitionRouting};
use crate::registry::vocabulary::{IsaDispatch, ReductionOrderEffect, Schedule};
use crate::v8::record::{FreeForm, record};
use crate::v8::words::{PoolDispatch, PoolRuntime, SegmentBoundary, SegmentLengths, WorkPiece};

record! {
    /// How a function runs (`cke.v8.kernel_execution_capability`).
    Implementation {
        required {
            /// When code for an instruction set is chosen.
            isa_dispatch: IsaDispatch,
            /// How it uses threads.
            threading: Threading,
        }
        optional {
            /// Which tile sizes it uses for how many tokens.
            query_tiling: QueryTiling,
            /// Which cut of the work it uses for which shapes.
            work_partition_routing: WorkPartitionRouting,
            /// Which of its own routes it takes, by policy.
            runtime_dispatch: RuntimeDispatch,
            /// The blocks of the weight.
            weight_storage: WeightBlock,
            /// The blocks of the activation.
            activation_storage: ActivationStorage,
            /// Functions to compare with when bits differ.
            diagnostic_providers: DiagnosticProviders,
            /// What takes rows in segments.
            segmented_row_provider: FreeForm,
            /// What takes queries in segments.
            segmented_query_provider: SegmentedQueryProvider,
        }
    }
}

record! {
    /// How a function uses threads.
    Threading {
        required {
            /// What runs the threads.
            runtime: PoolRuntime,
            /// What the pieces of work may be.
            work_partition: Vec<WorkPiece>,
            /// How work reaches threads.
            dispatch: Vec<PoolDispatch>,
            /// What threads do to the order of a reduction.
            reduction_order_effect: ReductionOrderEffect,
        }
        optional {
            /// When work is assigned.
            schedule: Schedule,
            /// Barriers inside the function.
            barriers: Vec<String>,
        }
    }
}

record! {
    /// The blocks of a weight.
    WeightBlock {
        required {
            /// The format.
            format: String,
            /// Elements of a block.
            block_elements: u32,
            /// Bytes of a block.
            block_bytes: u32,
        }
    }
}

record! {
    /// The blocks of an activation.
    ActivationStorage {
        required {
            /// The format.
            format: String,
            /// Elements of a block.
            block_elements: u32,
        }
    }
}

record! {
    /// Functions to compare with when bits differ.
    DiagnosticProviders {
        required {
            /// One that does not quantise the activation.
            fp32_activation: String,
        }
        optional {
            /// One that takes the quantised activation row by row.
            row_quantized: String,
        }
    }
}

record! {
    /// What takes queries in segments.
    SegmentedQueryProvider {
        required {
            /// The function.
            function: String,
            /// The arguments it has in common with the map's function.
            base_args: Vec<String>,
            /// The type of segment lengths.
            segment_lengths_dtype: SegmentLengths,
            /// What a segment starts anew.
            boundary_semantics: SegmentBoundary,
            /// What happens to a plan it cannot serve.
            fallback: String,
        }
    }
}
