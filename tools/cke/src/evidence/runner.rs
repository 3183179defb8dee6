//! `cke evidence run`: the levels one after the other, for every provider and instruction set that was asked for.

use super::levels::Subject;
use super::model;
use super::shapes::{Family, catalogue};
use super::store;
use crate::cli::EvidenceRunArguments;
use anyhow::{Context as _, Result, anyhow, bail};
use cke_contracts::evidence::{EvidenceFile, Level, Needs, Record};
use cke_contracts::registry::{Provider, Registry};
use cke_mlir::ir::Context;
use cke_target_llvm::isa::Isa;
use cke_target_llvm::object::llvm_version;
use std::path::Path;

/// Runs the sub-command.
pub fn run(arguments: &EvidenceRunArguments) -> Result<()> {
    let registry = Registry::native().map_err(|fault| anyhow!("{fault}"))?;
    let needs = Needs::native().map_err(|fault| anyhow!("{fault}"))?;
    let catalogue = catalogue()?;
    let context = crate::load::context();
    let levels = levels(arguments.level.as_deref())?;
    let providers = providers(&registry, arguments.provider.as_deref())?;
    let mut unresolved = 0;
    for isa in isas(arguments.isa.as_deref(), &needs)? {
        for level in levels.iter().filter(|level| **level >= Level::Layer) {
            for (provider, record) in model::records(&context, &registry, &isa, *level)? {
                if providers.iter().any(|wanted| wanted.id == provider) {
                    keep(&arguments.out, &provider, &isa, record)?;
                }
            }
        }
        if levels.contains(&Level::TokenReplay) {
            replay(&context, &registry, &isa, &arguments.model)?;
        }
        for provider in &providers {
            for capability in &provider.numerical_capabilities {
                let contract = capability.contract_id.as_str();
                let subject = Subject { context: &context, registry: &registry, provider, contract, isa: &isa };
                for level in levels.iter().filter(|level| **level < Level::Layer) {
                    let Some(family) = catalogue.get(&provider.op) else {
                        println!("{} {contract} {} {level}: unresolved: no shapes to run", provider.id, isa.name);
                        unresolved += 1;
                        continue;
                    };
                    for record in records(&subject, family, *level, &needs)? {
                        keep(&arguments.out, &provider.id, &isa, record)?;
                    }
                }
            }
        }
    }
    match unresolved {
        0 => Ok(()),
        count => bail!("error: {count} claims are unresolved: nothing was run for them"),
    }
}

/// Replays tokens of a real model, if it is there. Its file is no part of this project, so nothing is recorded.
fn replay(context: &Context, registry: &Registry, isa: &Isa, path: &Path) -> Result<()> {
    let (name, isa_name) = (path.display(), &isa.name);
    if !path.is_file() {
        println!("{name} {isa_name} token_replay: skipped: the file is not there; tools/fetch_model.sh fetches it");
        return Ok(());
    }
    let tokens = model::replay(context, registry, isa, path)?;
    println!("{name} {isa_name} token_replay: {tokens} tokens, all equal; not recorded");
    Ok(())
}

/// The records of a level below whole models, for the classes of shapes that claims need.
fn records(subject: &Subject<'_>, family: &Family, level: Level, needs: &Needs) -> Result<Vec<Record>> {
    let classes = needs.capability.iter().filter(|need| need.level == level).map(|need| &need.shape_class);
    classes.map(|class| subject.check(level, family, class)).collect()
}

/// Puts a record into the file of its provider and says so.
fn keep(folder: &Path, provider: &str, isa: &Isa, record: Record) -> Result<()> {
    let known = store::find(folder, provider, &isa.name)?;
    let mut file = known.unwrap_or_else(|| EvidenceFile::new(provider, &isa.name, &llvm_version()));
    file.llvm = llvm_version();
    println!(
        "{provider} {} {} {} {}: {} cases, {} elements, all equal",
        record.contract, isa.name, record.level, record.shape_class, record.cases, record.comparisons
    );
    file.insert(record);
    store::write(folder, &file)
}

fn levels(wanted: Option<&str>) -> Result<Vec<Level>> {
    let Some(wanted) = wanted else { return Ok(Level::ALL.to_vec()) };
    let found = Level::ALL.iter().find(|level| level.as_str() == wanted);
    let known: Vec<_> = Level::ALL.iter().map(|level| level.as_str()).collect();
    let found = found.with_context(|| format!("error: unknown level '{wanted}'; known are {}", known.join(", ")))?;
    Ok(vec![*found])
}

fn providers<'r>(registry: &'r Registry, wanted: Option<&str>) -> Result<Vec<&'r Provider>> {
    let Some(wanted) = wanted else { return Ok(registry.providers.values().collect()) };
    let found = registry.providers.get(wanted).with_context(|| format!("error: unknown provider '{wanted}'"))?;
    Ok(vec![found])
}

/// The instruction sets that were asked for and that this machine can execute; the others are named and left out.
fn isas(wanted: Option<&str>, needs: &Needs) -> Result<Vec<Isa>> {
    let names = wanted.map_or_else(|| needs.isas.clone(), |name| vec![name.to_owned()]);
    let mut isas = Vec::new();
    for name in names {
        let isa = Isa::parse(&name).map_err(|rule| anyhow!("error: {rule}"))?;
        if isa.runs_on_host() {
            isas.push(isa);
        } else {
            println!("{name}: skipped: this machine cannot execute it; no record is written");
        }
    }
    Ok(isas)
}
