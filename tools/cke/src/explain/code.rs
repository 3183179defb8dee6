//! The pages of the fault codes of all crates.

use crate::output::print;
use anyhow::{Result, bail};

/// A code of any crate.
struct Page {
    code: &'static str,
    title: &'static str,
    text: &'static str,
}

fn pages() -> Vec<Page> {
    macro_rules! of {
        ($code:ty) => {
            <$code>::ALL.iter().map(|code| Page { code: code.as_str(), title: code.title(), text: code.page() })
        };
    }
    let mut pages: Vec<Page> =
        of!(cke_contracts::fault::Code).chain(of!(cke_passes::Code)).chain(of!(cke_runtime::fault::Code)).collect();
    pages.sort_by_key(|page| page.code);
    pages
}

/// Prints every code with its title.
pub fn list() -> Result<()> {
    let lines: Vec<_> = pages().iter().map(|page| format!("{}  {}\n", page.code, page.title)).collect();
    print(&lines.concat())
}

/// Prints the page of a code.
pub fn page(wanted: &str) -> Result<()> {
    let wanted = wanted.to_ascii_uppercase();
    let number = |code: &str| code.trim_start_matches("CKE-").to_owned();
    let pages = pages();
    let Some(page) = pages.iter().find(|page| number(page.code) == number(&wanted)) else {
        bail!(
            "error: '{wanted}' is no fault code; `cke explain` lists all of them, and `--in FILE.mlir` explains an \
             operation of a module"
        );
    };
    print(&format!("{}: {}\n\n{}\n", page.code, page.title, textwrap::fill(page.text, 100)))
}

#[cfg(test)]
mod tests {
    use super::pages;

    #[test]
    fn codes_of_all_crates_are_distinct_and_explained() {
        let pages = pages();
        assert!(pages.windows(2).all(|pair| pair[0].code < pair[1].code));
        assert!(pages.iter().all(|page| !page.title.is_empty() && page.text.ends_with('.')));
    }
}
