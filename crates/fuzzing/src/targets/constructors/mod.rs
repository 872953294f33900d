//! Public constructors, whose arguments are made of bytes: sizes, rows, sets and parameters of any value.
//!
//! A constructor refuses, or makes a value that can be used, saved and loaded: the laws of a saved type.
//! `DOORS` of each file are its constructors by name, and `tests/doors.rs` finds those that are in none.

mod boosting;
mod learners;
mod policies;
mod rows_and_sets;
mod weak;

use super::Target;
use crate::checks::Checks;
use crate::draw::Draw;
use crate::target::{Format, judge};
use crate::verdict::{AnyError, Complaint, Verdict};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Display;

/// A constructor by its path, and what is done with it.
type Door = (&'static str, fn(&mut Draw<'_>) -> Result<Verdict, AnyError>);

const GROUPS: [(&str, &[Door]); 5] = [
    ("constructors: rows and sets", rows_and_sets::DOORS),
    ("constructors: online learners", learners::DOORS),
    ("constructors: weak learners", weak::DOORS),
    ("constructors: logs and policies", policies::DOORS),
    ("constructors: boosters", boosting::DOORS),
];

/// The paths of all constructors that have a target.
#[must_use]
pub fn doors() -> Vec<&'static str> {
    GROUPS.iter().flat_map(|(_, doors)| doors.iter().map(|(name, _)| *name)).collect()
}

pub(super) fn all() -> Vec<Target> {
    GROUPS.into_iter().map(|(name, doors)| group(name, doors)).collect()
}

/// The first byte is the constructor, the others are its arguments.
fn group(name: &'static str, doors: &'static [Door]) -> Target {
    let verdict = move |input: &[u8]| {
        let mut draw = Draw::new(input);
        let Some((_, open)) = doors.get(draw.index(doors.len()) as usize) else { return Verdict::Refused };
        open(&mut draw).unwrap_or_else(|error| refused(&error))
    };
    // Two values of every constructor.
    let seeds = move || {
        let number = |k: usize| u8::try_from(k).unwrap_or_default();
        let made = |k: usize| {
            let inputs = super::differential::drawn().map(move |bytes| [&[number(k)], &bytes[..]].concat());
            inputs.filter(move |input| verdict(input) == Verdict::Accepted).take(2)
        };
        Ok((0..doors.len()).flat_map(made).collect())
    };
    Target::reader(name, Format::Binary, seeds, verdict).of_any_bytes()
}

fn refused(error: &dyn Display) -> Verdict {
    std::hint::black_box(error.to_string());
    Verdict::Refused
}

/// A value that was made: saved, loaded and used as one of a file.
fn built<T: Serialize + DeserializeOwned, E: Display>(
    value: Result<T, E>,
    play: impl Fn(&mut T, &mut Checks) -> Result<(), AnyError>,
) -> Verdict {
    let value = match value {
        Ok(value) => value,
        Err(error) => return refused(&error),
    };
    let faulty = |detail: String| Verdict::Faulty(Complaint { law: "what was made can be loaded", detail });
    match serde_json::to_vec(&value) {
        Ok(text) => match judge(&text, &play) {
            Verdict::Refused => faulty(String::from_utf8_lossy(&text).into_owned()),
            verdict => verdict,
        },
        Err(error) => faulty(error.to_string()),
    }
}

/// A value that is not saved: used.
fn used<T, E: Display>(
    value: Result<T, E>,
    play: impl FnOnce(&mut T, &mut Checks) -> Result<(), AnyError>,
) -> Verdict {
    let mut value = match value {
        Ok(value) => value,
        Err(error) => return refused(&error),
    };
    let mut checks = Checks::default();
    let end = play(&mut value, &mut checks);
    checks.end(end);
    checks.take_complaint().map_or(Verdict::Accepted, Verdict::Faulty)
}

/// A number of things: few, and at times more than any machine holds.
fn count(draw: &mut Draw<'_>) -> usize {
    match draw.byte() {
        251 => usize::MAX,
        252 => usize::MAX / 8,
        253 => 1 << 60,
        254 => 1 << 48,
        255 => 0,
        few => usize::from(few % 6) + 1,
    }
}

/// As many numbers as asked for, or one more or less.
fn numbers(draw: &mut Draw<'_>, length: usize, one: fn(&mut Draw<'_>) -> f64) -> Vec<f64> {
    let off = draw.byte();
    let length = match off {
        254 => length + 1,
        255 => length.saturating_sub(1),
        _ => length,
    };
    draw.list(length.min(64), one)
}

/// A parameter: mostly in (0, 1], at times any double.
fn parameter(draw: &mut Draw<'_>) -> f64 {
    if draw.byte() < 200 { draw.share() } else { draw.any() }
}

/// An entry of a list: mostly moderate, at times any double.
fn entry(draw: &mut Draw<'_>) -> f64 {
    if draw.byte() < 245 { draw.moderate() } else { draw.any() }
}

/// Any double.
fn any(draw: &mut Draw<'_>) -> f64 {
    draw.any()
}
