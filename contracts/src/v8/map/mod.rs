//! The kernel map of both generations: without contracts (until April), and with claims, a calling convention and a
//! place in a selection.

mod capability;
mod check;
mod check_call;
mod check_claim;
mod check_linear;
mod check_memory;
mod check_port;
mod check_routing;
mod check_set;
mod implementation;
mod linear;
mod meta;
mod port;
mod read;
mod routing;

use std::collections::BTreeMap;

use serde_json::Value;

pub use capability::{CapabilityExecution, NumericalCapability, Provides, SupportedReduction};
pub(in crate::v8) use check_claim::check_id;
pub use check_set::check_maps;
pub use implementation::{
    ActivationStorage, DiagnosticProviders, Implementation, SegmentedQueryProvider, Threading, WeightBlock,
};
pub use linear::{ExternalOracle, LinearProduction, LinearReference, ReferenceComparison, ReferenceValidation};
pub use meta::{
    CandidateThreading, Constraints, Impl, ImplVariant, Modes, Parallelization, Parity, PhaseCandidate, PhaseChoice,
    PreferredStrategy, Strategy, StrategyRange, Tests, WeightPreparation,
};
pub use port::{
    CallAbi, CallParam, InternalState, Param, PhaseQuantization, Port, Quant, QuantizationContract, Scratch,
};
pub use read::read_maps;
pub use routing::{
    QueryRoute, QueryTiling, RuntimeDispatch, RuntimePolicy, RuntimeRoute, WorkPartitionRouting, WorkRoute,
};

use super::record::{FreeForm, record};
use crate::registry::vocabulary::{Lifecycle, Phase};

record! {
    /// A kernel map.
    KernelMap {
        required {
            /// The id.
            id: String,
            /// The operation served.
            op: String,
            /// What is called.
            #[serde(rename = "impl")]
            entry: Impl,
        }
        optional {
            /// The file the map was made from, where maps were collected in one file.
            #[serde(rename = "_source_file")]
            source_file: String,
            /// Another name of the map.
            name: String,
            /// Which of the operation's implementations it is.
            variant: String,
            /// The one phase of an attention map.
            mode: Phase,
            /// The version of the operation's ports it implements.
            operation_interface: String,
            /// The version of the statements about memory; maps that have one state the layout of every port.
            physical_contract_version: u32,
            /// The version of the claims: 1. A map without claims has none.
            contract_schema_version: u32,
            /// The place among providers of equal meaning.
            selection: MapSelection,
            /// What an attention request may ask for.
            provides: Provides,
            /// Claims of attention contracts, by id.
            supported_reductions: BTreeMap<String, SupportedReduction>,
            /// Claims of execution contracts.
            numerical_capabilities: Vec<NumericalCapability>,
            /// The quantized linear contract claimed.
            numerical_contract: String,
            /// The oracle of a quantized linear provider.
            reference: LinearReference,
            /// The function of a quantized linear provider, and how near it comes to the oracle.
            production: LinearProduction,
            /// How it runs.
            implementation: Implementation,
            /// The types in one line; for weights also the filter of what may be stored.
            quant: Quant,
            /// Activations read; in older maps also weights.
            inputs: Vec<Port>,
            /// Constants read.
            weights: Vec<Port>,
            /// Further activations.
            activations: Vec<Port>,
            /// Tensors that the run time owns.
            runtime_buffers: Vec<Port>,
            /// Tensors written.
            outputs: Vec<Port>,
            /// Memory used during a call.
            scratch: Vec<Scratch>,
            /// What the function keeps to itself.
            internal_state: Vec<InternalState>,
            /// The names of the extents.
            dims: Vec<String>,
            /// The scalars.
            params: Vec<Param>,
            /// How the function is called.
            call_abi: CallAbi,
            /// What it can be used for.
            modes: Modes,
            /// How its work may be cut, in the words of the first generation.
            parallelization: Parallelization,
            /// The same, where a map says it in its own words.
            parallel: FreeForm,
            /// The operations it does in one.
            fuses: Vec<String>,
            /// Which functions serve it, phase by phase.
            phase_selection: BTreeMap<Phase, PhaseChoice>,
            /// What a code generator may use it for.
            codegen_capability: FreeForm,
            /// How its weights are made ready before the first call.
            weight_preparation: WeightPreparation,
            /// What it demands of extents.
            constraints: Constraints,
            /// Its tests.
            tests: Tests,
            /// Its benchmarks.
            bench: Vec<String>,
            /// Remarks for a reader.
            notes: String,
        }
    }
}

record! {
    /// The place of a map among others of equal meaning.
    MapSelection {
        required {
            /// The lifecycle.
            status: Lifecycle,
            /// The greatest wins inside the group.
            priority: i64,
        }
        optional {
            /// The group; without one nothing can be ranked.
            equivalence_group: String,
            /// The phases it may be selected for.
            phases: Vec<Phase>,
        }
    }
}

impl KernelMap {
    /// Whether it says which contracts it fulfils.
    pub fn is_governed(&self) -> bool {
        self.contract_schema_version.is_some() || self.claims().next().is_some()
    }

    /// The contracts it claims, in the order of the file.
    pub fn claims(&self) -> impl Iterator<Item = &str> {
        let reductions = self.supported_reductions.iter().flat_map(|claims| claims.keys());
        let capabilities = self.numerical_capabilities.iter().flatten().map(|claim| &claim.contract_id);
        reductions.chain(capabilities).chain(&self.numerical_contract).map(String::as_str)
    }

    /// What an attention request may ask for, by key.
    pub fn provides(&self) -> BTreeMap<String, Vec<String>> {
        self.provides.as_ref().map(Provides::by_key).unwrap_or_default()
    }

    /// The definition as JSON: what was read, no more and no less.
    pub fn definition(&self) -> Value {
        serde_json::to_value(self).expect("a kernel map has text keys only")
    }
}
