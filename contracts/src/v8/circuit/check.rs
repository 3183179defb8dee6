//! The checks a circuit can be given alone.

use std::collections::{BTreeMap, BTreeSet};

use super::{Block, Checkpoint, Circuit, Op, Selector};
use crate::fault::{Code, Fault};
use crate::json::Document;
use crate::registry::vocabulary::Phase;
use crate::v8::flaw::Flaw;
use crate::v8::map::check_id;
use crate::v8::words::Section;

impl Circuit {
    /// Reads a circuit; `name` stands for the file in errors.
    ///
    /// Faults: those of [`json`](crate::json), and those of the checks a circuit can be given alone.
    pub fn read(name: &str, text: &str) -> Result<Self, Fault> {
        Self::from_document(&Document::parse(name, text)?)
    }

    pub(in crate::v8) fn from_document(document: &Document) -> Result<Self, Fault> {
        let circuit: Self = document.decode()?;
        circuit.check().map_err(|flaw| flaw.fault_in(document))?;
        Ok(circuit)
    }

    fn check(&self) -> Result<(), Flaw> {
        self.check_blocks()?;
        let ops: BTreeSet<_> = self.block_types.iter().flat_map(BTreeMap::values).flat_map(Block::ops).collect();
        for (operation, requirement) in self.required_contracts.iter().flatten() {
            let path = format!("required_contracts/{operation}");
            let template_ops: Vec<_> = requirement.template_ops.iter().map(|op| op.as_str()).collect();
            self.check_governed(&path, &template_ops, &ops)?;
            check_selector(&path, requirement.selector.as_ref())?;
            check_checkpoint(&path, &template_ops, requirement.checkpoint.as_ref())?;
            check_phases(&path, requirement.phases.keys())?;
            for (phase, demands) in &requirement.phases {
                let path = format!("{path}/phases/{phase}/requires");
                let id = &demands.requires.attention_reduction;
                check_id(&format!("{path}/numerics.attention_reduction"), id)?;
                if demands.requires.phase != *phase {
                    let message = format!("execution.phase is {}, it is required in {phase}", demands.requires.phase);
                    return Err(Flaw::new(Code::BadRequirement, path, message));
                }
            }
        }
        for (operation, requirement) in self.required_numerical_contracts.iter().flatten() {
            let path = format!("required_numerical_contracts/{operation}");
            if self.required_contracts.as_ref().is_some_and(|attention| attention.contains_key(operation)) {
                let message = "the operation is required under required_contracts too";
                return Err(Flaw::new(Code::BadRequirement, path, message));
            }
            let template_ops: Vec<_> = requirement.template_ops.iter().map(String::as_str).collect();
            self.check_governed(&path, &template_ops, &ops)?;
            check_selector(&path, requirement.selector.as_ref())?;
            check_checkpoint(&path, &template_ops, requirement.checkpoint.as_ref())?;
            check_phases(&path, requirement.phases.keys())?;
            for (phase, demands) in &requirement.phases {
                check_id(&format!("{path}/phases/{phase}/contract_id"), &demands.contract_id)?;
            }
        }
        Ok(())
    }

