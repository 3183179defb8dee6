//! `cke evidence show --html`: the matrix as one page that needs nothing else, no script either.

use super::show::{KINDS, cell, columns, names, verdict};
use cke_contracts::evidence::{Evidence, Matrix, Record, Row};
use std::fmt::Write as _;

/// The page.
pub fn page(matrix: &Matrix, evidence: &Evidence) -> String {
    let mut html = String::from(HEAD);
    let count = |word| matrix.rows.iter().filter(|row| verdict(row) == word).count();
    let [supported, stale, missing] = ["supported", "stale", "missing"].map(count);
    put(&mut html, format_args!("<h1>Evidence</h1>\n<p class=\"sum\">{} claims: ", matrix.rows.len()));
    put(&mut html, format_args!("<b class=\"supported\">{supported} supported</b>, "));
    put(
        &mut html,
        format_args!("<b class=\"stale\">{stale} stale</b>, <b class=\"missing\">{missing} missing</b>.</p>\n"),
    );
    for (heading, of_kind) in KINDS {
        let columns = columns(matrix, of_kind);
        put(&mut html, format_args!("<h2>{heading}</h2>\n<table>\n<tr><th>Claim</th><th>Status</th><th>Records</th>"));
        for (need, isa) in &columns {
            put(&mut html, format_args!("<th>{}<br><small>{}</small></th>", escape(need), escape(isa)));
        }
        html.push_str("</tr>\n");
        for row in matrix.rows.iter().filter(|row| of_kind(&row.claim)) {
            write_row(&mut html, row, &columns);
        }
        html.push_str("</table>\n");
    }
    html.push_str("<h2>Records</h2>\n");
    for file in evidence.files() {
        let title = format!("{} on {} ({} records)", file.provider, file.isa, file.records.len());
        put(&mut html, format_args!("<details><summary>{}</summary>\n", escape(&title)));
        put(&mut html, format_args!("<p>Machine code made by LLVM {}.</p>\n", escape(&file.llvm)));
        file.records.iter().for_each(|record| write_record(&mut html, record));
        html.push_str("</details>\n");
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn write_row(html: &mut String, row: &Row, columns: &[(String, String)]) {
    let (who, what) = names(&row.claim);
    let word = verdict(row);
    put(html, format_args!("<tr><td>{}<br><small>{}</small></td><td>{}</td>", escape(&who), escape(&what), row.status));
    put(html, format_args!("<td class=\"{word}\">{word}"));
    for flaw in &row.flaws {
        put(html, format_args!("<br><small>{}</small>", escape(flaw)));
    }
    html.push_str("</td>");
    for column in columns {
        match cell(row, column) {
            None => html.push_str("<td class=\"none\">–</td>"),
            Some(cell) => {
                let word = cell.verdict.word();
                let verdict = escape(&cell.verdict.to_string());
                if cell.verdict.is_supported() {
                    put(html, format_args!("<td class=\"{word}\" title=\"{verdict}\">{word}</td>"));
                } else {
                    put(html, format_args!("<td class=\"{word}\"><details><summary>{word}</summary>{verdict}<br>"));
                    put(html, format_args!("<code>{}</code></details></td>", escape(&cell.rerun())));
                }
            }
        }
    }
    html.push_str("</tr>\n");
}

fn write_record(html: &mut String, record: &Record) {
    let list = |items: Vec<String>| escape(&items.join(", "));
    let title = format!("{} of {} for shapes '{}'", record.level, record.contract, record.shape_class);
    put(html, format_args!("<h3>{}</h3>\n<dl>", escape(&title)));
    let kernels = record.kernels.iter().map(|kernel| {
        let shape: Vec<_> = kernel.shape.iter().map(|(name, extent)| format!("{name}={extent}")).collect();
        format!("{} {}", kernel.phase, shape.join(" "))
    });
    for (name, value) in [
        ("cases", record.cases.to_string()),
        ("elements compared", record.comparisons.to_string()),
        ("mismatches", record.mismatches.to_string()),
        ("threads", list(record.threads.iter().map(ToString::to_string).collect())),
        ("inputs", list(record.inputs.iter().map(ToString::to_string).collect())),
        ("oracle", record.oracle.to_string()),
        ("kernels", list(kernels.collect())),
        ("provider", escape(&record.digests.provider)),
        ("contract", escape(&record.digests.contract)),
        ("generated code", escape(&record.digests.code)),
        ("results", escape(&record.digests.results)),
    ] {
        put(html, format_args!("<dt>{name}</dt><dd>{value}</dd>"));
    }
    html.push_str("</dl>\n");
}

fn put(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).expect("a string takes everything");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence</title>
<style>
:root { color-scheme: light dark; --line: #8884; --good: #1a7f37; --old: #9a6700; --bad: #cf222e; }
@media (prefers-color-scheme: dark) { :root { --good: #3fb950; --old: #d29922; --bad: #f85149; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 78rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-weight: 600; } h2 { margin-top: 2.2rem; font-weight: 600; } h3 { font-size: 1rem; margin: 1rem 0 .3rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .7rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; } small { opacity: .7; } code { font: .85em/1.4 ui-monospace, monospace; }
.supported { color: var(--good); } .stale { color: var(--old); font-weight: 600; }
.missing { color: var(--bad); font-weight: 600; } .none { opacity: .4; }
td details { font-weight: 400; max-width: 22rem; } summary { cursor: pointer; }
dl { display: grid; grid-template-columns: 10rem 1fr; gap: .15rem 1rem; margin: 0 0 1rem 1rem; }
dt { opacity: .7; } dd { margin: 0; overflow-wrap: anywhere; font: .9em/1.5 ui-monospace, monospace; }
</style>
</head>
<body>
"#;
