//! Choices inside a provider that change no bit: tile sizes, cuts of the work, and routes of its own.

use std::collections::BTreeMap;

use crate::circuit::Fact;
use crate::v8::record::{OneOrMany, record};
use crate::v8::words::{NumericalEffect, PolicyStatus, RouteFlag, RoutingSelection, TilingSelection, WorkPiece};

record! {
    /// Which tile sizes are used for how many tokens.
    QueryTiling {
        required {
            /// What chooses.
            selection: TilingSelection,
            /// What the choice does to the bits.
            numerical_effect: NumericalEffect,
            /// Keys of a tile.
            key_tile_size: u32,
            /// The tilings, by number of tokens.
            routes: Vec<QueryRoute>,
        }
    }
}

record! {
    /// A tile size.
    QueryRoute {
        required {
            /// The least number of tokens.
            min_tokens: u64,
            /// Queries of a tile.
            query_tile_size: u32,
            /// The function.
            function: String,
        }
        nullable {
            /// The greatest number of tokens; null in the last.
            max_tokens: u64,
        }
    }
}

record! {
    /// Which cut of the work is used for which shapes.
    WorkPartitionRouting {
        required {
            /// What chooses.
            selection: RoutingSelection,
            /// What the choice does to the bits.
            numerical_effect: NumericalEffect,
            /// The function that chooses.
            dispatch_function: String,
            /// The routes, the first that fits wins; the last is the fallback.
            routes: Vec<WorkRoute>,
        }
        optional {
            /// For a reader.
            policy: String,
        }
    }
}

record! {
    /// A cut of the work.
    WorkRoute {
        required {
            /// Its name.
            id: String,
            /// The pieces.
            work_partition: WorkPiece,
            /// When it applies: an axis (`m`), its bounds (`min_m`, `max_m`), or `fallback`.
            predicate: BTreeMap<String, Fact>,
        }
        optional {
            /// Its parameters.
            configuration: BTreeMap<String, Fact>,
        }
    }
}

record! {
    /// Routes that a function takes by policy.
    RuntimeDispatch {
        required {
            /// The version of this part.
            schema_version: u32,
            /// The policies by name.
            policies: BTreeMap<String, RuntimePolicy>,
        }
    }
}

record! {
    /// A policy.
    RuntimePolicy {
        required {
            /// Whether it is used.
            status: PolicyStatus,
            /// Its routes.
            routes: Vec<RuntimeRoute>,
        }
        optional {
            /// What it needs.
            requires: OneOrMany,
            /// What is used where the needs are not met.
            requires_fallback: OneOrMany,
            /// For a reader.
            notes: String,
        }
    }
}

record! {
    /// A route.
    RuntimeRoute {
        optional {
            /// Rows, exactly.
            m: u64,
            /// Rows, at least.
            min_m: u64,
            /// Rows, at most.
            max_m: u64,
            /// Columns, exactly.
            n: u64,
            /// Columns, at least.
            min_n: u64,
            /// Columns, at most.
            max_n: u64,
            /// Depth, exactly.
            k: u64,
            /// Depth, at least.
            min_k: u64,
            /// Depth, at most.
            max_k: u64,
            /// Rows of a tile.
            tile_m: u64,
            /// Columns of a tile.
            tile_n: u64,
            /// The most threads used.
            max_threads: u64,
            /// What the route turns on.
            flags: Vec<RouteFlag>,
        }
    }
}
