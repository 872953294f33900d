//! A panel's axes: grid, marks, titles.

use super::canvas::{Canvas, GREY, GRID, INK, MINOR_GRID, Point, Type};
use super::ticks::Ticks;
use super::PlotError;
use crate::record::Provenance;
use plotters::style::FontStyle;
use plotters::style::text_anchor::{HPos, VPos};

const TICK: Type = Type::plain(11.0);
const TITLE: Type = Type::plain(12.0);
const HEADING: f64 = 13.0;

/// What surrounds the data.
pub(super) struct Labels<'a> {
    pub(super) heading: &'a str,
    pub(super) provenance: Provenance,
    pub(super) x_title: Option<&'a str>,
    pub(super) y_title: Option<&'a str>,
}

/// The rectangle that the data are drawn in, with its axes.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
    pub(super) x: Ticks,
    pub(super) y: Ticks,
}

impl Frame {
    /// Leaves room in a panel for what surrounds the data.
    pub(super) fn within((left, top): Point, (width, height): Point, x: Ticks, y: Ticks, notes: bool) -> Self {
        let widest = y.marks.iter().map(|(_, label)| TICK.width(label)).fold(0.0, f64::max);
        let heading = if notes { 38.0 } else { 24.0 };
        Self {
            left: left + 22.0 + widest + 8.0,
            top: top + heading,
            right: left + width - 16.0,
            bottom: top + height - 40.0,
            x,
            y,
        }
    }

    pub(super) fn at(&self, x: f64, y: f64) -> Point {
        (self.across(self.x.place(x)), self.up(self.y.place(y)))
    }

    pub(super) fn across(&self, fraction: f64) -> f64 {
        self.left + fraction * (self.right - self.left)
    }

    pub(super) fn up(&self, fraction: f64) -> f64 {
        self.bottom - fraction * (self.bottom - self.top)
    }

    pub(super) fn draw(&self, canvas: &Canvas<'_>, labels: &Labels<'_>) -> Result<(), PlotError> {
        let heading = Type { style: FontStyle::Bold, ..Type::plain(HEADING) };
        let note = labels.provenance.label();
        let above = if note.is_some() { 29.0 } else { 14.0 };
        canvas.text(labels.heading, (self.left, self.top - above), heading)?;
        if let Some(note) = note {
            let set = Type { style: FontStyle::Italic, colour: GREY, ..Type::plain(11.0) };
            canvas.text(note, (self.left, self.top - 13.0), set)?;
        }
        let (left, right, top, bottom) = (self.left, self.right, self.top, self.bottom);
        for (minor, colour) in [(true, MINOR_GRID), (false, GRID)] {
            for y in places(&self.y, minor).map(|place| self.up(place)) {
                canvas.line(&[(left, y), (right, y)], colour, 1.0)?;
            }
            for x in places(&self.x, minor).map(|place| self.across(place)) {
                canvas.line(&[(x, top), (x, bottom)], colour, 1.0)?;
            }
        }
        canvas.line(&[(left, bottom), (right, bottom)], INK, 1.0)?;
        for (place, label) in &self.y.marks {
            let at = (left - 7.0, self.up(*place));
            canvas.text(label, at, TICK.across(HPos::Right))?;
        }
        for (place, label) in &self.x.marks {
            let x = self.across(*place);
            canvas.line(&[(x, bottom), (x, bottom + 4.0)], INK, 1.0)?;
            canvas.text(label, (x, bottom + 13.0), TICK.across(HPos::Center))?;
        }
        if let Some(title) = labels.x_title {
            canvas.text(title, (self.across(0.5), bottom + 31.0), TITLE.across(HPos::Center))?;
        }
        if let Some(title) = labels.y_title {
            let widest = self.y.marks.iter().map(|(_, label)| TICK.width(label)).fold(0.0, f64::max);
            let set = Type { upright: true, down: VPos::Center, ..TITLE.across(HPos::Center) };
            canvas.text(title, (left - widest - 18.0, self.up(0.5)), set)?;
        }
        Ok(())
    }
}

fn places(ticks: &Ticks, minor: bool) -> impl Iterator<Item = f64> {
    let marks = ticks.marks.iter().map(|(place, _)| *place).filter(move |_| !minor);
    ticks.minor.iter().copied().filter(move |_| minor).chain(marks)
}
