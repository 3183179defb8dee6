//! Writes the JSON Schemas of the file formats into a directory; `make docs` runs it.

use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let directory = PathBuf::from(std::env::args_os().nth(1).expect("usage: schemas DIRECTORY"));
    std::fs::create_dir_all(&directory)?;
    cke_contracts::schema::published()
        .iter()
        .try_for_each(|published| std::fs::write(directory.join(published.file), published.text()))
}
