//! The circuits of this project.

use super::Circuit;

const CIRCUITS: &[(&str, &str)] = &[("circuits/llama.json", include_str!("../../data/circuits/llama.json"))];

/// Every native circuit.
pub(super) fn circuits() -> Vec<Circuit> {
    let parse = |(name, text): &(&str, &str)| Circuit::parse(name, text).expect("a test parses every native circuit");
    CIRCUITS.iter().map(parse).collect()
}
