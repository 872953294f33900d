//! Figures as SVG: curves, bars and dots, in one panel or several.
//!
//! Reading order: [`LinePlot`], [`BarPlot`] and [`DotPlot`] are what an experiment fills in; `ticks` chooses
//! the numbers at an axis; `layout` places panels and legend; `frame` draws a panel's axes; `canvas` is the
//! paper and the pens.

mod lines;
mod bars;
mod dots;
mod ticks;
mod layout;
mod frame;
mod canvas;

pub use bars::{Bar, BarGroup, BarPanel, BarPlot};
pub use dots::{Dot, DotPanel, DotPlot};
pub use lines::{LinePanel, LinePlot, Series, Stroke};
pub use ticks::{Axis, Scale};

use thiserror::Error;

/// Why a figure cannot be drawn.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PlotError {
    /// No panel, or a panel without anything in it.
    #[error("panel {panel:?} is empty")]
    Empty {
        /// The panel's title; empty where there is no panel at all.
        panel: String,
    },
    /// A number that has no place on its axis: not finite, beyond 1e300, or not positive on a logarithmic
    /// axis.
    #[error("{series:?} in panel {panel:?}: {value} has no place on the {axis} axis")]
    BadValue {
        /// The panel's title.
        panel: String,
        /// The series.
        series: String,
        /// `x` or `y`.
        axis: &'static str,
        /// The number.
        value: f64,
    },
    /// Columns that belong together have different lengths.
    #[error("{series:?} in panel {panel:?}: {x} x, {y} y and {band} band values")]
    Lengths {
        /// The panel's title.
        panel: String,
        /// The series.
        series: String,
        /// The number of x values.
        x: usize,
        /// The number of y values.
        y: usize,
        /// The number of band values.
        band: usize,
    },
    /// More names than colours that can be told apart.
    #[error("{found} series, but only {known} colours can be told apart")]
    TooManySeries {
        /// The number of names in the legend.
        found: usize,
        /// The number of colours.
        known: usize,
    },
    /// The drawing failed.
    #[error("drawing: {0}")]
    Drawing(String),
}

#[cfg(test)]
mod tests;
