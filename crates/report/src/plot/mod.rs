//! Figures as SVG: curves, bars and dots, in one panel or several.
//!
//! Reading order: [`LinePlot`], [`BarPlot`] and [`DotPlot`], the inputs from an experiment; `ticks` chooses
//! the ticks of an axis; `layout` places panels and legend; `frame` draws a panel's axes; `canvas` has the
//! drawing primitives.

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

/// The reason why a figure cannot be drawn.
#[derive(Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum PlotError {
    /// No panel, or an empty panel.
    #[error("panel {panel:?} is empty")]
    Empty {
        /// The panel's title; empty if there is no panel.
        panel: String,
    },
    /// A number that its axis cannot show: not finite, beyond 1e300, or not positive on a logarithmic axis.
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
    /// The columns of one series have different lengths.
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
    /// More names than distinguishable colours.
    #[error("{found} series, but only {known} distinguishable colours")]
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
