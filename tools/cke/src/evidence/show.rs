//! `cke evidence show`: the matrix as a table.

use cke_contracts::evidence::{Claim, Matrix, Row};
use comfy_table::{Table, presets};

/// The word for a row: what the records allow, beside what it says.
pub fn verdict(row: &Row) -> &'static str {
    if row.is_supported() {
        return "supported";
    }
    let stale = row.flaws.is_empty() && row.unmet().iter().any(|cell| cell.verdict.word() == "stale");
    if stale { "stale" } else { "missing" }
}

/// Whether a claim is of a kind.
type IsOfKind = fn(&Claim) -> bool;

/// The kinds of claims in order, with their headings.
pub const KINDS: [(&str, IsOfKind); 3] = [
    ("Capabilities", |claim| matches!(claim, Claim::Capability { .. })),
    ("Contracts", |claim| matches!(claim, Claim::Contract { .. })),
    ("Requirements", |claim| matches!(claim, Claim::Requirement { .. })),
];

/// The columns of a kind: level, class of shapes and instruction set of any of its needs, in order.
pub fn columns(matrix: &Matrix, of_kind: fn(&Claim) -> bool) -> Vec<(String, String)> {
    let mut columns = Vec::new();
    for cell in matrix.rows.iter().filter(|row| of_kind(&row.claim)).flat_map(|row| &row.cells) {
        let column = (format!("{} {}", cell.need.level, cell.need.shape_class), cell.isa.clone());
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns.sort();
    columns
}

/// The name of a claim in two parts: who, and of what.
pub fn names(claim: &Claim) -> (String, String) {
    match claim {
        Claim::Capability { provider, contract } => (provider.clone(), contract.clone()),
        Claim::Contract { contract } => (contract.clone(), String::new()),
        Claim::Requirement { circuit, operation, phase, contract } => {
            (format!("{circuit}: {operation}, {phase}"), contract.clone())
        }
    }
}

/// The best of a row's cells in a column.
pub fn cell<'r>(row: &'r Row, column: &(String, String)) -> Option<&'r cke_contracts::evidence::Cell> {
    let here = row.cells.iter().filter(|cell| {
        (format!("{} {}", cell.need.level, cell.need.shape_class), &cell.isa) == (column.0.clone(), &column.1)
    });
    here.max_by_key(|cell| cell.verdict.is_supported())
}

/// The tables of all claims, and below them the command for every one that is not supported.
pub fn table(matrix: &Matrix) -> String {
    let mut text = String::new();
    for (heading, of_kind) in KINDS {
        let columns = columns(matrix, of_kind);
        let mut table = Table::new();
        let heads = columns.iter().map(|(need, isa)| format!("{need}\n{isa}"));
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_header([heading.to_owned(), "status".to_owned(), "records".to_owned()].into_iter().chain(heads));
        for row in matrix.rows.iter().filter(|row| of_kind(&row.claim)) {
            let (who, what) = names(&row.claim);
            let name = if what.is_empty() { who } else { format!("{who}\n  {what}") };
            let mut line = vec![name, row.status.to_string(), verdict(row).to_owned()];
            line.extend(
                columns.iter().map(|column| cell(row, column).map_or("-", |cell| cell.verdict.word()).to_owned()),
            );
            table.add_row(line);
        }
        text.push_str(&format!("{table}\n\n"));
    }
    for row in matrix.rows.iter().filter(|row| !row.is_supported()) {
        for flaw in &row.flaws {
            text.push_str(&format!("{}: {flaw}\n", row.claim));
        }
        for cell in row.unmet() {
            text.push_str(&format!("{}: {} on {}: {}\n", row.claim, cell.need.level, cell.isa, cell.verdict));
            text.push_str(&format!("  {}\n", cell.rerun()));
        }
    }
    text
}
