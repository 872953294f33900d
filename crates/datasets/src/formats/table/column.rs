//! One column of a data file: its name and what it holds.

use crate::encode::OneHot;
use std::borrow::Cow;

/// One column of a file.
#[derive(Debug, Clone)]
pub(crate) struct Column {
    pub(crate) name: Cow<'static, str>,
    pub(crate) kind: Kind,
    /// Whether `?` is allowed: a nominal column then sets no indicator of its block; a number has an
    /// indicator of its own, which is set, and is 0.
    pub(crate) may_be_missing: bool,
}

/// What a column holds.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Number,
    Nominal(OneHot),
    Ignored,
    /// The number to predict.
    Value,
    /// The class to predict; a label may end in `optional_suffix`.
    Class {
        classes: OneHot,
        optional_suffix: &'static str,
    },
}

impl Column {
    fn new(name: impl Into<Cow<'static, str>>, kind: Kind) -> Self {
        Self { name: name.into(), kind, may_be_missing: false }
    }

    pub(crate) fn number(name: impl Into<Cow<'static, str>>) -> Self {
        Self::new(name, Kind::Number)
    }

    pub(crate) fn number_or_missing(name: impl Into<Cow<'static, str>>) -> Self {
        Self { may_be_missing: true, ..Self::number(name) }
    }

    pub(crate) fn nominal<'a>(
        name: impl Into<Cow<'static, str>>,
        categories: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self::new(name, Kind::Nominal(OneHot::fit(categories)))
    }

    pub(crate) fn ignored(name: &'static str) -> Self {
        Self::new(name, Kind::Ignored)
    }

    pub(crate) fn value(name: &'static str) -> Self {
        Self::new(name, Kind::Value)
    }

    pub(crate) fn class<'a>(
        name: &'static str,
        classes: impl IntoIterator<Item = &'a str>,
        optional_suffix: &'static str,
    ) -> Self {
        Self::new(name, Kind::Class { classes: OneHot::fit(classes), optional_suffix })
    }

    /// How many features the column gives.
    pub(crate) fn width(&self) -> usize {
        match &self.kind {
            Kind::Number => 1 + usize::from(self.may_be_missing),
            Kind::Nominal(categories) => categories.width(),
            Kind::Ignored | Kind::Value | Kind::Class { .. } => 0,
        }
    }
}

/// Reads a list of columns, one a line: `name: number`, `name: ignored`, or `name: category | category | …`.
/// A question mark behind the name allows missing values.
pub(crate) fn columns_of(list: &'static str) -> Vec<Column> {
    let lines = list.lines().filter_map(|line| line.split_once(": "));
    lines
        .map(|(name, content)| match (name.strip_suffix('?'), content) {
            (_, "number") => Column::number(name),
            (_, "ignored") => Column::ignored(name),
            (None, categories) => Column::nominal(name, categories.split(" | ")),
            (Some(name), categories) => {
                Column { may_be_missing: true, ..Column::nominal(name, categories.split(" | ")) }
            }
        })
        .collect()
}
