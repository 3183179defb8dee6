//! Where a value of a text stands, found by walking the text along a path.
//!
//! Places are needed for faults and for the entries of a registry file only, so nothing is kept while reading. The text
//! has been read before: its brackets, strings and commas are where they belong.

use serde_path_to_error::Segment;

use crate::fault::Location;

/// The offset of the value at a path, or of its key if it has one; where a part is missing, of what lacks it.
pub(super) fn offset<'a>(text: &str, path: impl IntoIterator<Item = &'a Segment>) -> usize {
    let mut walker = Walker::new(text);
    let mut at = walker.at;
    for segment in path {
        let Some(next) = walker.enter(segment) else { break };
        at = next;
    }
    at
}

/// The keys of the object at a path with their offsets, in the order of the text; none if there is no such object.
pub(super) fn keys<'a>(text: &str, path: impl IntoIterator<Item = &'a Segment>) -> Vec<(String, usize)> {
    let mut walker = Walker::new(text);
    let mut keys = Vec::new();
    if path.into_iter().all(|segment| walker.enter(segment).is_some()) {
        walker.each_key(|key, at| {
            keys.push((key, at));
            false
        });
    }
    keys
}

/// Turns offsets into lines and columns; each offset is at least as great as the one before.
pub(super) struct Lines<'a> {
    name: &'a str,
    text: &'a str,
    /// What has been passed: its end, and the line and column there, from 0.
    at: usize,
    line: usize,
    column: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(name: &'a str, text: &'a str) -> Self {
        Self { name, text, at: 0, line: 0, column: 0 }
    }

    /// Line and column, counted in characters from 1.
    pub(super) fn location(&mut self, at: usize) -> Location {
        // An offset inside a character cannot be the start of a token, but a file may end inside an escape.
        let passed = self.text.get(self.at..at).unwrap_or(&self.text[self.at..]);
        self.at += passed.len();
        let mut rest = passed;
        if let Some(newline) = passed.rfind('\n') {
            self.line += passed.matches('\n').count();
            self.column = 0;
            rest = &passed[newline + 1..];
        }
        self.column += rest.chars().count();
        let from_one = |n: usize| u32::try_from(n + 1).unwrap_or(u32::MAX);
        Location { file: self.name.to_owned(), line: from_one(self.line), column: from_one(self.column) }
    }
}

struct Walker<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Walker<'a> {
    /// Stands before the value of a text.
    fn new(text: &'a str) -> Self {
        let mut walker = Self { text, at: 0 };
        walker.skip_space();
        walker
    }

    /// Goes from before a container to before one of its values; the offset of the value's key, or of the value.
    fn enter(&mut self, segment: &Segment) -> Option<usize> {
        match segment {
            Segment::Map { key: wanted } => {
                let before = self.at;
                let mut found = None;
                self.each_key(|key, at| {
                    found = (key == *wanted).then_some(at);
                    found.is_some()
                });
                // Whoever asks for what lacks the key stands where it did.
                self.at = if found.is_some() { self.at } else { before };
                found
            }
            Segment::Seq { index } if self.peek() == Some(b'[') => {
                let before = self.at;
                self.pass(b'[');
                for _ in 0..*index {
                    self.skip_value();
                    if !self.pass(b',') {
                        self.at = before;
                        return None;
                    }
                }
                Some(self.at)
            }
            _ => None,
        }
    }

    /// Tells of every key of the object it stands before, until told to stop before the value of one.
    fn each_key(&mut self, mut stop: impl FnMut(String, usize) -> bool) {
        if !self.pass(b'{') {
            return;
        }
        while self.peek() == Some(b'"') {
            let start = self.at;
            self.skip_string();
            let key = serde_json::from_str(&self.text[start..self.at]).unwrap_or_default();
            self.skip_space();
            self.pass(b':');
            if stop(key, start) {
                return;
            }
            self.skip_value();
            if !self.pass(b',') {
                return;
            }
        }
    }

    fn skip_value(&mut self) {
        let mut depth = 0_usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => {
                    self.skip_string();
                    continue;
                }
                b'[' | b'{' => depth += 1,
                b']' | b'}' | b',' if depth == 0 => break,
                b']' | b'}' => depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    fn skip_string(&mut self) {
        self.at = string_end(self.text, self.at).unwrap_or(self.text.len());
    }

    /// Passes a character and the space behind it, if it is the next.
    fn pass(&mut self, expected: u8) -> bool {
        let is_next = self.peek() == Some(expected);
        if is_next {
            self.at += 1;
            self.skip_space();
        }
        is_next
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}

/// The offset behind the string that begins at an offset, if it has an end.
pub(super) fn string_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}
