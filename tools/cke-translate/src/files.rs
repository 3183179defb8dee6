//! Files and folders: which are read, and that all or none is written.

use crate::errors::Errors;
use cke_contracts::json::MAX_BYTES;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that was read.
#[derive(Debug)]
pub struct Text {
    /// Its path as the user would write it.
    pub path: String,
    /// Its path inside the folder that was asked for; without a folder, its name.
    pub source: String,
    /// What is in it.
    pub text: String,
}

/// Reads every file, and every file of every folder, in the order of their names.
pub fn read_all(paths: &[PathBuf]) -> Result<Vec<Text>, Errors> {
    let mut errors = Errors::default();
    let mut texts = Vec::new();
    for path in paths {
        let mut found = Vec::new();
        let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
        match walk(path, &mut found) {
            Err(error) => errors.extend(error),
            Ok(()) => {
                for file in found {
                    match read(&file, folder) {
                        Ok(text) => texts.push(text),
                        Err(error) => errors.extend(error),
                    }
                }
            }
        }
    }
    if texts.is_empty() {
        errors.add("error: there is no file to import");
    }
    errors.or(texts)
}

/// The files of a folder and of the folders in it. Links to folders are not followed: they may lead in circles.
fn walk(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), Errors> {
    let failed = |error: io::Error| Errors::io(path, &error);
    if !path.is_dir() {
        found.push(path.to_path_buf());
        return Ok(());
    }
    let mut entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>).map_err(failed)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        match entry.file_type().map_err(failed)?.is_dir() {
            true => walk(&entry.path(), found)?,
            false => found.push(entry.path()),
        }
    }
    Ok(())
}

fn read(path: &Path, folder: Option<&Path>) -> Result<Text, Errors> {
    let failed = |error: io::Error| Errors::io(path, &error);
    let name = |path: &Path| {
        let name = path.to_str().map(str::to_owned);
        name.ok_or_else(|| Errors::at(path.display(), "the name of the file is no UTF-8"))
    };
    // A pipe or a device in a folder would be waited for.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(Errors::at(path.display(), "expected a regular file"));
    }
    let mut text = String::new();
    // One byte more than is read shows that there is too much.
    let limited = File::open(path).map_err(failed)?.take(MAX_BYTES as u64 + 1);
    { limited }.read_to_string(&mut text).map_err(failed)?;
    let inside = folder.and_then(|folder| path.strip_prefix(folder).ok()).unwrap_or(path);
    Ok(Text { path: name(path)?, source: name(inside)?, text })
}

/// Writes a text to a file, or to standard output, which a reader such as `head` may close early.
pub fn write(path: Option<&Path>, text: &str) -> Result<(), Errors> {
    let Some(path) = path else {
        let mut stdout = io::stdout().lock();
        return match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| Errors::io(Path::new("standard output"), &error)),
        };
    };
    fs::write(path, text).map_err(|error| Errors::io(path, &error))
}

/// Writes every text to its place in a folder, which is made if there is none. `source` is what they were made from.
///
/// Everything is written beside its place first, so that a place that cannot be written changes no other.
pub fn write_all(folder: &Path, texts: &BTreeMap<PathBuf, String>, source: &Path) -> Result<(), Errors> {
    let mut errors = Errors::default();
    for file in texts.keys() {
        if let Err(message) = check_place(folder, file) {
            errors.add(format!("{}: error: {message}", folder.join(file).display()));
        }
        errors.extend(keep(source, &folder.join(file)).err().unwrap_or_default());
    }
    errors.or(())?;
    let mut written = Vec::new();
    for (file, text) in texts {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(folder);
        let failed = |error: io::Error| Errors::io(&path, &error);
        fs::create_dir_all(parent).map_err(|error| Errors::io(parent, &error))?;
        let mut beside = NamedTempFile::new_in(parent).map_err(failed)?;
        beside.write_all(text.as_bytes()).and_then(|()| beside.flush()).map_err(failed)?;
        written.push((beside, path));
    }
    for (beside, path) in written {
        beside.persist(&path).map_err(|error| Errors::io(&path, &error.error))?;
    }
    Ok(())
}

/// Whether a file can stand at a place inside a folder without leaving it.
fn check_place(folder: &Path, file: &Path) -> Result<(), String> {
    let mut path = folder.to_path_buf();
    let mut parts = file.components().peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let Ok(found) = fs::symlink_metadata(&path) else { return Ok(()) };
        match (parts.peek().is_some(), found.file_type()) {
            (_, kind) if kind.is_symlink() => return Err(format!("'{}' is a link", path.display())),
            (true, kind) if !kind.is_dir() => return Err(format!("'{}' is no folder", path.display())),
            (false, kind) if !kind.is_file() => return Err("is no regular file".to_owned()),
            _ => {}
        }
    }
    Ok(())
}

/// Refuses to write over what was read, be it a file or one of a folder.
pub fn keep(read: &Path, output: &Path) -> Result<(), Errors> {
    let (Ok(read), Ok(found)) = (fs::canonicalize(read), fs::canonicalize(output)) else { return Ok(()) };
    match found == read || (read.is_dir() && found.starts_with(&read)) {
        true => Err(Errors::at(output.display(), "it would be written over, and is read")),
        false => Ok(()),
    }
}
