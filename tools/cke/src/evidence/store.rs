//! Records on disk: `<folder>/<provider>/<instruction set>.json`.

use anyhow::{Context as _, Result, anyhow};
use cke_contracts::evidence::{Evidence, EvidenceFile, check_promotion};
use std::fs;
use std::path::{Path, PathBuf};

/// All records of a folder.
pub fn read(folder: &Path) -> Result<Evidence> {
    let mut evidence = Evidence::default();
    for path in files(folder)? {
        evidence.insert(read_file(&path)?);
    }
    Ok(evidence)
}

/// The evidence of a provider on an instruction set, if there is any.
pub fn find(folder: &Path, provider: &str, isa: &str) -> Result<Option<EvidenceFile>> {
    let path = place(folder, provider, isa);
    path.is_file().then(|| read_file(&path)).transpose()
}

/// Writes a file, unless it would say worse of whole models than the one in its place.
pub fn write(folder: &Path, file: &EvidenceFile) -> Result<()> {
    let path = place(folder, &file.provider, &file.isa);
    if let Some(before) = find(folder, &file.provider, &file.isa)? {
        check_promotion(&before, file).map_err(|rule| anyhow!("{}: error: refused: {rule}", path.display()))?;
    }
    let parent = path.parent().expect("a file in a folder");
    fs::create_dir_all(parent).with_context(|| format!("error: cannot make '{}'", parent.display()))?;
    fs::write(&path, file.text()).with_context(|| format!("error: cannot write '{}'", path.display()))
}

fn place(folder: &Path, provider: &str, isa: &str) -> PathBuf {
    folder.join(provider).join(format!("{isa}.json"))
}

fn read_file(path: &Path) -> Result<EvidenceFile> {
    let name = path.display().to_string();
    let text = fs::read_to_string(path).with_context(|| format!("{name}: error: cannot be read"))?;
    EvidenceFile::parse(&name, &text).map_err(|fault| anyhow!("{fault}"))
}

/// The files one folder below, in the order of their names.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let list = |folder: &Path| -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).with_context(|| format!("{}: error: cannot be read", folder.display()))?;
        entries.map(|entry| Ok(entry?.path())).collect()
    };
    let mut found = Vec::new();
    for inner in list(folder)?.iter().filter(|path| path.is_dir()) {
        found.extend(list(inner)?.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "json")));
    }
    found.sort();
    Ok(found)
}
