//! docs/regressions.md and the tests it names are kept equal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The cases that apply to this project.
const CASES: [u32; 30] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 16, 17, 18, 19, 21, 22, 24, 25, 26, 27, 29, 30, 32, 33, 34, 35, 37];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder above").to_owned()
}

/// The names of tests `regression_NN_...` in Rust sources below a path, by case.
fn tests(path: &Path, found: &mut BTreeMap<u32, BTreeSet<String>>) {
    for entry in std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && !["target", "build", "fuzz"].contains(&name.as_str()) {
            tests(&path, found);
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(&path).expect("a source in UTF-8");
            let mut is_test = false;
            for line in text.lines().map(str::trim) {
                if let Some(rest) = line.strip_prefix("fn regression_").filter(|_| is_test) {
                    let (case, _) = rest.split_once('_').expect("a number and a name");
                    let name = rest.split('(').next().expect("a name");
                    found.entry(case.parse().expect("a number")).or_default().insert(format!("regression_{name}"));
                }
                is_test = line == "#[test]" || (is_test && line.starts_with("#["));
            }
        }
    }
}

/// The rows of the table: the number of the case and the cells.
fn table() -> Vec<(u32, Vec<String>)> {
    let text = std::fs::read_to_string(root().join("docs/regressions.md")).expect("the page");
    let row = |line: &str| {
        let cells: Vec<_> =
            line.strip_prefix('|')?.trim_end_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        Some((cells.first()?.parse().ok()?, cells))
    };
    text.lines().filter_map(row).collect()
}

#[test]
fn every_case_has_a_row() {
    let numbers: Vec<_> = table().iter().map(|(case, _)| *case).collect();
    assert_eq!(numbers, CASES);
    for (case, cells) in table() {
        assert!(cells.len() == 4 && cells.iter().all(|cell| !cell.is_empty()), "case {case} says too little");
    }
}

#[test]
fn every_named_test_exists() {
    let mut found = BTreeMap::new();
    tests(&root(), &mut found);
    let mut lines = Vec::new();
    for (case, cells) in table() {
        let named: BTreeSet<_> = cells[3].split(',').map(|name| name.trim().trim_matches('`').to_owned()).collect();
        let tests = found.remove(&case).unwrap_or_default();
        lines.extend(named.difference(&tests).map(|name| format!("case {case}: there is no test '{name}'")));
        lines.extend(tests.difference(&named).map(|name| format!("case {case}: the table lacks '{name}'")));
    }
    lines.extend(found.into_values().flatten().map(|name| format!("'{name}' is of a case that the table lacks")));
    assert!(lines.is_empty(), "docs/regressions.md and the tests disagree:\n{}", lines.join("\n"));
}
