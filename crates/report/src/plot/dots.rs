//! Dots with intervals, one per row.

use super::PlotError;
use super::canvas::{self, Canvas, GREY, PALETTE, Pen};
use super::frame::{Frame, Labels, least_width, widest};
use super::layout::{Page, Panels};
use super::ticks::{Margin, Scale, Ticks};
use crate::record::Provenance;

/// The height of a row.
const ROW: f64 = 19.0;
/// The margin of a panel above and below its rows.
const AROUND: f64 = 80.0;

/// Numbers with intervals, one per row beside a long name, around a line.
///
/// ```
/// use report::plot::{Dot, DotPanel, DotPlot};
/// use report::record::Provenance;
/// let dot = |label: &str, value, interval| Dot { label: label.into(), value, interval };
/// let dots = vec![dot("twice the rounds", 1.5, Some((1.0, 1.9))), dot("half the depth", -2.0, None)];
/// let plot = DotPlot {
///     title: None,
///     x: "points more".into(),
///     line: 0.0,
///     panels: vec![DotPanel { title: "tmc".into(), provenance: Provenance::Official, dots }],
/// };
/// assert!(plot.to_svg()?.contains("twice the rounds"));
/// # Ok::<(), report::plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct DotPlot {
    /// The heading of the whole figure.
    pub title: Option<String>,
    /// The title of the horizontal axis.
    pub x: String,
    /// The number that dots are held against: 0 for differences.
    pub line: f64,
    /// The panels, at least one.
    pub panels: Vec<DotPanel>,
}

/// One panel.
#[derive(Debug, Clone, PartialEq)]
pub struct DotPanel {
    /// The panel's heading, usually the data set.
    pub title: String,
    /// The provenance of the data; shown beside the heading unless official.
    pub provenance: Provenance,
    /// The rows, top to bottom, at least one.
    pub dots: Vec<Dot>,
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub struct Dot {
    /// The label of the row.
    pub label: String,
    /// The value of the dot.
    pub value: f64,
    /// The lower and the upper end of its interval; without one the dot is hollow.
    pub interval: Option<(f64, f64)>,
}

impl DotPlot {
    /// The figure as an SVG document; the same plot gives the same bytes.
    ///
    /// # Errors
    /// [`PlotError::Empty`], [`PlotError::BadValue`], [`PlotError::Drawing`].
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
        let sizes: Vec<_> = self.panels.iter().map(|panel| panel.least_size(panels)).collect();
        let page = Page::new(self.title.as_deref(), panels, &sizes, &[]);
        canvas::svg(page.size, |canvas| {
            page.draw(canvas)?;
            self.panels
                .iter()
                .enumerate()
                .try_for_each(|(index, panel)| panel.draw(canvas, &page, index, (self, panels)))
        })
    }

    fn check(&self) -> Result<(), PlotError> {
        if self.panels.is_empty() {
            return Err(PlotError::Empty { panel: String::new() });
        }
        for panel in &self.panels {
            if panel.dots.is_empty() {
                return Err(PlotError::Empty { panel: panel.title.clone() });
            }
            for dot in &panel.dots {
                let [low, _, high] = dot.ends();
                let reversed = (!(low <= high)).then_some(low);
                let of_figure = dot.ends().into_iter().chain([self.line]);
                let bad = of_figure.into_iter().find(|x| !Scale::Linear.admits(*x)).or(reversed);
                if let Some(value) = bad {
                    let (panel, series) = (panel.title.clone(), dot.label.clone());
                    return Err(PlotError::BadValue { panel, series, axis: "x", value });
                }
            }
        }
        Ok(())
    }
}

impl DotPanel {
    /// The rows, evenly spaced, as an axis.
    #[allow(clippy::cast_precision_loss, reason = "rows are counted in dozens")]
    fn rows(&self) -> Ticks {
        let mut rows = Ticks::unmarked();
        let count = self.dots.len() as f64;
        let place = |row: usize| 1.0 - (row as f64 + 0.5) / count;
        rows.marks = self.dots.iter().enumerate().map(|(row, dot)| (place(row), dot.label.clone())).collect();
        rows
    }

    #[allow(clippy::cast_precision_loss, reason = "rows are counted in dozens")]
    fn least_size(&self, panels: Panels) -> (f64, f64) {
        let room = if panels == Panels::Usual { 360.0 } else { 200.0 };
        let width = (widest(&self.rows()) + room).max(least_width(&self.title, self.provenance));
        (width, ROW * self.dots.len() as f64 + AROUND)
    }

    fn draw(
        &self,
        canvas: &Canvas<'_>,
        page: &Page<'_>,
        index: usize,
        (plot, panels): (&DotPlot, Panels),
    ) -> Result<(), PlotError> {
        let values = self.dots.iter().flat_map(Dot::ends).chain([plot.line]);
        let x = Ticks::new(Scale::Linear, values, Margin::Room, panels.spacing());
        let title = &plot.x;
        let (corner, size) = page.panel(index);
        let frame = Frame::within(corner, size, x, self.rows(), 44.0);
        let labels =
            Labels { heading: &self.title, provenance: self.provenance, x_title: Some(title), y_title: None };
        frame.draw(canvas, &labels)?;
        let line = frame.across(frame.x.place(plot.line));
        canvas.line(&[(line, frame.top), (line, frame.bottom)], Pen::solid(GREY, 1.2))?;
        for (dot, (place, _)) in self.dots.iter().zip(&frame.y.marks) {
            let [low, value, high] = dot.ends().map(|x| frame.across(frame.x.place(x)));
            let y = frame.up(*place);
            let pen = Pen::solid(PALETTE[0], 1.8);
            if dot.interval.is_some() {
                canvas.line(&[(low, y), (high, y)], pen)?;
            }
            canvas.dot((value, y), 4.0, PALETTE[0], dot.interval.is_some())?;
        }
        Ok(())
    }
}

impl Dot {
    /// The lower end of the interval, the dot, and the upper end.
    fn ends(&self) -> [f64; 3] {
        let (low, high) = self.interval.unwrap_or((self.value, self.value));
        [low, self.value, high]
    }
}
