//! One line of an ARFF file as words, each with its place.

use crate::error::ArffProblem;

/// What is wrong at which byte of a line, from 0.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: ArffProblem,
}

impl Fault {
    pub(super) fn new(at: usize, problem: ArffProblem) -> Self {
        Self { at, problem }
    }
}

/// A line without its comment, and how far it has been read.
#[derive(Debug)]
pub(super) struct Line<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text: uncommented(text).trim_end(), at: 0 }
    }

    /// The place of the next word, or of the end of the line.
    pub(super) fn at(&mut self) -> usize {
        self.at = self.text.len() - self.rest().len();
        self.at
    }

    /// What is left, without leading blanks.
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default().trim_start()
    }

    /// The next word: all up to a blank.
    pub(super) fn word(&mut self) -> &'a str {
        let start = self.at();
        let word = self.rest().split(char::is_whitespace).next().unwrap_or_default();
        self.at = start + word.len();
        word
    }

    /// The next name: a word, or text in quotation marks, where a backslash stands before a character that is
    /// meant literally.
    pub(super) fn name(&mut self) -> Result<String, Fault> {
        let start = self.at();
        let mut characters = self.rest().char_indices();
        let quote = match characters.next() {
            None => return Err(Fault::new(start, ArffProblem::Name)),
            Some((_, quote @ ('\'' | '"'))) => quote,
            Some(_) => return Ok(self.word().to_owned()),
        };
        let mut name = String::new();
        while let Some((at, character)) = characters.next() {
            match character {
                '\\' => name.extend(characters.next().map(|(_, literal)| literal)),
                _ if character == quote => {
                    self.at = start + at + 1;
                    return Ok(name);
                }
                _ => name.push(character),
            }
        }
        Err(Fault::new(start, ArffProblem::Name))
    }

    /// Nothing is left.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        let (at, text) = (self.at(), self.rest());
        if text.is_empty() { Ok(()) } else { Err(Fault::new(at, unexpected(text))) }
    }
}

pub(super) fn unexpected(text: &str) -> ArffProblem {
    ArffProblem::Unexpected { text: text.to_owned() }
}

/// The pieces between commas, without the blanks around them, each with its place in the line that `text`,
/// which begins at byte `start` of it, is a part of.
pub(super) fn cells(text: &str, start: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut next = start;
    text.split(',').map(move |cell| {
        let at = next + cell.len() - cell.trim_start().len();
        next += cell.len() + 1;
        (at, cell.trim())
    })
}

/// The line up to a percent sign outside quotation marks.
fn uncommented(text: &str) -> &str {
    let mut open = None;
    let mut literal = false;
    for (at, character) in text.char_indices() {
        match (character, open) {
            _ if literal => literal = false,
            ('\\', Some(_)) => literal = true,
            ('%', None) => return text.get(..at).unwrap_or_default(),
            ('\'' | '"', None) => open = Some(character),
            (_, Some(quote)) if quote == character => open = None,
            _ => {}
        }
    }
    text
}
