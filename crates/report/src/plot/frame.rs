//! A panel's axes: grid, marks, titles.

use super::PlotError;
use super::canvas::{Canvas, GREY, GRID, INK, MINOR_GRID, Pen, Point, Type};
use super::ticks::Ticks;
use crate::record::Provenance;
use plotters::style::FontStyle;
use plotters::style::text_anchor::HPos;

const TICK: Type = Type::plain(11.0);
const TITLE: Type = Type::plain(12.0);
const HEADING: Type = Type { style: FontStyle::Bold, ..Type::plain(13.0) };
const NOTE: Type = Type { style: FontStyle::Italic, colour: GREY, across: HPos::Right, ..Type::plain(11.0) };

/// The width of a panel with its heading and note on one line.
pub(super) fn least_width(heading: &str, provenance: Provenance) -> f64 {
    HEADING.width(heading) + NOTE.width(provenance.label().unwrap_or_default()) + 120.0
}

/// The margins around the data.
pub(super) struct Labels<'a> {
    pub(super) heading: &'a str,
    pub(super) provenance: Provenance,
    pub(super) x_title: Option<&'a str>,
    pub(super) y_title: Option<&'a str>,
}

/// The rectangle of the data, with its axes.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
    pub(super) x: Ticks,
    pub(super) y: Ticks,
}

impl Frame {
    /// The frame of a panel inside its margins; `below` is the space for the horizontal axis.
    pub(super) fn within((left, top): Point, (width, height): Point, x: Ticks, y: Ticks, below: f64) -> Self {
        Self {
            left: left + 22.0 + widest(&y) + 8.0,
            top: top + 26.0,
            right: left + width - 18.0,
            bottom: top + height - below,
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
        canvas.text(labels.heading, (self.left, self.top - 14.0), HEADING)?;
        if let Some(note) = labels.provenance.label() {
            canvas.text(note, (self.right, self.top - 14.0), NOTE)?;
        }
        let (left, right, top, bottom) = (self.left, self.right, self.top, self.bottom);
        for (minor, colour) in [(true, MINOR_GRID), (false, GRID)] {
            for y in places(&self.y, minor).map(|place| self.up(place)) {
                canvas.line(&[(left, y), (right, y)], Pen::solid(colour, 1.0))?;
            }
            for x in places(&self.x, minor).map(|place| self.across(place)) {
                canvas.line(&[(x, top), (x, bottom)], Pen::solid(colour, 1.0))?;
            }
        }
        canvas.line(&[(left, bottom), (right, bottom)], Pen::solid(INK, 1.0))?;
        for (place, label) in &self.y.marks {
            let at = (left - 7.0, self.up(*place));
            canvas.text(label, at, TICK.across(HPos::Right))?;
        }
        for (place, label) in &self.x.marks {
            let x = self.across(*place);
            canvas.line(&[(x, bottom), (x, bottom + 4.0)], Pen::solid(INK, 1.0))?;
            canvas.text(label, (x, bottom + 13.0), TICK.across(HPos::Center))?;
        }
        if let Some(title) = labels.x_title {
            canvas.text(title, (self.across(0.5), bottom + 31.0), TITLE.across(HPos::Center))?;
        }
        if let Some(title) = labels.y_title {
            let set = Type { upright: true, ..TITLE.across(HPos::Center) };
            canvas.text(title, (left - widest(&self.y) - 18.0, self.up(0.5)), set)?;
        }
        Ok(())
    }
}

fn places(ticks: &Ticks, minor: bool) -> impl Iterator<Item = f64> {
    let marks = ticks.marks.iter().map(|(place, _)| *place).filter(move |_| !minor);
    ticks.minor.iter().copied().filter(move |_| minor).chain(marks)
}

/// The width of the labels of a vertical axis.
pub(super) fn widest(ticks: &Ticks) -> f64 {
    ticks.marks.iter().map(|(_, label)| TICK.width(label)).fold(0.0, f64::max)
}
