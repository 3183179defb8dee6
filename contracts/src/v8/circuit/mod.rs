//! Circuits, once called templates: the operations of a model family, and the contracts they require.

mod block;
mod check;
mod contract;
mod requirement;
mod weights;

use std::collections::BTreeMap;

pub use block::{Block, Body, Branch, Collect, GraphSlots, Op, OpObject, Producer, Tap};
pub use contract::{
    AttentionContract, BlockContract, ChatContract, CircuitContract, LogitsContract, LogitsLayout, MultimodalBridge,
    PrefillSchedule, QuantContract, RuntimeDefaults, RuntimeInvariants, SpecialTokens, TokenizerContract,
};
pub use requirement::{
    AttentionPhase, AttentionRequirement, AttentionRequires, Checkpoint, ExecutionPhase, ExecutionRequirement, Selector,
};
pub use weights::{IgnoredWeights, OpBinding, WeightPolicy, When};

use super::record::{FreeForm, OneOrMany, record};
use crate::circuit::Fact;

record! {
    /// A circuit.
    Circuit {
        required {
            /// The version.
            version: u32,
            /// The name.
            name: String,
        }
        optional {
            /// The family.
            family: String,
            /// What the family has and has not.
            flags: BTreeMap<String, Fact>,
            /// What the model's files, prompts and caches must be.
            contract: CircuitContract,
            /// Functions by operation; an operation that requires a contract may not use it.
            kernels: BTreeMap<String, String>,
            /// Attention contracts required.
            required_contracts: BTreeMap<String, AttentionRequirement>,
            /// Execution contracts required.
            required_numerical_contracts: BTreeMap<String, ExecutionRequirement>,
            /// The blocks, in order.
            sequence: Vec<String>,
            /// The blocks by name.
            block_types: BTreeMap<String, Block>,
            /// Configuration of single blocks.
            block_configs: BTreeMap<String, BTreeMap<String, FreeForm>>,
            /// Values that tests look at.
            semantic_checkpoints: Vec<BTreeMap<String, FreeForm>>,
            /// Which buffer an activation is.
            activation_bindings: BTreeMap<String, FreeForm>,
            /// Which buffer a projection reads, by projection and port.
            projection_inputs: BTreeMap<String, BTreeMap<String, String>>,
            /// Which weights operations read, and which tensors nothing reads.
            weight_policy: WeightPolicy,
            /// The circuit this one changes.
            extends: OneOrMany,
            /// The circuits this one is made of.
            components: FreeForm,
            /// How they are joined.
            stitch: FreeForm,
        }
    }
}

impl Circuit {
    /// Whether it is written out, and not an edit or a composition of other circuits.
    pub fn is_whole(&self) -> bool {
        self.extends.is_none() && self.components.is_none() && self.stitch.is_none()
    }

    /// Whether it requires any contract.
    pub fn has_requirement(&self) -> bool {
        self.required_contracts.iter().flatten().next().is_some()
            || self.required_numerical_contracts.iter().flatten().next().is_some()
    }
}
