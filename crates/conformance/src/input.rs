//! Decoding of a case's input: from JSON to numbers and sets.
//!
//! NaN and infinities are decoded like other numbers, so that the crate under test must refuse them.

use super::code::Refusal;
use off_policy::LogError;
use projections::{AnySet, BoxSet, CappedSimplex, L1Ball, L2Ball, ProjectionError, Simplex, UnitBox};
use serde_json::{Map, Value as Json};

/// The input of one case.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'a> {
    fields: &'a Map<String, Json>,
}

/// Rows of equal length, at least one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matrix {
    rows: Vec<Vec<f64>>,
    width: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(fields: &'a Map<String, Json>) -> Self {
        Self { fields }
    }

    pub(super) fn text(&self, key: &'static str) -> Result<&'a str, Refusal> {
        self.get(key)?.as_str().ok_or(Refusal::Malformed { key, wanted: "a string" })
    }

    pub(super) fn truth(&self, key: &'static str) -> Result<bool, Refusal> {
        self.get(key)?.as_bool().ok_or(Refusal::Malformed { key, wanted: "a truth value" })
    }

    pub(super) fn truths(&self, key: &'static str) -> Result<Vec<bool>, Refusal> {
        let truth = |entry: &Json| entry.as_bool().ok_or(Refusal::Malformed { key, wanted: "truth values" });
        list(key, self.get(key)?)?.iter().map(truth).collect()
    }

    pub(super) fn scalar(&self, key: &'static str) -> Result<f64, Refusal> {
        number(key, self.get(key)?)
    }

    /// A natural number, possibly 0: the crate under test decides whether 0 is allowed.
    pub(super) fn count(&self, key: &'static str) -> Result<u32, Refusal> {
        natural(key, self.scalar(key)?)
    }

    /// Actions below this number; every other value is out of range, even if it is not an index.
    pub(super) fn actions(&self, key: &'static str, actions: usize) -> Result<Vec<u32>, Refusal> {
        let values = self.vector(key)?;
        projections::check_finite(key, &values)?;
        let action = |(row, a): (usize, &f64)| {
            #[allow(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "checked, or saturated for a message"
            )]
            match *a as u64 {
                index if a.fract() == 0.0 && *a >= 0.0 && index < u64::from(u32::MAX) => Ok(index as u32),
                action => Err(LogError::ActionOutOfRange { row, action, actions }.into()),
            }
        };
        values.iter().enumerate().map(action).collect()
    }

    pub(super) fn vector(&self, key: &'static str) -> Result<Vec<f64>, Refusal> {
        vector(key, self.get(key)?)
    }

    pub(super) fn matrix(&self, key: &'static str) -> Result<Matrix, Refusal> {
        matrix(key, self.get(key)?)
    }

    /// A list of matrices.
    pub(super) fn matrices(&self, key: &'static str) -> Result<Vec<Matrix>, Refusal> {
        list(key, self.get(key)?)?.iter().map(|entry| matrix(key, entry)).collect()
    }

    /// A set of the README's section "Sets", through the constructor of its type.
    pub(super) fn set(&self, key: &'static str) -> Result<AnySet, Refusal> {
        let fields = self.get(key)?.as_object().ok_or(Refusal::Malformed { key, wanted: "a set" })?;
        let set = Input::new(fields);
        Ok(match set.text("type")? {
            "simplex" => AnySet::Simplex(Simplex::new(set.scalar("s")?)?),
            "capped_simplex" => {
                AnySet::CappedSimplex(CappedSimplex::new(set.vector("caps")?, set.scalar("s")?)?)
            }
            "box" => AnySet::Box(BoxSet::new(set.vector("lower")?, set.vector("upper")?)?),
            "unit_box" => AnySet::UnitBox(UnitBox),
            "l2_ball" => AnySet::L2Ball(L2Ball::new(set.scalar("r")?)?),
            "l1_ball" => AnySet::L1Ball(L1Ball::new(set.scalar("r")?)?),
            _ => return Err(Refusal::Malformed { key, wanted: "a set of a known type" }),
        })
    }

    /// Whether the input has this key.
    pub(super) fn has(&self, key: &str) -> bool {
        self.fields.contains_key(key)
    }

    fn get(&self, key: &'static str) -> Result<&'a Json, Refusal> {
        self.fields.get(key).ok_or(Refusal::Malformed { key, wanted: "there" })
    }
}

impl Matrix {
    pub(super) fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// The length of every row.
    pub(super) fn width(&self) -> usize {
        self.width
    }
}

/// Refuses an argument whose length differs from that of its companion arrays; `Empty` if both are empty.
pub(super) fn check_length(
    argument: &'static str,
    expected: usize,
    got: usize,
) -> Result<(), ProjectionError> {
    match got {
        _ if got == expected => Ok(()),
        _ if expected == 0 || got == 0 => Err(ProjectionError::Empty { argument }),
        _ => Err(ProjectionError::LengthMismatch { argument, expected, got }),
    }
}

fn number(key: &'static str, json: &Json) -> Result<f64, Refusal> {
    match json {
        Json::String(text) if text == "NaN" => Ok(f64::NAN),
        Json::String(text) if text == "Infinity" => Ok(f64::INFINITY),
        Json::String(text) if text == "-Infinity" => Ok(f64::NEG_INFINITY),
        _ => json.as_f64().ok_or(Refusal::Malformed { key, wanted: "a number" }),
    }
}

fn natural(key: &'static str, value: f64) -> Result<u32, Refusal> {
    projections::check_finite(key, &[value])?;
    if value < 0.0 || value.fract() != 0.0 || value > f64::from(u32::MAX) {
        return Err(ProjectionError::BadParameter { name: key, value, domain: "0, 1, 2, …" }.into());
    }
    #[allow(clippy::cast_possible_truncation, reason = "an integer in range")]
    let natural = value as u32;
    Ok(natural)
}

fn list<'a>(key: &'static str, json: &'a Json) -> Result<&'a Vec<Json>, Refusal> {
    json.as_array().ok_or(Refusal::Malformed { key, wanted: "a list" })
}

fn vector(key: &'static str, json: &Json) -> Result<Vec<f64>, Refusal> {
    list(key, json)?.iter().map(|entry| number(key, entry)).collect()
}

fn matrix(key: &'static str, json: &Json) -> Result<Matrix, Refusal> {
    let rows = list(key, json)?.iter().map(|row| vector(key, row)).collect::<Result<Vec<_>, _>>()?;
    let width = rows.first().ok_or(ProjectionError::Empty { argument: key })?.len();
    for row in &rows {
        check_length(key, width, row.len())?;
    }
    Ok(Matrix { rows, width })
}
