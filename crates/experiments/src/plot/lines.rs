//! Curves with bands.

use super::canvas::{self, Canvas, Point, Type};
use super::frame::{Frame, Labels};
use super::layout::{Entry, Page, Swatch, colour_of, colours, spread};
use super::ticks::{Margin, Ticks};
use super::{Axis, PlotError};
use crate::record::Provenance;
use plotters::style::RGBColor;

/// Curves in one panel or several, each panel with ranges of its own.
///
/// A single panel names its curves at their ends; several share a legend. A name has the same colour in all panels.
///
/// ```
/// use experiments::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
/// use experiments::record::Provenance;
/// let x: Vec<f64> = (1..=100).map(f64::from).collect();
/// let y: Vec<f64> = x.iter().map(|t| 1.0 / t.sqrt()).collect();
/// let band = Some(y.iter().map(|y| (0.9 * y, 1.1 * y)).collect());
/// let series = vec![Series { name: "boosting".into(), x, y, band, stroke: Stroke::Solid }];
/// let plot = LinePlot {
///     title: None,
///     x: Axis::linear("round"),
///     y: Axis::log("average loss"),
///     panels: vec![LinePanel { title: "abalone".into(), provenance: Provenance::StandIn, series }],
/// };
/// let svg = plot.to_svg()?;
/// assert!(svg.contains("synthetic stand-in") && svg.contains("average loss"));
/// # Ok::<(), experiments::plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LinePlot {
    /// The heading of the whole figure.
    pub title: Option<String>,
    /// The horizontal axis of every panel.
    pub x: Axis,
    /// The vertical axis of every panel.
    pub y: Axis,
    /// The panels, at least one.
    pub panels: Vec<LinePanel>,
}

/// One panel.
#[derive(Debug, Clone, PartialEq)]
pub struct LinePanel {
    /// The panel's heading, usually the data set.
    pub title: String,
    /// Where the data came from; said below the heading unless official.
    pub provenance: Provenance,
    /// The curves, at least one.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The horizontal places, at least one.
    pub x: Vec<f64>,
    /// The curve, as long as `x`.
    pub y: Vec<f64>,
    /// The shaded band's lower and upper edge, as long as `x`.
    pub band: Option<Vec<(f64, f64)>>,
    /// How the curve is drawn.
    pub stroke: Stroke,
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// Something measured.
    #[default]
    Solid,
    /// Something to compare with, such as a bound.
    Dashed,
}

impl LinePlot {
    /// The figure as an SVG document; the same plot gives the same bytes.
    ///
    /// # Errors
    /// Every variant of [`PlotError`].
    pub fn to_svg(&self) -> Result<String, PlotError> {
        self.check()?;
        let all = || self.panels.iter().flat_map(|panel| &panel.series);
        let colours = colours(all().map(|series| series.name.as_str()))?;
        let direct = self.panels.len() == 1;
        let entries: Vec<Entry<'_>> = colours
            .iter()
            .map(|&(name, colour)| Entry { name, colour, swatch: swatch(all().find(|s| s.name == name)) })
            .collect();
        let page = Page::new(self.title.as_deref(), self.panels.len(), if direct { &[] } else { &entries });
        canvas::svg(page.size, |canvas| {
            page.draw(canvas)?;
            for (index, panel) in self.panels.iter().enumerate() {
                self.draw(canvas, panel, &page, index, &colours)?;
            }
            Ok(())
        })
    }

    fn draw(
        &self,
        canvas: &Canvas<'_>,
        panel: &LinePanel,
        page: &Page<'_>,
        index: usize,
        colours: &[(&str, RGBColor)],
    ) -> Result<(), PlotError> {
        let x = Ticks::new(self.x.scale, panel.series.iter().flat_map(|s| s.x.iter().copied()), Margin::None);
        let y = Ticks::new(self.y.scale, panel.series.iter().flat_map(Series::heights), Margin::Both);
        let notes = self.panels.iter().any(|panel| panel.provenance.label().is_some());
        let (corner, size) = page.panel(index);
        let mut frame = Frame::within(corner, size, x, y, notes);
        let direct = self.panels.len() == 1;
        let label = Type::plain(12.0);
        if direct {
            frame.right -= colours.iter().map(|(name, _)| label.width(name)).fold(0.0, f64::max);
        }
        let labels = Labels {
            heading: &panel.title,
            provenance: panel.provenance,
            x_title: Some(&self.x.title),
            y_title: page.is_first(index).then_some(&self.y.title),
        };
        frame.draw(canvas, &labels)?;
        let colour = |series: &Series| colour_of(colours, &series.name);
        for series in &panel.series {
            if let Some(edges) = &series.band {
                let at = |(x, y): (&f64, f64)| frame.at(*x, y);
                let upper = series.x.iter().zip(edges.iter().map(|edge| edge.1)).map(at);
                let lower = series.x.iter().zip(edges.iter().map(|edge| edge.0)).rev().map(at);
                canvas.polygon(&upper.chain(lower).collect::<Vec<Point>>(), colour(series), 0.16)?;
            }
        }
        for series in &panel.series {
            let points: Vec<Point> = series.x.iter().zip(&series.y).map(|(x, y)| frame.at(*x, *y)).collect();
            match series.stroke {
                Stroke::Solid => canvas.line(&points, colour(series), 1.8)?,
                Stroke::Dashed => canvas.dashed(&points, colour(series), 1.8)?,
            }
        }
        if direct {
            let ends = panel.series.iter().filter_map(|s| s.y.last());
            let mut places: Vec<f64> = ends.map(|y| frame.up(frame.y.place(*y))).collect();
            spread(&mut places, 15.0, (frame.top + 6.0, frame.bottom - 6.0));
            for (series, place) in panel.series.iter().zip(places) {
                let set = Type { colour: colour(series), ..label };
                canvas.text(&series.name, (frame.right + 7.0, place), set)?;
            }
        }
        Ok(())
    }

    fn check(&self) -> Result<(), PlotError> {
        if self.panels.is_empty() {
            return Err(PlotError::Empty { panel: String::new() });
        }
        for panel in &self.panels {
            let title = || panel.title.clone();
            if panel.series.is_empty() || panel.series.iter().any(|series| series.x.is_empty()) {
                return Err(PlotError::Empty { panel: title() });
            }
            for series in &panel.series {
                let n = series.x.len();
                let band = series.band.as_ref().map_or(n, Vec::len);
                if (series.y.len(), band) != (n, n) {
                    let (y, series) = (series.y.len(), series.name.clone());
                    return Err(PlotError::Lengths { panel: title(), series, x: n, y, band });
                }
                let bad = |axis, value| PlotError::BadValue {
                    panel: title(),
                    series: series.name.clone(),
                    axis,
                    value,
                };
                if let Some(&value) = series.x.iter().find(|x| !self.x.scale.admits(**x)) {
                    return Err(bad("x", value));
                }
                if let Some(value) = series.heights().find(|y| !self.y.scale.admits(*y)) {
                    return Err(bad("y", value));
                }
            }
        }
        Ok(())
    }
}

impl Series {
    /// Everything that needs a place on the vertical axis.
    fn heights(&self) -> impl Iterator<Item = f64> {
        let edges = self.band.iter().flatten().flat_map(|&(low, high)| [low, high]);
        self.y.iter().copied().chain(edges)
    }
}

fn swatch(series: Option<&Series>) -> Swatch {
    match series.map(|series| series.stroke) {
        Some(Stroke::Dashed) => Swatch::Dashes,
        _ => Swatch::Line,
    }
}
