//! A string that remembers which literal each part of it came from.
//!
//! An assembly format is often pasted from several literals; an error inside it must still point into the file.

use crate::error::Location;

/// A string value. Two texts are equal if their characters are, wherever they came from.
#[derive(Clone, Debug)]
pub struct Text {
    content: String,
    /// Offset in `content` of each literal, with the place of its first character. Never empty, ascending.
    pieces: Vec<(usize, Location)>,
}

impl Text {
    /// A text whose first character is at `location`.
    pub fn new(content: impl Into<String>, location: &Location) -> Self {
        Self { content: content.into(), pieces: vec![(0, location.clone())] }
    }

    /// The characters.
    pub fn as_str(&self) -> &str {
        &self.content
    }

    /// Where the text begins.
    pub fn location(&self) -> &Location {
        &self.pieces[0].1
    }

    /// Appends another text with its places.
    pub fn push(&mut self, other: &Text) {
        let start = self.content.len();
        self.content.push_str(&other.content);
        self.pieces.extend(other.pieces.iter().map(|(offset, location)| (start + offset, location.clone())));
    }

    /// Where the character at byte `offset` stands in the file. Exact unless an escape precedes it in its literal.
    pub fn locate(&self, offset: usize) -> Location {
        let piece = self.pieces.partition_point(|(start, _)| *start <= offset).saturating_sub(1);
        let (start, location) = &self.pieces[piece];
        location.after(self.content.get(*start..offset).unwrap_or_default())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

impl Eq for Text {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_pasting() {
        let place = |line, column| Location { file: "a.td".into(), line, column };
        let mut text = Text::new("ab\ncd", &place(3, 7));
        text.push(&Text::new("ef", &place(9, 2)));
        assert_eq!(text.as_str(), "ab\ncdef");
        assert_eq!(text.locate(1), place(3, 8));
        assert_eq!(text.locate(4), place(4, 2));
        assert_eq!(text.locate(6), place(9, 3));
        assert_eq!(text.locate(7), place(9, 4));
    }
}
