//! Curves with bands.

use super::canvas::{self, Canvas, Pen, Point, Type};
use super::frame::{Frame, Labels, least_width};
use super::layout::{Entry, Page, Panels, Swatch, colour_of, colours, spread};
use super::ticks::{Margin, Ticks, USUAL};
use super::{Axis, PlotError};
use crate::record::Provenance;

const NAME: Type = Type::plain(12.0);
/// The distance from the frame to a name beside it: space for a piece of the curve.
const STUB: f64 = 30.0;

/// Curves in one panel or several, each panel with its own ranges.
///
/// A single panel names its curves at their ends; several share a legend. A name has the same colour in all
/// panels.
///
/// ```
/// use report::plot::{Axis, LinePanel, LinePlot, Series, Stroke};
/// use report::record::Provenance;
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
/// # Ok::<(), report::plot::PlotError>(())
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
    /// The provenance of the data; shown below the heading unless official.
    pub provenance: Provenance,
    /// The curves, at least one.
    pub series: Vec<Series>,
}

/// One curve.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The x values, at least one.
    pub x: Vec<f64>,
    /// The y values, as many as `x`.
    pub y: Vec<f64>,
    /// The lower and upper edges of the shaded band, as many as `x`.
    pub band: Option<Vec<(f64, f64)>>,
    /// The stroke of the curve.
    pub stroke: Stroke,
}

/// The stroke of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stroke {
    /// A measured quantity.
    #[default]
    Solid,
    /// A reference, such as a bound.
    Dashed,
}

impl LinePlot {
    /// The figure as an SVG document; the same plot gives the same bytes.
    ///
    /// # Errors
    /// Every variant of [`PlotError`].
    pub fn to_svg(&self) -> Result<String, PlotError> {
        self.drawn(Panels::Usual)
    }

    /// The figure with panels below each other, of this width and height in pixels or as much more as their
    /// content requires: for a narrow page. At 360 pixels its text is that of a page.
    ///
    /// # Errors
    /// As [`to_svg`](Self::to_svg).
    pub fn to_narrow_svg(&self, width: f64, height: f64) -> Result<String, PlotError> {
        self.drawn(Panels::Narrow((width, height)))
    }

