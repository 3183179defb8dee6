//! What a map reads and writes, and how it is called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::v8::record::{Extent, OneOrMany, Size, record};
use crate::v8::words::{Access, Lifetime, StorageClass};

record! {
    /// A port.
    Port {
        required {
            /// The name.
            name: String,
        }
        optional {
            /// The type of an element.
            dtype: String,
            /// The shape.
            shape: Vec<Extent>,
            /// The order of the elements.
            layout: String,
            /// On which device it lies.
            placement: String,
            /// What the function does with it.
            access: Access,
            /// Whose memory it is.
            storage_class: StorageClass,
            /// Whether a call needs it, in words.
            consumption: String,
            /// Whether a call may leave it out.
            optional: bool,
            /// The input whose memory an output shares.
            alias_of: String,
            /// For a reader.
            desc: String,
        }
    }
}

record! {
    /// Memory used during a call.
    Scratch {
        required {
            /// The name.
            name: String,
        }
        optional {
            /// The type of an element.
            dtype: String,
            /// The shape.
            shape: Vec<Extent>,
            /// The order of the elements.
            layout: String,
            /// On which device it lies.
            placement: String,
            /// What the function does with it.
            access: Access,
            /// Whose memory it is.
            storage_class: StorageClass,
            /// Whether a call needs it, in words.
            consumption: String,
            /// Whether a call may leave it out.
            optional: bool,
            /// The bytes.
            size_bytes: Size,
            /// Where it may begin: a power of two.
            alignment: u64,
            /// How long it keeps its content.
            lifetime: Lifetime,
            /// Who has to know the size, in words.
            size_resolution: String,
            /// For a reader.
            desc: String,
        }
    }
}

record! {
    /// What a function keeps to itself between its own steps.
    InternalState {
        required {
            /// The name.
            name: String,
        }
        optional {
            /// The type of an element.
            dtype: String,
            /// The shape.
            shape: Vec<Extent>,
            /// How long it lives, in words.
            lifetime: String,
            /// For a reader.
            desc: String,
        }
    }
}

record! {
    /// A scalar of a call.
    Param {
        required {
            /// The name.
            name: String,
        }
        optional {
            /// Its type.
            dtype: String,
            /// Its type in C, where a map says that instead.
            #[serde(rename = "type")]
            c_type: String,
            /// For a reader.
            desc: String,
        }
    }
}

record! {
    /// The types of a map.
    Quant {
        optional {
            /// The rounding of the activation's quantiser, for all phases or phase by phase.
            activation_quantization_contract: QuantizationContract,
        }
        nullable {
            /// Of the weight; several are separated by `|`, and `none` or null is no weight.
            weight: String,
            /// Of the activation.
            activation: String,
            /// Of the output.
            output: String,
            /// Of the cache.
            kv_cache: String,
        }
    }
}

/// The rounding of the activation's quantiser.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected an id, or an object with an id for `decode` and `prefill`")]
pub enum QuantizationContract {
    /// The same in all phases.
    All(String),
    /// Phase by phase.
    PerPhase(PhaseQuantization),
}

record! {
    /// The rounding of the activation's quantiser, phase by phase.
    #[derive(Eq)]
    PhaseQuantization {
        optional {
            /// When one row is decoded.
            decode: String,
            /// When a prompt is read.
            prefill: String,
        }
    }
}

record! {
    /// How a function is called.
    CallAbi {
        required {
            /// The version: 1.
            version: u32,
            /// The arguments, in order.
            params: Vec<CallParam>,
        }
    }
}

record! {
    /// An argument of a call.
    CallParam {
        required {
            /// Its name.
            name: String,
            /// Where it comes from: a namespace and a name, such as `activation:x`, or `null`.
            source: String,
        }
        optional {
            /// The type it is cast to.
            cast: String,
            /// Other names of the source.
            alt: OneOrMany,
            /// The ports it passes, such as `input:x`; several for memory that is shared.
            ports: Vec<String>,
        }
    }
}
