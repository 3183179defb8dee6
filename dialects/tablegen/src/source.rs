//! Reads a definition file and what it includes, and resolves its records.

use crate::error::{Error, Location};
use crate::eval;
use crate::parse::{self, Part};
use crate::prelude;
use crate::record::{Record, Records};
use crate::scan;
use crate::syntax::Statement;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How deep includes may nest: a file may include itself.
const MAX_INCLUDES: usize = 32;

/// A definition file with every record resolved.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name of the file as it was asked for.
    pub name: Arc<str>,
    /// The records of the file and of what it includes.
    pub records: Records,
    /// The files that were read from disk: the file itself first.
    pub files: Vec<PathBuf>,
}

impl Source {
    /// Reads a file. An include is a file of MLIR that this crate knows, or a path relative to the including file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::new(&Location::start(&name), format!("cannot read this file: {error}")))?;
        Self::resolve(&name, &text, path)
    }

    /// Reads text as if it were the content of the file `name` in the current directory.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Error> {
        Self::resolve(name, text, Path::new(name))
    }

    fn resolve(name: &str, text: &str, path: &Path) -> Result<Self, Error> {
        let mut loader = Loader { files: vec![path.to_path_buf()], ..Loader::default() };
        loader.load(name, text, path, 0)?;
        let records = eval::evaluate(&loader.statements)?;
        Ok(Self { name: name.into(), records, files: loader.files })
    }

    /// The named records that the file itself defines.
    pub fn own_records(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().filter(|record| !record.anonymous && record.location.file == self.name)
    }
}

#[derive(Default)]
struct Loader {
    macros: BTreeSet<String>,
    statements: Vec<Statement>,
    files: Vec<PathBuf>,
}

impl Loader {
    fn load(&mut self, name: &str, text: &str, path: &Path, depth: usize) -> Result<(), Error> {
        let prepared = scan::prepare(text, name, &mut self.macros)?;
        for part in parse::parse(&prepared, &name.into())? {
            match part {
                Part::Statement(statement) => self.statements.push(statement),
                Part::Include { path: included, location } => {
                    if depth == MAX_INCLUDES {
                        return Err(Error::new(&location, format!("includes nest deeper than {MAX_INCLUDES}")));
                    }
                    self.include(&included, &location, path, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn include(&mut self, included: &str, location: &Location, includer: &Path, depth: usize) -> Result<(), Error> {
        if let Some(text) = prelude::find(included) {
            return self.load(included, text, Path::new(included), depth);
        }
        let path = includer.parent().unwrap_or(Path::new("")).join(included);
        let text = std::fs::read_to_string(&path)
            .map_err(|error| Error::new(location, format!("cannot include '{included}': {error}")))?;
        self.files.push(path.clone());
        self.load(&path.display().to_string(), &text, &path, depth)
    }
}
