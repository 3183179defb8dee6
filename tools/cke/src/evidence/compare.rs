//! Comparisons of whole models: whose output differs, and which tokens count.
//!
//! A comparison that cannot say whose output differs says so. Naming the wrong occurrence costs more than naming none.

use anyhow::{Result, bail};
use cke_contracts::registry::{PortKind, Registry};
use cke_runtime::program::{ArgValue, Invoke, Step};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

/// A call in an entry with what it reads and writes, in bytes of the state block.
pub struct Occurrence {
    /// Its instance, which no other call of the entry has.
    pub name: String,
    /// What it reads and does not write.
    pub reads: Vec<Range<usize>>,
    /// What it writes.
    pub writes: Vec<Range<usize>>,
    /// What it leaves behind without meaning.
    pub scratch: Vec<Range<usize>>,
}

/// Whose output differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Culprit {
    /// The output of this occurrence differs although its inputs are equal.
    Named(String),
    /// It cannot be said; these come into question.
    Unknown(Vec<String>),
}

impl fmt::Display for Culprit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(name) => write!(f, "'{name}': its inputs are equal, its output is not"),
            Self::Unknown(names) if names.is_empty() => f.write_str("unknown: no call writes there"),
            Self::Unknown(names) => write!(f, "unknown; it may be any of {}", names.join(", ")),
        }
    }
}

/// The occurrences of an entry in order. Two of one name could be taken for each other and are refused.
pub fn occurrences(registry: &Registry, steps: &[Step]) -> Result<Vec<Occurrence>> {
    let mut names = BTreeSet::new();
    let mut occurrences = Vec::new();
    for step in steps {
        let Step::Invoke(invoke) = step else { continue };
        if !names.insert(&invoke.instance) {
            bail!("error: two calls are named '{}': their tensors could not be told apart", invoke.instance);
        }
        occurrences.push(occurrence(registry, invoke)?);
    }
    Ok(occurrences)
}

fn occurrence(registry: &Registry, invoke: &Invoke) -> Result<Occurrence> {
    let Some(provider) = registry.providers.get(&invoke.provider) else {
        bail!("error: provider '{}' is not defined", invoke.provider);
    };
    let of = |wanted: &dyn Fn(PortKind) -> bool| -> Vec<Range<usize>> {
        let ports = invoke.args.iter().filter_map(|arg| {
            let ArgValue::Offset(offset) = arg.value else { return None };
            let (kind, _) = provider.port(&arg.name)?;
            wanted(kind).then_some(offset as usize..(offset + arg.bytes) as usize)
        });
        ports.collect()
    };
    // A call with outputs reads its states; one without writes them.
    let writes_states = provider.outputs.is_empty();
    Ok(Occurrence {
        name: invoke.instance.clone(),
        reads: of(&|kind| match kind {
            PortKind::State => !writes_states,
            kind => matches!(kind, PortKind::Input | PortKind::Weight),
        }),
        writes: of(&|kind| kind == PortKind::Output || kind == PortKind::State && writes_states),
        scratch: of(&|kind| kind == PortKind::Scratch),
    })
}

/// The words of two states that differ, scratch left out.
pub fn differing(occurrences: &[Occurrence], expected: &[u8], found: &[u8]) -> Vec<usize> {
    let scratch = |byte| occurrences.iter().flat_map(|o| &o.scratch).any(|range| range.contains(&byte));
    let words = expected.chunks_exact(4).zip(found.chunks_exact(4)).enumerate();
    words.filter(|(word, (one, other))| one != other && !scratch(4 * word)).map(|(word, _)| 4 * word).collect()
}

/// Whose output differs, of those that may have written the differing bytes of a state after an entry has run.
///
/// Only what is still there can be judged: an occurrence is named if nobody else writes its output or its inputs, and
/// its inputs are equal. Memory is used again and operations may work in place, so often the answer is `Unknown`.
pub fn culprit(occurrences: &[Occurrence], bytes: &[usize]) -> Culprit {
    let touches = |ranges: &[Range<usize>], byte: usize| ranges.iter().any(|range| range.contains(&byte));
    let overlaps = |one: &[Range<usize>], other: &[Range<usize>]| {
        one.iter().any(|a| other.iter().any(|b| a.start < b.end && b.start < a.end))
    };
    let writers: Vec<_> = occurrences.iter().filter(|o| bytes.iter().any(|&byte| touches(&o.writes, byte))).collect();
    let overwritten_from =
        |index: usize, ranges: &[Range<usize>]| occurrences[index..].iter().any(|o| overlaps(&o.writes, ranges));
    for (index, one) in occurrences.iter().enumerate() {
        let wrote = bytes.iter().any(|&byte| touches(&one.writes, byte));
        let alone = occurrences.iter().filter(|other| overlaps(&other.writes, &one.writes)).count() == 1;
        let equal = !bytes.iter().any(|&byte| touches(&one.reads, byte));
        if wrote && alone && equal && !overwritten_from(index, &one.reads) {
            return Culprit::Named(one.name.clone());
        }
    }
    Culprit::Unknown(writers.into_iter().map(|o| o.name.clone()).collect())
}

