//! Blocks: the operations before, in, beside and after the layers.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::v8::record::{FreeForm, record};
use crate::v8::words::Section;

record! {
    /// A block.
    Block {
        required {
            /// Its parts, in order.
            sequence: Vec<Section>,
        }
        optional {
            /// The operations before the layers.
            header: Vec<Op>,
            /// The layers.
            body: Body,
            /// What leaves the layers on the way.
            branches: Vec<Branch>,
            /// The operations after the layers.
            footer: Vec<Op>,
        }
    }
}

record! {
    /// The layers of a block: all alike (`ops`), or of several kinds (`ops_by_kind`).
    Body {
        required {
            /// `dense`, or `hybrid_` and a word.
            #[serde(rename = "type")]
            kind: String,
        }
        optional {
            /// The operations of a layer.
            ops: Vec<Op>,
            /// The operations of a layer, by its kind.
            ops_by_kind: BTreeMap<String, Vec<Op>>,
            /// The configuration value that lists the kinds of the layers.
            kind_config_key: String,
            /// The kind of a layer that none is listed for.
            default_kind: String,
            /// The configuration value that says how often the periodic kind comes.
            interval_config_key: String,
            /// The kind that comes every interval.
            periodic_kind: String,
            /// Other names of weights, in every layer.
            quant_aliases_common: BTreeMap<String, FreeForm>,
            /// Other names of weights, by the kind of the layer.
            quant_aliases_by_kind: BTreeMap<String, BTreeMap<String, FreeForm>>,
        }
    }
}

/// An operation: its name alone, or with what it needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected the name of an operation, or an object with `op`")]
pub enum Op {
    /// The name.
    Name(String),
    /// The name and what it needs.
    Object(Box<OpObject>),
}

record! {
    /// An operation with what it needs.
    OpObject {
        required {
            /// The operation.
            op: String,
        }
        optional {
            /// Its name in the block.
            id: String,
            /// Parameters; a key that ends in `_from_config` names a configuration value.
            params: BTreeMap<String, FreeForm>,
            /// What it reads.
            inputs: Vec<String>,
            /// The slots it reads and writes.
            graph_slots: GraphSlots,
            /// The axis it works along.
            axis: String,
            /// What it defines.
            output: String,
            /// Its weights by port; `{L}` stands for the layer.
            weight_refs: BTreeMap<String, String>,
            /// Which part of its output is meant.
            output_view: FreeForm,
        }
    }
}

record! {
    /// The slots of an operation.
    GraphSlots {
        optional {
            /// Read.
            inputs: FreeForm,
            /// Written.
            outputs: FreeForm,
        }
    }
}

record! {
    /// What leaves the layers on the way.
    Branch {
        required {
            /// Its name.
            name: String,
            /// Its operations.
            producer: Producer,
        }
        optional {
            /// Its kind.
            kind: String,
            /// Where it begins.
            tap: Tap,
            /// Where it ends.
            collect: Collect,
        }
    }
}

record! {
    /// Where a branch begins.
    Tap {
        required {
            /// The value taken.
            from: String,
        }
        optional {
            /// The configuration value that lists the layers.
            layers_from_config: String,
        }
    }
}

record! {
    /// The operations of a branch.
    Producer {
        required {
            /// In order.
            ops: Vec<Op>,
        }
    }
}

record! {
    /// Where a branch ends.
    Collect {
        required {
            /// How results of several layers become one.
            mode: String,
            /// The value defined.
            target: String,
        }
        optional {
            /// The axis they are joined along.
            axis: String,
            /// The configuration value of the rows.
            rows_from_config: String,
            /// The configuration value of the width of one.
            slice_dim_from_config: String,
            /// The configuration value of their number.
            num_slices_from_config: String,
        }
    }
}

impl Op {
    /// The operation.
    pub fn op(&self) -> &str {
        match self {
            Self::Name(op) => op,
            Self::Object(object) => &object.op,
        }
    }

    /// Its weights by port, where it names them itself.
    pub fn weight_refs(&self) -> Option<&BTreeMap<String, String>> {
        match self {
            Self::Name(_) => None,
            Self::Object(object) => object.weight_refs.as_ref(),
        }
    }
}
