//! The columns of a file, in the order in which they are found.

use std::collections::HashMap;
use std::sync::Arc;

/// Names and their places.
#[derive(Debug, Default)]
pub(crate) struct ColumnNames {
    list: Vec<Arc<str>>,
    places: HashMap<Arc<str>, u32>,
}

impl ColumnNames {
    /// The place of a name, which is added if it is new; `None` beyond `limit` names.
    pub(crate) fn place(&mut self, name: &str, limit: u64) -> Option<u32> {
        if let Some(place) = self.places.get(name) {
            return Some(*place);
        }
        if self.list.len() as u64 >= limit {
            return None;
        }
        let place = u32::try_from(self.list.len()).ok()?;
        let name: Arc<str> = name.into();
        self.list.push(name.clone());
        self.places.insert(name, place);
        Some(place)
    }

    /// The place of a name that is there.
    pub(crate) fn find(&self, name: &str) -> Option<u32> {
        self.places.get(name.trim()).copied()
    }

    /// The same of a name that is not trimmed.
    pub(crate) fn find_exactly(&self, name: &str) -> Option<u32> {
        self.places.get(name).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn name(&self, place: u32) -> &str {
        self.list.get(place as usize).map_or("", |name| name)
    }

    /// All names, in their order.
    pub(crate) fn list(&self) -> Vec<String> {
        self.list.iter().map(|name| (**name).to_owned()).collect()
    }

    /// The names, without those of columns that have none.
    pub(crate) fn all(&self) -> Vec<String> {
        self.list
            .iter()
            .filter(|name| !name.is_empty() && !name.starts_with('\0'))
            .map(|name| (**name).to_owned())
            .collect()
    }
}