    fn check_blocks(&self) -> Result<(), Flaw> {
        let fault = |path: &str, message: String| Err(Flaw::new(Code::BadBlock, path, message));
        let known = |name: &str| self.block_types.as_ref().is_some_and(|blocks| blocks.contains_key(name));
        if let Some(name) = self.sequence.iter().flatten().find(|name| self.is_whole() && !known(name)) {
            return fault("sequence", format!("block '{name}' is not defined"));
        }
        for (name, block) in self.block_types.iter().flatten() {
            let path = format!("block_types/{name}");
            let has = |section: Section| match section {
                Section::Header => block.header.is_some(),
                Section::Body => block.body.is_some(),
                Section::Branches => block.branches.is_some(),
                Section::Footer => block.footer.is_some(),
            };
            if let Some(missing) = block.sequence.iter().find(|section| !has(**section)) {
                return fault(&format!("{path}/sequence"), format!("the block has no {missing}"));
            }
            let sections: BTreeSet<_> = block.sequence.iter().collect();
            if sections.len() < block.sequence.len() {
                return fault(&format!("{path}/sequence"), "a part is given twice".to_owned());
            }
            // Branches stand beside the layers and need not be in the sequence.
            let in_sequence = |section: &&Section| has(**section) && **section != Section::Branches;
            if let Some(left_out) = Section::ALL.iter().filter(in_sequence).find(|section| !sections.contains(section))
            {
                return fault(&format!("{path}/sequence"), format!("leaves out the block's {left_out}"));
            }
            let Some(body) = &block.body else { continue };
            let path = format!("{path}/body");
            match (&body.ops, &body.ops_by_kind) {
                (Some(_), None) => {}
                (None, Some(_)) if body.kind_config_key.is_some() => {}
                (None, Some(_)) => return fault(&path, "ops_by_kind needs a kind_config_key".to_owned()),
                _ => return fault(&path, "expected either ops or ops_by_kind".to_owned()),
            }
            let kinds = body.default_kind.iter().chain(&body.periodic_kind);
            let unknown = |kind: &&String| !body.ops_by_kind.iter().any(|kinds| kinds.contains_key(*kind));
            if let Some(kind) = kinds.into_iter().find(unknown) {
                return fault(&path, format!("kind '{kind}' has no ops"));
            }
        }
        Ok(())
    }

    fn check_governed(&self, path: &str, template_ops: &[&str], ops: &BTreeSet<&str>) -> Result<(), Flaw> {
        // The blocks of an edit or a composition are elsewhere.
        if !self.is_whole() || template_ops.iter().any(|op| ops.contains(op)) {
            return Ok(());
        }
        let message = format!("none of its template_ops ({}) is in a block", template_ops.join(", "));
        Err(Flaw::new(Code::RequirementUnused, path, message))
    }
}

impl Block {
    /// Every operation, in the order of the file.
    pub(in crate::v8) fn ops(&self) -> impl Iterator<Item = &str> {
        let body = self.body.iter();
        let in_body = body.clone().filter_map(|body| body.ops.as_ref()).flatten();
        let by_kind = body.filter_map(|body| body.ops_by_kind.as_ref()).flat_map(BTreeMap::values).flatten();
        let in_branches = self.branches.iter().flatten().flat_map(|branch| &branch.producer.ops);
        let all = self.header.iter().flatten().chain(in_body).chain(by_kind).chain(in_branches);
        all.chain(self.footer.iter().flatten()).map(Op::op)
    }
}

fn check_phases<'p>(path: &str, phases: impl IntoIterator<Item = &'p Phase>) -> Result<(), Flaw> {
    let mut phases = phases.into_iter().peekable();
    if phases.peek().is_none() {
        return Err(Flaw::new(Code::BadRequirement, format!("{path}/phases"), "expected at least one phase"));
    }
    match phases.find(|phase| matches!(phase, Phase::Training | Phase::Backward)) {
        None => Ok(()),
        Some(phase) => {
            let message = format!("'{phase}' is none of init, prefill and decode");
            Err(Flaw::new(Code::BadRequirement, format!("{path}/phases/{phase}"), message))
        }
    }
}

fn check_selector(path: &str, selector: Option<&Selector>) -> Result<(), Flaw> {
    let empty =
        |selector: &Selector| selector.config_equals.iter().chain(&selector.config_not_equals).all(BTreeMap::is_empty);
    match selector.is_some_and(empty) {
        false => Ok(()),
        true => Err(Flaw::new(Code::EmptySelector, format!("{path}/selector"), "expected at least one predicate")),
    }
}

fn check_checkpoint(path: &str, template_ops: &[&str], checkpoint: Option<&Checkpoint>) -> Result<(), Flaw> {
    let Some(checkpoint) = checkpoint else { return Ok(()) };
    let path = format!("{path}/checkpoint");
    let fault = |field: &str, message: String| Err(Flaw::new(Code::BadCheckpoint, format!("{path}/{field}"), message));
    if checkpoint.id.replace("{layer}", "").contains(['{', '}']) || checkpoint.id.trim().is_empty() {
        return fault("id", format!("'{}' has another placeholder than {{layer}}, or is empty", checkpoint.id));
    }
    if !template_ops.contains(&checkpoint.producer.as_str()) {
        let message = format!("'{}' is none of the requirement's {}", checkpoint.producer, template_ops.join(", "));
        return fault("producer", message);
    }
    Ok(())
}
