//! A cell of a record.

use crate::SchemaError;
use crate::dates::days_since_1970;
use rows::numeric::LARGEST;
use std::borrow::Cow;

/// A cell of a record: a number, a text, or nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// A number. In a column of labels it is the label that is written like it, 8000 for 8000.0; in a column
    /// of dates it is the days since 1970.
    Number(f64),
    /// A text. In a column of numbers or dates it is the number or date that is written there, and the empty
    /// text is none.
    Text(&'a str),
    /// Nothing. In a column of labels it is the empty label.
    Missing,
}

impl<'a> Value<'a> {
    pub(super) fn is_missing(self) -> bool {
        match self {
            Self::Number(number) => number.is_nan(),
            Self::Text(text) => text.trim().is_empty(),
            Self::Missing => true,
        }
    }

    pub(super) fn number(self, column: &str) -> Result<f64, SchemaError> {
        let number = match self {
            Self::Number(number) => Some(number),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Missing => return Err(SchemaError::MissingValue { column: column.to_owned() }),
        };
        let refused =
            || SchemaError::NotANumber { column: column.to_owned(), value: self.label().into_owned() };
        number.filter(|x| x.abs() <= LARGEST).ok_or_else(refused)
    }

    pub(super) fn date(self, column: &str) -> Result<f64, SchemaError> {
        let days = match self {
            Self::Number(days) => Some(days),
            Self::Text(text) => days_since_1970(text),
            Self::Missing => return Err(SchemaError::MissingValue { column: column.to_owned() }),
        };
        let refused =
            || SchemaError::NotADate { column: column.to_owned(), value: self.label().into_owned() };
        days.filter(|x| x.abs() <= LARGEST).ok_or_else(refused)
    }

    pub(super) fn label(self) -> Cow<'a, str> {
        match self {
            // −0 is 0.
            Self::Number(number) => (number + 0.0).to_string().into(),
            Self::Text(text) => text.trim().into(),
            Self::Missing => "".into(),
        }
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}