    fn drawn(&self, panels: Panels) -> Result<String, PlotError> {
        self.check()?;
        let all = || self.panels.iter().flat_map(|panel| &panel.series);
        let colours = colours(all().map(|series| series.name.as_str()))?;
        let pen = |name: &str| {
            let dashed = all().any(|series| series.name == name && series.stroke == Stroke::Dashed);
            Pen { dashed, ..Pen::solid(colour_of(&colours, name), 1.8) }
        };
        let entries: Vec<Entry<'_>> =
            colours.iter().map(|&(name, _)| Entry { name, swatch: Swatch::Line(pen(name)) }).collect();
        let widest = colours.iter().map(|(name, _)| NAME.width(name)).fold(0.0, f64::max);
        let is_wide = self.panels.len() == 1 && panels == Panels::Usual;
        let names_at_ends = (is_wide && widest <= 220.0).then_some(widest + STUB);
        let legend: &[Entry<'_>] = if names_at_ends.is_some() { &[] } else { &entries };
        let right = names_at_ends.unwrap_or(0.0);
        let size = |panel: &LinePanel| (least_width(&panel.title, panel.provenance) + right, 0.0);
        let sizes: Vec<Point> = self.panels.iter().map(size).collect();
        let page = Page::new(self.title.as_deref(), panels, &sizes, legend);
        canvas::svg(page.size, |canvas| {
            page.draw(canvas)?;
            for (index, panel) in self.panels.iter().enumerate() {
                let frame = self.frame(canvas, panel, &page, index, (right, panels.spacing()))?;
                panel.draw(canvas, &frame, &pen)?;
                if names_at_ends.is_some() {
                    panel.name_ends(canvas, &frame, &pen)?;
                }
            }
            Ok(())
        })
    }

    /// Draws the axes of a panel, with some space kept free at the right.
    fn frame(
        &self,
        canvas: &Canvas<'_>,
        panel: &LinePanel,
        page: &Page<'_>,
        index: usize,
        (right, spacing): (f64, f64),
    ) -> Result<Frame, PlotError> {
        let along = panel.series.iter().flat_map(|s| s.x.iter().copied());
        let x = Ticks::new(self.x.scale, along, Margin::None, spacing);
        let y = Ticks::new(self.y.scale, panel.series.iter().flat_map(Series::heights), Margin::Room, USUAL);
        let (corner, size) = page.panel(index);
        let mut frame = Frame::within(corner, size, x, y, 42.0);
        frame.right -= right;
        let labels = Labels {
            heading: &panel.title,
            provenance: panel.provenance,
            x_title: Some(&self.x.title),
            y_title: page.is_first(index).then_some(&self.y.title),
        };
        frame.draw(canvas, &labels)?;
        Ok(frame)
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

impl LinePanel {
    /// Draws the bands, and the curves over all of them.
    fn draw(&self, canvas: &Canvas<'_>, frame: &Frame, pen: &dyn Fn(&str) -> Pen) -> Result<(), PlotError> {
        for series in &self.series {
            if let Some(edges) = &series.band {
                let at = |(x, y): (&f64, f64)| frame.at(*x, y);
                let upper = series.x.iter().zip(edges.iter().map(|edge| edge.1)).map(at);
                let lower = series.x.iter().zip(edges.iter().map(|edge| edge.0)).rev().map(at);
                let (upper, lower): (Vec<Point>, Vec<Point>) = (upper.collect(), lower.collect());
                let outline = [thinned(&upper), thinned(&lower)].concat();
                canvas.polygon(&outline, pen(&series.name).colour, 0.16)?;
            }
        }
        for series in &self.series {
            let points: Vec<Point> = series.x.iter().zip(&series.y).map(|(x, y)| frame.at(*x, *y)).collect();
            let dashed = series.stroke == Stroke::Dashed;
            canvas.line(&thinned(&points), Pen { dashed, ..pen(&series.name) })?;
        }
        Ok(())
    }

    /// Writes the names beside the ends of the curves.
    fn name_ends(
        &self,
        canvas: &Canvas<'_>,
        frame: &Frame,
        pen: &dyn Fn(&str) -> Pen,
    ) -> Result<(), PlotError> {
        let ends = self.series.iter().filter_map(|series| series.y.last());
        let mut places: Vec<f64> = ends.map(|y| frame.up(frame.y.place(*y))).collect();
        spread(&mut places, 16.0, (frame.top + 6.0, frame.bottom - 6.0));
        for (series, y) in self.series.iter().zip(places) {
            let (from, to) = (frame.right + 6.0, frame.right + STUB - 6.0);
            canvas.line(&[(from, y), (to, y)], Pen { width: 2.5, ..pen(&series.name) })?;
            canvas.text(&series.name, (frame.right + STUB, y), NAME)?;
        }
        Ok(())
    }
}

/// The most points of a drawn curve; more would be invisible.
const MOST_POINTS: usize = 500;

/// At most [`MOST_POINTS`] points of a curve with monotone x: the lowest and the highest of each of equally
/// wide columns, and both ends of the curve.
fn thinned(points: &[Point]) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    if points.len() <= MOST_POINTS {
        return points.to_vec();
    }
    let columns = (MOST_POINTS - 2) / 2;
    let column = |point: &Point| {
        let share = (point.0 - first.0) / (last.0 - first.0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast from f64 saturates"
        )]
        let column = (share * columns as f64) as usize;
        column.min(columns - 1)
    };
    let mut kept = vec![*first];
    for points in points.chunk_by(|a, b| column(a) == column(b)) {
        let by_height = |a: &&(usize, &Point), b: &&(usize, &Point)| a.1.1.total_cmp(&b.1.1);
        let numbered: Vec<(usize, &Point)> = points.iter().enumerate().collect();
        let lowest = numbered.iter().min_by(by_height).map_or(0, |found| found.0);
        let highest = numbered.iter().max_by(by_height).map_or(0, |found| found.0);
        kept.push(points[lowest.min(highest)]);
        if lowest != highest {
            kept.push(points[lowest.max(highest)]);
        }
    }
    kept.push(*last);
    kept
}

impl Series {
    /// All values on the vertical axis.
    fn heights(&self) -> impl Iterator<Item = f64> {
        let edges = self.band.iter().flatten().flat_map(|&(low, high)| [low, high]);
        self.y.iter().copied().chain(edges)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_curve_keeps_its_ends_and_every_peak() {
        let mut points: Vec<Point> =
            (0..100_000).map(|t| (f64::from(t), (f64::from(t) * 1e-4).sin())).collect();
        points[31_234].1 = 7.0;
        points[77_777].1 = -7.0;
        for points in [points.clone(), points.iter().rev().copied().collect()] {
            let kept = thinned(&points);
            assert!(kept.len() <= MOST_POINTS && kept.len() > MOST_POINTS / 2, "{}", kept.len());
            assert_eq!((kept.first(), kept.last()), (points.first(), points.last()));
            assert!([(31_234.0, 7.0), (77_777.0, -7.0)].iter().all(|peak| kept.contains(peak)));
            // The kept points are points of the curve, in order.
            let mut left = points.iter();
            assert!(kept[..kept.len() - 1].iter().skip(1).all(|point| left.any(|one| one == point)));
        }
        assert_eq!(thinned(&points[..MOST_POINTS]), points[..MOST_POINTS]);
        assert_eq!(thinned(&[]), []);
        let upright = vec![(1.0, 0.0); MOST_POINTS + 1];
        assert_eq!(thinned(&upright), [upright[0]; 4]);
    }

    #[test]
    fn a_reference_curve_is_one_dashed_path() {
        let series = |name: &str, stroke| {
            let x: Vec<f64> = (0..2_000).map(f64::from).collect();
            Series { name: name.into(), y: x.clone(), x, band: None, stroke }
        };
        let plot = |strokes: [Stroke; 2]| {
            let series = vec![series("measured", strokes[0]), series("bound", strokes[1])];
            let panel = LinePanel { title: "set".into(), provenance: Provenance::Official, series };
            let (x, y) = (Axis::linear("x"), Axis::linear("y"));
            LinePlot { title: None, x, y, panels: vec![panel] }.to_svg().unwrap()
        };
        let dashes = |svg: &str| svg.matches("stroke-dasharray").count();
        let solid = plot([Stroke::Solid; 2]);
        let dashed = plot([Stroke::Solid, Stroke::Dashed]);
        assert_eq!(dashes(&solid), 0);
        // The curve, and its name's mark at the end.
        assert_eq!(dashes(&dashed), 2);
        assert_eq!(dashed.matches("<polyline").count(), solid.matches("<polyline").count());
    }
}
