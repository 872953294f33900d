//! One-hot encoding of a nominal column.

use crate::error::EncodeError;
use rows::RowMatrix;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// k categories become k indicators, of which one is 1.
///
/// Categories keep the order of their first appearance at the fit. *Cost:* O(1) a look-up.
///
/// ```
/// use datasets::OneHot;
/// let sex = OneHot::fit(["F", "I", "M", "F"]);
/// assert_eq!((sex.width(), sex.position("M"), sex.position("?")), (3, Some(2), None));
/// let rows = sex.apply(["M", "F"])?;
/// assert_eq!(rows.row(0).map(|r| r.to_dense()), Some(vec![0.0, 0.0, 1.0]));
/// # Ok::<(), datasets::EncodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct OneHot {
    categories: Vec<String>,
    positions: HashMap<String, u32>,
}

impl OneHot {
    /// Collects the categories of a column.
    pub fn fit<'a>(column: impl IntoIterator<Item = &'a str>) -> Self {
        let mut encoder = Self { categories: Vec::new(), positions: HashMap::new() };
        for category in column {
            encoder.insert(category.to_owned());
        }
        encoder
    }

    /// The encoded column: one sparse row for every value.
    ///
    /// # Errors
    /// [`EncodeError::UnknownCategory`]; [`EncodeError::Rows`] where the encoder knows no category at all.
    pub fn apply<'a>(&self, column: impl IntoIterator<Item = &'a str>) -> Result<RowMatrix, EncodeError> {
        let mut indices = Vec::new();
        for category in column {
            let unknown = || EncodeError::UnknownCategory { category: category.to_owned() };
            indices.push(self.position(category).ok_or_else(unknown)?);
        }
        let ones = vec![1.0; indices.len()];
        Ok(RowMatrix::sparse(self.width(), (0..=indices.len()).collect(), indices, ones)?)
    }

    /// Which indicator stands for the category.
    pub fn position(&self, category: &str) -> Option<u32> {
        self.positions.get(category).copied()
    }

    /// k, the number of indicators.
    pub fn width(&self) -> usize {
        self.categories.len()
    }

    /// The categories, in the order of their indicators.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = &str> {
        self.categories.iter().map(String::as_str)
    }

    /// Adds a category unless it is known; says whether it was new.
    fn insert(&mut self, category: String) -> bool {
        let Ok(position) = u32::try_from(self.categories.len()) else { return false };
        if self.positions.contains_key(&category) {
            return false;
        }
        self.positions.insert(category.clone(), position);
        self.categories.push(category);
        true
    }
}

impl From<OneHot> for Vec<String> {
    fn from(encoder: OneHot) -> Self {
        encoder.categories
    }
}

impl TryFrom<Vec<String>> for OneHot {
    type Error = EncodeError;

    fn try_from(categories: Vec<String>) -> Result<Self, EncodeError> {
        let mut encoder = Self::fit([]);
        for category in categories {
            if !encoder.insert(category.clone()) {
                return Err(EncodeError::RepeatedCategory { category });
            }
        }
        Ok(encoder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_saved_encoder_comes_back_and_may_not_name_a_category_twice() {
        let encoder = OneHot::fit(["b", "a", "b"]);
        let text = serde_json::to_string(&encoder).unwrap();
        assert_eq!(text, r#"["b","a"]"#);
        assert_eq!(serde_json::from_str::<OneHot>(&text).unwrap(), encoder);
        assert!(serde_json::from_str::<OneHot>(r#"["b","b"]"#).is_err());
    }

    #[test]
    fn an_unknown_category_is_named() {
        let unknown = EncodeError::UnknownCategory { category: "c".to_owned() };
        assert_eq!(OneHot::fit(["a"]).apply(["a", "c"]), Err(unknown));
        assert!(matches!(OneHot::fit([]).apply([]), Err(EncodeError::Rows(_))));
    }
}
