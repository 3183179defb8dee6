//! What narrows the choice among providers: groups of equal meaning, and the extents a function is made for.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The place of a provider among others of equal meaning.
///
/// Ranking happens only inside a group: members fulfil the same contracts with the same bits and differ in speed alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderSelection {
    /// The group.
    pub equivalence_group: String,
    /// The greatest priority wins among the members that fit; equal priorities are a fault.
    pub priority: i64,
}

/// What a provider demands of an extent of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// The shape key.
    pub dim: String,
    /// What the extent must be a multiple of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple_of: Option<u32>,
    /// The least extent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<u32>,
    /// The greatest extent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<u32>,
}

impl Constraint {
    /// Whether an extent satisfies it.
    pub fn admits(&self, extent: i64) -> bool {
        extent >= 0
            && self.multiple_of.is_none_or(|factor| factor != 0 && extent % i64::from(factor) == 0)
            && self.minimum.is_none_or(|least| extent >= i64::from(least))
            && self.maximum.is_none_or(|most| extent <= i64::from(most))
    }

    /// Whether it says something that an extent can satisfy; the error is the end of a sentence.
    pub fn check(&self) -> Result<(), String> {
        let Self { dim, multiple_of, minimum, maximum } = self;
        if multiple_of.is_none() && minimum.is_none() && maximum.is_none() {
            return Err(format!("constraint of '{dim}' demands nothing"));
        }
        if *multiple_of == Some(0) {
            return Err(format!("constraint of '{dim}': multiple_of is 0"));
        }
        match (minimum, maximum) {
            (Some(least), Some(most)) if least > most => {
                Err(format!("constraint of '{dim}': minimum {least} is greater than maximum {most}"))
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.multiple_of.map(|factor| format!("a multiple of {factor}")),
            self.minimum.map(|least| format!("at least {least}")),
            self.maximum.map(|most| format!("at most {most}")),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        write!(f, "'{}' must be {}", self.dim, parts.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::Constraint;

    fn constraint(multiple_of: Option<u32>, minimum: Option<u32>, maximum: Option<u32>) -> Constraint {
        Constraint { dim: "k".to_owned(), multiple_of, minimum, maximum }
    }

    #[test]
    fn extents_are_admitted_by_every_part() {
        let whole = constraint(Some(256), Some(256), Some(1024));
        assert!(whole.admits(256) && whole.admits(1024));
        assert!(!whole.admits(0) && !whole.admits(300) && !whole.admits(1280) && !whole.admits(-256));
        assert_eq!(whole.to_string(), "'k' must be a multiple of 256 and at least 256 and at most 1024");
    }

    #[test]
    fn constraints_that_say_nothing_or_too_much_are_refused() {
        assert!(constraint(None, None, None).check().unwrap_err().contains("demands nothing"));
        assert!(constraint(Some(0), None, None).check().unwrap_err().contains("multiple_of is 0"));
        assert!(constraint(None, Some(2), Some(1)).check().unwrap_err().contains("greater than"));
        assert_eq!(constraint(None, Some(1), Some(1)).check(), Ok(()));
    }
}
