//! Which weights operations read.

use crate::circuit::Fact;
use crate::v8::record::record;
use crate::v8::words::BindingSection;

record! {
    /// Which weights operations read, and which tensors nothing reads.
    WeightPolicy {
        optional {
            /// Tensors nothing reads.
            ignore: Vec<IgnoredWeights>,
            /// Weights by operation.
            op_bindings: Vec<OpBinding>,
        }
    }
}

record! {
    /// Tensors nothing reads.
    IgnoredWeights {
        required {
            /// What their names look like.
            pattern: String,
            /// Why.
            reason: String,
        }
        optional {
            /// Under which configuration.
            when: When,
        }
    }
}

record! {
    /// A condition on one configuration value.
    When {
        required {
            /// The value.
            config_key: String,
            /// What it must be.
            equals: Fact,
        }
    }
}

record! {
    /// The weights of an operation.
    OpBinding {
        required {
            /// Where the operation stands.
            section: BindingSection,
            /// The operation.
            op: String,
            /// The weights, by their name without the layer.
            weights: Vec<String>,
        }
        optional {
            /// Whether the manifest must have them.
            required: bool,
        }
    }
}
