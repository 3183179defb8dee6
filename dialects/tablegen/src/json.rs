//! Records as JSON, laid out as `llvm-tblgen --dump-json` does: tools that read the one can read the other.

use crate::record::{Dag, Record, Records, Value};
use serde_json::{Map, Value as Json, json};

/// The records as one JSON object: an entry a record, and `!instanceof` with the records of each class.
pub fn to_json(records: &Records) -> Json {
    let mut root = Map::new();
    let mut instances = Map::new();
    for record in records.iter() {
        root.insert(record.name.clone(), record_json(records, record));
        for class in &record.classes {
            let entry = instances.entry(class).or_insert_with(|| json!([]));
            if let Json::Array(names) = entry
                && names.last().is_none_or(|last| *last != record.name)
            {
                names.push(json!(record.name));
            }
        }
    }
    root.insert("!instanceof".into(), Json::Object(instances));
    Json::Object(root)
}

fn record_json(records: &Records, record: &Record) -> Json {
    let mut object = Map::new();
    object.insert("!name".into(), json!(record.name));
    object.insert("!anonymous".into(), json!(record.anonymous));
    object.insert("!superclasses".into(), json!(record.classes));
    object.insert("!locs".into(), json!([record.location.to_string()]));
    for (name, field) in &record.fields {
        object.insert(name.clone(), value_json(records, &field.value));
    }
    Json::Object(object)
}

fn value_json(records: &Records, value: &Value) -> Json {
    match value {
        Value::Unset => Json::Null,
        Value::Int(number) => json!(number),
        Value::Bits(bits) => bits.iter().map(|bit| u8::from(*bit)).collect(),
        Value::String(text) => json!(text.as_str()),
        Value::List(elements) => elements.iter().map(|element| value_json(records, element)).collect(),
        Value::Dag(dag) => dag_json(records, dag),
        Value::Record(id) => {
            let name = &records.get(*id).name;
            json!({"kind": "def", "def": name, "printable": name})
        }
    }
}

fn dag_json(records: &Records, dag: &Dag) -> Json {
    let arguments: Json =
        dag.arguments.iter().map(|argument| json!([value_json(records, &argument.value), argument.name])).collect();
    json!({"kind": "dag", "operator": value_json(records, &Value::Record(dag.operator)), "args": arguments})
}
