//! The policy as data: what is forbidden where, and what is allowed all the same, with reasons.

use std::collections::{BTreeMap, BTreeSet};

use cke_contracts::json;
use serde::Deserialize;

use crate::token::{Found, Kind};

/// `contracts/policy/policy.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    pub schema: String,
    pub schema_version: u32,
    /// Folders and files, by the name of the room they make up.
    pub rooms: BTreeMap<String, Vec<String>>,
    pub rules: Vec<Rule>,
    pub allowed: Vec<Allowed>,
}

/// One thing that must not be in our sources.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub name: String,
    pub why: String,
    pub rooms: Vec<String>,
    pub looks_at: Vec<Kind>,
    #[serde(rename = "match")]
    pub matching: Matching,
    pub words: Vec<String>,
}

/// How a word is looked for. Case never matters.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// The token is the word.
    Equals,
    /// The word begins at the beginning of a word of the token: `fallback` in `UseFallbacks` and `no_fallback`.
    Word,
    /// The word is anywhere in the token.
    Contains,
}

/// An exception. One that excuses nothing is a fault.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    pub rule: String,
    /// A file, or a folder with all it holds.
    pub path: String,
    /// The whole tokens excused; none: every token.
    #[serde(default)]
    pub tokens: Vec<String>,
    pub reason: String,
}

impl Policy {
    /// Reads the policy and checks what it says of itself.
    pub fn parse(name: &str, text: &str) -> Result<Self, String> {
        let policy: Self = json::from_str(name, text).map_err(|fault| fault.to_string())?;
        if (policy.schema.as_str(), policy.schema_version) != ("cke.source_policy", 1) {
            return Err("schema must be cke.source_policy, version 1".to_owned());
        }
        let mut names = BTreeSet::new();
        for rule in &policy.rules {
            if !names.insert(rule.name.as_str()) {
                return Err(format!("rule '{}' is there twice", rule.name));
            }
            if rule.words.is_empty() || rule.why.trim().is_empty() || rule.looks_at.is_empty() {
                return Err(format!("rule '{}' says too little", rule.name));
            }
            if let Some(room) = rule.rooms.iter().find(|room| !policy.rooms.contains_key(*room)) {
                return Err(format!("rule '{}' names room '{room}', which there is not", rule.name));
            }
            if let Some(word) = rule.words.iter().find(|word| **word != word.to_lowercase()) {
                return Err(format!("rule '{}': word '{word}' is not lower-case", rule.name));
            }
        }
        for Allowed { rule, path, reason, .. } in &policy.allowed {
            if !names.contains(rule.as_str()) {
                return Err(format!("'{path}' is allowed to break rule '{rule}', which there is not"));
            }
            if reason.trim().is_empty() {
                return Err(format!("'{path}' may break rule '{rule}' for no reason"));
            }
        }
        Ok(policy)
    }

    /// What breaks a rule and is not excused, and what is excused in vain; each as one line.
    pub fn judge(&self, found: &[Found]) -> Vec<String> {
        let mut lines = Vec::new();
        let mut used = BTreeSet::new();
        for token in found {
            for rule in &self.rules {
                let Some(word) = self.broken(rule, token) else { continue };
                let excuses: Vec<_> = self.excuses(rule, token).collect();
                if excuses.is_empty() {
                    lines.push(format!("{token} has '{word}' [{}]: {}", rule.name, rule.why));
                }
                used.extend(excuses);
            }
        }
        for (n, Allowed { rule, path, tokens, .. }) in self.allowed.iter().enumerate() {
            let all = if tokens.is_empty() { &[String::new()] } else { tokens.as_slice() };
            for token in all.iter().filter(|token| !used.contains(&(n, token.as_str()))) {
                lines.push(format!(
                    "allowed[{n}]: '{path}' does not break rule '{rule}' with '{token}': remove the entry"
                ));
            }
        }
        lines
    }

    fn broken<'r>(&self, rule: &'r Rule, token: &Found) -> Option<&'r str> {
        let covers = |room: &String| self.rooms[room].iter().any(|path| is_inside(&token.path, path));
        if !rule.looks_at.contains(&token.kind) || !rule.rooms.iter().any(covers) {
            return None;
        }
        rule.words.iter().map(String::as_str).find(|word| rule.matching.holds(&token.text, word))
    }

    /// The entries that excuse a token: number of the entry and the token as it lists it.
    fn excuses<'p>(&'p self, rule: &'p Rule, token: &'p Found) -> impl Iterator<Item = (usize, &'p str)> {
        self.allowed.iter().enumerate().filter_map(move |(n, allowed)| {
            if allowed.rule != rule.name || !is_inside(&token.path, &allowed.path) {
                return None;
            }
            if allowed.tokens.is_empty() {
                return Some((n, ""));
            }
            allowed.tokens.iter().find(|listed| **listed == token.text).map(|listed| (n, listed.as_str()))
        })
    }
}

impl Matching {
    fn holds(self, token: &str, word: &str) -> bool {
        match self {
            Self::Equals => token.to_lowercase() == word,
            Self::Contains => token.to_lowercase().contains(word),
            Self::Word => words(token).contains(&format!("_{word}")),
        }
    }
}

/// A token as words that each follow a `_`: `_use_fall_back` for `useFall-back`.
fn words(token: &str) -> String {
    let mut text = String::from("_");
    let mut after_lower = false;
    for character in token.chars() {
        if character.is_uppercase() && after_lower {
            text.push('_');
        }
        after_lower = character.is_lowercase() || character.is_ascii_digit();
        if character.is_alphanumeric() { text.extend(character.to_lowercase()) } else { text.push('_') }
    }
    text
}

/// Whether a path is the other or lies below it.
fn is_inside(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || above.ends_with('/'))
}
