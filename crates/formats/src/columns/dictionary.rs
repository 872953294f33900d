//! Labels and their numbers.

use crate::FormatError;
use crate::agreement::gathered;
use ranks::Ranks;
use std::collections::HashMap;
use std::sync::Arc;

/// Labels, numbered as they come.
#[derive(Debug, Default, Clone)]
pub(crate) struct Dictionary {
    list: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
}

impl Dictionary {
    /// The number of a label, which gets one if it is new.
    pub(crate) fn number(&mut self, label: &str) -> u32 {
        if let Some(number) = self.numbers.get(label) {
            return *number;
        }
        // No memory holds 2³² labels.
        let number = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let label: Arc<str> = label.into();
        self.list.push(label.clone());
        self.numbers.insert(label, number);
        number
    }

    /// Numbers a label.
    pub(crate) fn add(&mut self, label: &str) {
        self.number(label);
    }

    /// The number of a label that has one.
    pub(crate) fn find(&self, label: &str) -> Option<u32> {
        self.numbers.get(label).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn label(&self, number: u32) -> Option<&str> {
        self.list.get(number as usize).map(|label| &**label)
    }

    /// The labels, by their numbers.
    pub(crate) fn list(&self) -> Vec<String> {
        self.list.iter().map(|label| label.to_string()).collect()
    }

    /// Adds the labels of all ranks; the own ones keep their numbers.
    pub(crate) fn merge(&mut self, ranks: &Ranks) -> Result<(), FormatError> {
        if ranks.are_several() {
            for labels in gathered(ranks, self.list())? {
                labels.iter().for_each(|label| self.add(label));
            }
        }
        Ok(())
    }

    /// The labels in an order that does not depend on that of the rows: by value where all are whole numbers,
    /// and by their bytes otherwise, the empty label first; and the place of each number in that order.
    pub(crate) fn sorted(self) -> (Vec<String>, Vec<u32>) {
        let whole = |label: &str| label.parse::<i64>().ok();
        let by_value = self.list.iter().all(|label| label.is_empty() || whole(label).is_some());
        let mut order: Vec<(u32, &Arc<str>)> = (0..).zip(&self.list).collect();
        if by_value {
            // 7 and 07 are two labels of one value.
            order.sort_by_key(|(_, label)| (whole(label), (*label).clone()));
        } else {
            order.sort_by_key(|(_, label)| (*label).clone());
        }
        let mut places = vec![0; self.list.len()];
        for (place, (number, _)) in (0..).zip(&order) {
            if let Some(of_number) = places.get_mut(*number as usize) {
                *of_number = place;
            }
        }
        (order.into_iter().map(|(_, label)| label.to_string()).collect(), places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sorted_by_value_or_by_text() {
        let sorted = |labels: &[&str]| {
            let mut dictionary = Dictionary::default();
            for label in labels {
                dictionary.number(label);
            }
            dictionary.sorted()
        };
        assert_eq!(sorted(&["10", "9", "", "-1"]).0, ["", "-1", "9", "10"]);
        assert_eq!(sorted(&["10", "9", "b", "a"]).0, ["10", "9", "a", "b"]);
        assert_eq!(sorted(&["b", "a", "c"]).1, [1, 0, 2]);
    }
}
