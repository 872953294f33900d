//! One line of Vowpal Wabbit's text.

use super::At;
use super::escapes::unescaped;
use crate::FormatError;
use crate::readers::{ColumnNames, Labels};
use crate::record::{Cell, Record};

/// The parts of a line.
pub(super) struct Line<'a> {
    pub(super) is_shared: bool,
    pub(super) labels: Vec<Label<'a>>,
    pub(super) tag: Option<&'a str>,
    /// All behind the first bar.
    pub(super) features: &'a str,
}

/// `action`, or `action:cost:probability`.
pub(super) struct Label<'a> {
    pub(super) action: &'a str,
    /// Whether it is an action alone.
    pub(super) is_bare: bool,
    pub(super) outcome: Option<Outcome>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    pub(super) cost: f64,
    pub(super) probability: Option<f64>,
}

impl<'a> Line<'a> {
    pub(super) fn parse(raw: &'a [u8], read: Labels, place: At<'_>) -> Result<Self, FormatError> {
        let text = std::str::from_utf8(raw)
            .map_err(|_| FormatError::NotUtf8 { place: place.clone(), column: None })?;
        let bad = |value: &str, expected| FormatError::BadSyntax {
            place: place.clone(),
            value: value.chars().take(80).collect(),
            expected,
        };
        let (before, features) = text
            .split_once('|')
            .ok_or_else(|| bad(text.trim(), "a line with a bar (|) before the features"))?;
        let is_glued = !before.is_empty() && !before.ends_with([' ', '\t']);
        let mut tokens: Vec<&str> = before.split_whitespace().collect();
        let mut tag = None;
        if let Some(last) = tokens.last().copied()
            && last != "shared"
        {
            if let Some(own) = last.strip_prefix('\'') {
                tag = Some(own);
            } else if is_glued {
                if last.contains(':') {
                    let expected = "a label: put a blank before the bar, or Vowpal Wabbit takes it for a tag";
                    return Err(bad(last, expected));
                }
                tag = Some(last);
            }
        }
        if tag.is_some() {
            tokens.pop();
        }
        if let Some(other) = tokens.first().filter(|first| ["ccb", "slates"].contains(first)) {
            let expected = "a line of cb or cb_adf: conditional bandits and slates are not read";
            return Err(bad(other, expected));
        }
        let is_shared = tokens.first() == Some(&"shared");
        if is_shared {
            return Ok(Self { is_shared, labels: Vec::new(), tag, features });
        }
        let labels = tokens.into_iter().map(|token| {
            label(token, read)
                .ok_or_else(|| bad(token, "a label as action:cost:probability, the last in [0, 1]"))
        });
        Ok(Self { is_shared, labels: labels.collect::<Result<_, _>>()?, tag, features })
    }
}

/// A line of a labelled example: `label`, perhaps a weight of 1 and a tag, and the features.
pub(super) struct LabelledLine<'a> {
    pub(super) label: Option<f64>,
    pub(super) features: &'a str,
}

impl<'a> LabelledLine<'a> {
    pub(super) fn parse(raw: &'a [u8], place: At<'_>) -> Result<Self, FormatError> {
        let text = std::str::from_utf8(raw)
            .map_err(|_| FormatError::NotUtf8 { place: place.clone(), column: None })?;
        let bad = |value: &str, expected| FormatError::BadSyntax {
            place: place.clone(),
            value: value.chars().take(80).collect(),
            expected,
        };
        let (before, features) = text
            .split_once('|')
            .ok_or_else(|| bad(text.trim(), "a line with a bar (|) before the features"))?;
        let mut tokens: Vec<&str> = before.split_whitespace().collect();
        let is_glued = !before.is_empty() && !before.ends_with([' ', '\t']);
        if let Some(last) = tokens.last().copied()
            && (last.starts_with('\'') || is_glued)
        {
            if !last.starts_with('\'') && last.parse::<f64>().is_ok() {
                let expected = "a label: put a blank before the bar, or Vowpal Wabbit takes it for a tag";
                return Err(bad(last, expected));
            }
            tokens.pop();
        }
        if let Some(wrong) = tokens.iter().find(|token| finite(token).is_none()) {
            return Err(bad(wrong, "a number before the features: the label, or a weight of 1"));
        }
        // Label, weight, and where to start from.
        if let Some(weight) = tokens.get(1).filter(|weight| weight.parse() != Ok(1.0)) {
            return Err(bad(weight, "a weight of 1: examples of other weights are not learnt from"));
        }
        if let Some(more) = tokens.get(2) {
            return Err(bad(more, "a label and a weight alone before the features"));
        }
        Ok(Self { label: tokens.first().and_then(|label| finite(label)), features })
    }
}

fn label(token: &str, read: Labels) -> Option<Label<'_>> {
    let mut parts = token.split(':');
    let action = parts.next().filter(|action| action.parse::<u32>().is_ok())?;
    let cost = parts.next();
    let is_bare = cost.is_none();
    let Some(cost) = cost.filter(|_| read == Labels::Read) else {
        return Some(Label { action, is_bare, outcome: None });
    };
    let cost: f64 = cost.parse().ok()?;
    let probability = match parts.next() {
        None => None,
        Some(text) => Some(text.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p))?),
    };
    if parts.next().is_some() || cost.is_infinite() || cost.abs() > rows::numeric::LARGEST {
        return None;
    }
    // The cost NaN is that of no outcome.
    let outcome = (!cost.is_nan()).then_some(Outcome { cost, probability });
    Some(Label { action, is_bare, outcome })
}

/// The features of a line as cells: `namespace.name`, and `key=value` without a number as a label of the
/// column `key`.
pub(super) fn features(
    text: &str,
    place: At<'_>,
    record: &mut Record,
    names: &mut ColumnNames,
    limit: u64,
) -> Result<(), FormatError> {
    let bad = |value: &str| FormatError::BadSyntax {
        place: place.clone(),
        value: value.to_owned(),
        expected: "a feature as name or name:value",
    };
    let mut name = String::new();
    for part in text.split('|') {
        let mut tokens = part.split([' ', '\t', '\u{b}', '\u{c}']).filter(|token| !token.is_empty());
        let (mut namespace, mut weight) = ("", 1.0);
        if !part.starts_with([' ', '\t'])
            && let Some(first) = tokens.next()
        {
            let (own, of_namespace) = first.split_once(':').unzip();
            namespace = own.unwrap_or(first);
            if let Some(text) = of_namespace {
                weight = finite(text).ok_or_else(|| bad(first))?;
            }
        }
        let mut anonymous = 0_usize;
        for token in tokens {
            let (own, value) = token.split_once(':').unzip();
            let own = own.unwrap_or(token);
            let value = match value {
                None => weight,
                Some(text) => finite(text).map(|value| value * weight).ok_or_else(|| bad(token))?,
            };
            name.clear();
            if !namespace.is_empty() {
                name.push_str(&unescaped(namespace));
                if !own.is_empty() {
                    name.push('.');
                }
            }
            let cell = match own.split_once('=') {
                Some((key, label)) if value == 1.0 && !key.is_empty() => {
                    name.push_str(&unescaped(key));
                    record.text_cell(&unescaped(label))
                }
                _ => {
                    name.push_str(&unescaped(own));
                    if own.is_empty() {
                        name.push_str(&format!("[{anonymous}]"));
                        anonymous += 1;
                    }
                    Cell::Number(value)
                }
            };
            let too_many = || FormatError::TooMany { place: place.clone(), what: "features", limit };
            let column = names.place(&name, limit).ok_or_else(too_many)?;
            record.cells.push((column, cell));
        }
    }
    Ok(())
}

fn finite(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}
