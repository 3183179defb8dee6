//! `cke resolve`: the requests of a circuit, the answer to each, and what nothing governs.

use crate::cli::ResolveArguments;
use crate::load::{context, read_module};
use crate::output::print;
use anyhow::{Result, anyhow, bail};
use cke_contracts::circuit::Fact;
use cke_contracts::fault::{Code, Fault};
use cke_contracts::resolve::Mode;
use cke_contracts::v8::{Facts, Plan, PlanEntry, Ungoverned};
use cke_passes::circuit_plan::{Choice, plans};
use comfy_table::{Table, presets};
use std::collections::BTreeMap;

/// Runs the sub-command.
pub fn run(arguments: &ResolveArguments) -> Result<()> {
    let mode = Mode::parse(arguments.mode.name()).expect("the names are those of the resolver");
    let config = arguments.config.iter().cloned().collect::<Facts>();
    let context = context();
    let module = read_module(&context, &arguments.input)?;
    let choice =
        Choice { circuit: arguments.circuit.as_deref(), manifest: arguments.manifest.as_deref(), config: &config };
    let file = arguments.input.display();
    let mut refused = Vec::new();
    for plan in plans(module.op(), choice).map_err(|fault| anyhow!("{file}: {fault}"))? {
        match plan {
            Ok(plan) => {
                print(&shown(&plan))?;
                refused.extend(refusals(&plan, mode));
            }
            Err(fault) => refused.push(fault),
        }
    }
    if refused.is_empty() {
        return Ok(());
    }
    let faults: Vec<_> = refused.iter().map(|fault| format!("{file}: {fault}")).collect();
    bail!("{}", faults.join("\n"))
}

/// One `KEY=VALUE` of the configuration: a truth value, a number or a text.
pub fn config_value(text: &str) -> Result<(String, Fact), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE")?;
    if key.is_empty() {
        return Err("the key is empty".to_owned());
    }
    let number = || value.parse().map(Fact::Integer).or_else(|_| value.parse().map(Fact::Float));
    let fact = match value {
        "true" | "false" => Fact::Bool(value == "true"),
        _ if value.starts_with(|first: char| first.is_ascii_digit() || first == '-') => {
            number().unwrap_or_else(|_| Fact::Text(value.to_owned()))
        }
        _ => Fact::Text(value.to_owned()),
    };
    Ok((key.to_owned(), fact))
}

/// Every request that has no answer; in production everything that blocks it, too.
fn refusals(plan: &Plan, mode: Mode) -> Vec<Fault> {
    let mut refusals: Vec<_> = plan.entries.iter().filter_map(|entry| entry.outcome.as_ref().err()).cloned().collect();
    let blockers = match mode {
        Mode::Bringup => Vec::new(),
        Mode::Production => plan.blockers(),
    };
    if !blockers.is_empty() {
        let message = format!("production mode refuses circuit '{}': {} blockers", plan.circuit, blockers.len());
        let fault = Fault::new(Code::NotValidated, message);
        refusals.push(Fault { notes: blockers, ..fault });
    }
    refusals
}

fn shown(plan: &Plan) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(["operation", "phase", "layers", "contract", "provider"]);
    for entry in &plan.entries {
        table.add_row([
            entry.operation.clone(),
            entry.phase.to_string(),
            layers(entry),
            entry.request.contract.clone(),
            match &entry.outcome {
                Ok(decision) => decision.provider.clone(),
                Err(fault) => format!("refused [{}]", fault.code),
            },
        ]);
    }
    let answered = plan.entries.iter().filter(|entry| entry.outcome.is_ok()).count();
    let mut text = format!("circuit '{}'\n{table}\n", plan.circuit);
    text += &format!("{} requests, {answered} resolved\n", plan.entries.len());
    text += &ungoverned(&plan.ungoverned);
    text
}

fn layers(entry: &PlanEntry) -> String {
    match (entry.layers.first(), entry.layers.last()) {
        (Some(first), Some(last)) if usize::try_from(last - first).is_ok_and(|n| n + 1 == entry.layers.len()) => {
            if first == last {
                first.to_string()
            } else {
                format!("{first}-{last}")
            }
        }
        (Some(_), _) => entry.layers.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        _ => "-".to_owned(),
    }
}

fn ungoverned(operations: &[Ungoverned]) -> String {
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for operation in operations {
        places.entry(&operation.op).or_default().push(&operation.place);
    }
    let mut text =
        format!("{} operations are ungoverned: no requirement says how they are computed\n", operations.len());
    for (op, places) in places {
        text += &format!("  {op} at {}\n", places.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::config_value;
    use cke_contracts::circuit::Fact;

    #[test]
    fn values_have_the_type_they_look_like() {
        let value = |text: &str| config_value(text).unwrap().1;
        assert_eq!(value("a=true"), Fact::Bool(true));
        assert_eq!(value("a=-3"), Fact::Integer(-3));
        assert_eq!(value("a=1.5"), Fact::Float(1.5));
        assert_eq!(value("a=fp16"), Fact::Text("fp16".to_owned()));
        assert_eq!(value("a=3b"), Fact::Text("3b".to_owned()));
        assert_eq!(value("a=x=y"), Fact::Text("x=y".to_owned()));
        assert!(config_value("a").is_err() && config_value("=1").is_err());
    }
}
