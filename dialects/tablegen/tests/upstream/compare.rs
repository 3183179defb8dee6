//! Compares two dumps of records by what they mean: names of anonymous records differ, what they hold may not.
//!
//! The records a file defines must agree in every field, both ways. Of the records of the prelude, which declares only
//! a part of MLIR's fields, the fields that both have must agree.

use serde_json::{Map, Value};

type Record = Map<String, Value>;

/// Everything in which `ours` differs from `theirs`, a line each. `own` are the records the file itself defines.
pub fn differences(ours: &Value, theirs: &Value, own: &[&str]) -> Vec<String> {
    let mut comparison = Comparison { ours, theirs, differences: Vec::new() };
    for name in own {
        comparison.own_record(name);
    }
    let names = ours.as_object().expect("a dump is an object").keys();
    for name in names.filter(|name| !name.starts_with('!') && !own.contains(&name.as_str())) {
        if record(ours, name).is_some_and(|record| record["!anonymous"] == false) {
            comparison.shared_fields(name, name, name);
        }
    }
    comparison.differences
}

fn record<'a>(dump: &'a Value, name: &str) -> Option<&'a Record> {
    dump.get(name).and_then(Value::as_object)
}

struct Comparison<'a> {
    ours: &'a Value,
    theirs: &'a Value,
    differences: Vec<String>,
}

impl Comparison<'_> {
    fn differ(&mut self, path: &str, ours: impl std::fmt::Display, theirs: impl std::fmt::Display) {
        self.differences.push(format!("{path}: {ours} here, {theirs} there"));
    }

    fn own_record(&mut self, name: &str) {
        let (Some(ours), Some(theirs)) = (record(self.ours, name), record(self.theirs, name)) else {
            return self.differ(name, "a record", "none");
        };
        for key in ["!superclasses", "!anonymous"] {
            if ours[key] != theirs[key] {
                self.differ(&format!("{name}.{key}"), &ours[key], &theirs[key]);
            }
        }
        let fields =
            |record: &Record| -> Vec<String> { record.keys().filter(|key| !key.starts_with('!')).cloned().collect() };
        if fields(ours) != fields(theirs) {
            self.differ(name, format!("{:?}", fields(ours)), format!("{:?}", fields(theirs)));
        }
        self.shared_fields(name, name, name);
    }

    /// Compares the fields two records share.
    fn shared_fields(&mut self, path: &str, our_name: &str, their_name: &str) {
        let (Some(ours), Some(theirs)) = (record(self.ours, our_name), record(self.theirs, their_name)) else {
            return self.differ(path, our_name, their_name);
        };
        for (field, value) in ours.iter().filter(|(key, _)| !key.starts_with('!')) {
            if let Some(other) = theirs.get(field) {
                self.value(&format!("{path}.{field}"), value, other);
            }
        }
    }

    fn value(&mut self, path: &str, ours: &Value, theirs: &Value) {
        match (ours, theirs) {
            (Value::Array(ours), Value::Array(theirs)) if ours.len() == theirs.len() => {
                for (index, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
                    self.value(&format!("{path}[{index}]"), ours, theirs);
                }
            }
            (Value::Object(ours), Value::Object(theirs)) if ours["kind"] == theirs["kind"] => {
                if ours["kind"] == "dag" {
                    self.value(&format!("{path}.operator"), &ours["operator"], &theirs["operator"]);
                    self.value(path, &ours["args"], &theirs["args"]);
                } else {
                    self.reference(path, &ours["def"], &theirs["def"]);
                }
            }
            _ if ours == theirs => {}
            _ => self.differ(path, ours, theirs),
        }
    }

    fn reference(&mut self, path: &str, ours: &Value, theirs: &Value) {
        let (our_name, their_name) = (ours.as_str().unwrap_or_default(), theirs.as_str().unwrap_or_default());
        let is_anonymous = |dump, name| record(dump, name).is_some_and(|record| record["!anonymous"] == true);
        match (is_anonymous(self.ours, our_name), is_anonymous(self.theirs, their_name)) {
            (true, true) => {
                let classes = |dump, name| record(dump, name).map(|record| record["!superclasses"].clone());
                let (ours, theirs) = (classes(self.ours, our_name), classes(self.theirs, their_name));
                let last = |classes: &Option<Value>| {
                    classes.as_ref().and_then(Value::as_array).and_then(|classes| classes.last().cloned())
                };
                if last(&ours) != last(&theirs) {
                    self.differ(path, format!("{ours:?}"), format!("{theirs:?}"));
                }
                self.shared_fields(path, our_name, their_name);
            }
            _ if our_name == their_name => {}
            _ => self.differ(path, our_name, their_name),
        }
    }
}