/// How many tokens count and are equal: those up to the first end of text, that one included. What a model says after
/// it has ended says nothing of the model.
///
/// # Errors
///
/// The first token that differs, or a sequence that stops before its end.
pub fn compare_tokens(expected: &[u32], found: &[u32], end: Option<u32>) -> Result<usize, String> {
    let counted = expected.iter().position(|&token| Some(token) == end).map_or(expected.len(), |at| at + 1);
    for (index, token) in expected[..counted].iter().enumerate() {
        match found.get(index) {
            Some(other) if other == token => {}
            Some(other) => return Err(format!("token {index} is {other}, expected {token}")),
            None => return Err(format!("there are {} tokens, expected {counted}", found.len())),
        }
    }
    if counted == expected.len() && found.len() > expected.len() && expected.last().copied() != end {
        return Err(format!("there are {} tokens, expected {counted}", found.len()));
    }
    Ok(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, reads: Range<usize>, writes: Range<usize>) -> Occurrence {
        Occurrence { name: name.to_owned(), reads: vec![reads], writes: vec![writes], scratch: Vec::new() }
    }

    #[test]
    fn an_output_that_differs_with_equal_inputs_is_named() {
        let calls = [call("norm", 0..8, 8..16), call("query", 8..16, 16..24)];
        assert_eq!(culprit(&calls, &[16, 20]), Culprit::Named("query".to_owned()));
        // The error is older than the last output: the first one explains both.
        assert_eq!(culprit(&calls, &[8, 20]), Culprit::Named("norm".to_owned()));
    }

    /// Projection, norm and rotation of a query in one place: what is there at the end may come from any of them.
    #[test]
    fn regression_37_a_tensor_of_several_calls_is_unknown() {
        let calls = [call("query", 0..8, 8..16), call("norm", 8..16, 8..16), call("rotation", 8..16, 8..16)];
        let names = ["query", "norm", "rotation"].map(str::to_owned).to_vec();
        assert_eq!(culprit(&calls, &[12]), Culprit::Unknown(names));
        // Its input was used again: whether it was equal cannot be seen any more.
        let calls = [call("norm", 0..8, 8..16), call("query", 8..16, 16..24), call("value", 32..40, 8..16)];
        assert_eq!(culprit(&calls, &[16]), Culprit::Unknown(vec!["query".to_owned()]));
        assert_eq!(culprit(&calls, &[64]).to_string(), "unknown: no call writes there");
    }

    #[test]
    fn an_input_that_differs_from_the_start_clears_its_reader() {
        let calls = [call("norm", 0..8, 8..16)];
        assert_eq!(culprit(&calls, &[0, 8]), Culprit::Unknown(vec!["norm".to_owned()]));
    }

    #[test]
    fn scratch_is_no_output() {
        let mut calls = [call("attention", 0..8, 8..16)];
        calls[0].scratch.push(16..24);
        let (one, mut other) = ([0_u8; 32], [0_u8; 32]);
        other[20] = 1;
        assert_eq!(differing(&calls, &one, &other), Vec::<usize>::new());
        other[29] = 1;
        assert_eq!(differing(&calls, &one, &other), [28]);
    }

    #[test]
    fn regression_34_tokens_after_the_end_do_not_count() {
        assert_eq!(compare_tokens(&[5, 6, 2, 9], &[5, 6, 2, 7], Some(2)), Ok(3));
        assert_eq!(compare_tokens(&[5, 6, 2, 9], &[5, 6, 2], Some(2)), Ok(3));
        assert_eq!(compare_tokens(&[5, 6, 2], &[5, 2, 6], Some(2)), Err("token 1 is 2, expected 6".to_owned()));
        assert_eq!(compare_tokens(&[5, 6], &[5, 2], Some(2)), Err("token 1 is 2, expected 6".to_owned()));
        assert_eq!(compare_tokens(&[5, 6, 7], &[5, 6], None), Err("there are 2 tokens, expected 3".to_owned()));
        assert_eq!(compare_tokens(&[5, 6], &[5, 6, 7], None), Err("there are 3 tokens, expected 2".to_owned()));
        assert_eq!(compare_tokens(&[5, 2, 7], &[5, 2, 8], None), Err("token 2 is 8, expected 7".to_owned()));
    }

    /// Two tensors of one name are not told apart by guessing.
    #[test]
    fn regression_34_occurrences_have_names_of_their_own() {
        let registry = Registry::native().unwrap();
        let invoke = Invoke {
            instance: "decode/blk.0/attn_q".to_owned(),
            symbol: "k".to_owned(),
            op: "linear".to_owned(),
            contract: "linear_fp32_ascending_k_fma".to_owned(),
            provider: "cke_linear_fp32".to_owned(),
            function: "cke_linear_fp32".to_owned(),
            shape: Default::default(),
            params: Default::default(),
            args: Vec::new(),
        };
        let step = Step::Invoke(Box::new(invoke));
        let error = occurrences(&registry, &[step.clone(), step]).err().map(|error| error.to_string());
        assert!(error.is_some_and(|text| text.contains("two calls are named 'decode/blk.0/attn_q'")));
    }
}
