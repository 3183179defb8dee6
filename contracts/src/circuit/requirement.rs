//! What contract an operation requires, and for which configurations.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Circuit, Config, Fact};
use crate::fault::{Code, Fault};
use crate::registry::vocabulary::{Phase, Status, TensorStorage};

/// The requirement of an operation for one alternative of the configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// When it applies; always if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<Selector>,
    /// The requirement of each phase.
    pub phases: BTreeMap<Phase, PhaseRequirement>,
}

/// A condition on configuration values and on how the model stores the weights of the operation; every part must hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Selector {
    /// Values that must be equal.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub config_equals: BTreeMap<String, Fact>,
    /// Values that must differ.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub config_not_equals: BTreeMap<String, Fact>,
    /// The storage of weights, by port: the actual one, layer by layer.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub storage_equals: BTreeMap<String, TensorStorage>,
}

/// The requirement of an operation in a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PhaseRequirement {
    /// The contract.
    pub contract_id: String,
    /// Further demands on the provider, by key of `provides`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub requires: BTreeMap<String, String>,
    /// How far this choice has been confirmed.
    pub validation: Status,
    /// What confirmed it; needed unless it is `unresolved` or `observed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

impl Selector {
    /// Whether a configuration and the storage of an operation's weights satisfy it.
    pub fn matches(&self, config: &Config, storage: &BTreeMap<String, TensorStorage>) -> bool {
        self.config_equals.iter().all(|(name, value)| config.fact(name) == Some(value))
            && self.config_not_equals.iter().all(|(name, value)| config.fact(name) != Some(value))
            && self.storage_equals.iter().all(|(port, value)| storage.get(port) == Some(value))
    }
}

impl Circuit {
    /// The one requirement of an operation in a phase, for weights stored as `storage` says by port.
    ///
    /// Faults: `NotGoverned` if the operation requires nothing in the phase, `BadRequirement` if not exactly one
    /// alternative matches the configuration.
    pub fn requirement(
        &self,
        operation: &str,
        phase: Phase,
        config: &Config,
        storage: &BTreeMap<String, TensorStorage>,
    ) -> Result<&PhaseRequirement, Fault> {
        let Some(alternatives) = self.required_contracts.get(operation) else {
            let message = format!("circuit '{}': operation '{operation}' requires no contract", self.name);
            return Err(Fault::new(Code::NotGoverned, message));
        };
        let matching: Vec<_> = alternatives
            .iter()
            .filter(|alternative| {
                alternative.selector.as_ref().is_none_or(|selector| selector.matches(config, storage))
            })
            .collect();
        let [only] = matching.as_slice() else {
            let message = format!(
                "circuit '{}': {} of {} requirements of operation '{operation}' match the configuration, expected one",
                self.name,
                matching.len(),
                alternatives.len()
            );
            return Err(Fault::new(Code::BadRequirement, message));
        };
        only.phases.get(&phase).ok_or_else(|| {
            let message =
                format!("circuit '{}': operation '{operation}' requires no contract in phase {phase}", self.name);
            Fault::new(Code::NotGoverned, message)
        })
    }
}
