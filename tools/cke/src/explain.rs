//! `cke explain`: the page of a fault code.

use crate::cli::ExplainArguments;
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

/// Runs the sub-command.
pub fn run(arguments: &ExplainArguments) -> Result<()> {
    let pages = pages();
    let Some(wanted) = &arguments.code else {
        for page in pages {
            println!("{}  {}", page.code, page.title);
        }
        return Ok(());
    };
    let wanted = wanted.to_ascii_uppercase();
    let Some(page) =
        pages.iter().find(|page| page.code.trim_start_matches("CKE-") == wanted.trim_start_matches("CKE-"))
    else {
        bail!("error: '{wanted}' is no fault code; `cke explain` lists all of them");
    };
    println!("{}: {}\n\n{}", page.code, page.title, textwrap::fill(page.text, 100));
    Ok(())
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
