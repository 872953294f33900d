//! Labels and their numbers.

use std::collections::BTreeMap;

/// Labels, numbered in the order in which they were given or first seen.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// Whether a new label gets a number.
    grow: bool,
    list: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Labels {
    /// None yet; new ones are numbered as they come.
    pub(super) fn growing() -> Self {
        Self { grow: true, ..Self::default() }
    }

    /// These and no others, without the white space around them; or else the one that is there twice.
    pub(super) fn known(labels: &[String]) -> Result<Self, String> {
        let mut known = Self::default();
        for label in labels {
            if !known.insert(label.trim()) {
                return Err(label.clone());
            }
        }
        Ok(known)
    }

    /// Whether the label was new. No disk holds a stream of 2³² distinct labels.
    fn insert(&mut self, label: &str) -> bool {
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let is_new = !self.numbers.contains_key(label);
        if is_new {
            self.numbers.insert(label.to_owned(), number);
            self.list.push(label.to_owned());
        }
        is_new
    }

    /// The number of a label, if it has one or may get one.
    pub(super) fn number(&mut self, label: &str) -> Option<u32> {
        if self.grow && !self.numbers.contains_key(label) {
            self.insert(label);
        }
        self.known_number(label)
    }

    /// The number of a label, if it has one.
    pub(super) fn known_number(&self, label: &str) -> Option<u32> {
        self.numbers.get(label).copied()
    }

    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    pub(super) fn list(&self) -> &[String] {
        &self.list
    }

    pub(super) fn into_list(self) -> Vec<String> {
        self.list
    }
}
