//! Dots with intervals, one per row.

use super::PlotError;
use super::canvas::{self, Canvas, GREY, PALETTE, Pen};
use super::frame::{Frame, Labels, least_width, widest};
use super::layout::Page;
use super::ticks::{Margin, Scale, Ticks};
use crate::record::Provenance;

/// The height of a row.
const ROW: f64 = 19.0;
/// The margin of a panel above and below its rows.
const AROUND: f64 = 80.0;

/// Numbers with intervals, one per row beside a long name, around a line at 0.
///
/// ```
/// use report::plot::{Dot, DotPanel, DotPlot};
/// use report::record::Provenance;
/// let dot = |label: &str, value| Dot { label: label.into(), value, half_width: Some(0.5) };
/// let dots = vec![dot("twice the rounds", 1.5), dot("half the depth", -2.0)];
/// let plot = DotPlot {
///     title: None,
///     x: "points more".into(),
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
    /// Half the length of the interval, not negative; without one the dot is hollow.
    pub half_width: Option<f64>,
}

impl DotPlot {
    /// The figure as an SVG document; the same plot gives the same bytes.
    ///
    /// # Errors
    /// [`PlotError::Empty`], [`PlotError::BadValue`], [`PlotError::Drawing`].
    pub fn to_svg(&self) -> Result<String, PlotError> {
        self.check()?;
        let sizes: Vec<_> = self.panels.iter().map(DotPanel::least_size).collect();
        let page = Page::new(self.title.as_deref(), &sizes, &[]);
        canvas::svg(page.size, |canvas| {
            page.draw(canvas)?;
            self.panels
                .iter()
                .enumerate()
                .try_for_each(|(index, panel)| panel.draw(canvas, &page, index, &self.x))
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
                let negative = dot.half_width.filter(|width| !(*width >= 0.0));
                let bad = dot.ends().into_iter().find(|x| !Scale::Linear.admits(*x)).or(negative);
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
    fn least_size(&self) -> (f64, f64) {
        let width = (widest(&self.rows()) + 360.0).max(least_width(&self.title, self.provenance));
        (width, ROW * self.dots.len() as f64 + AROUND)
    }

    fn draw(&self, canvas: &Canvas<'_>, page: &Page<'_>, index: usize, title: &str) -> Result<(), PlotError> {
        let x = Ticks::new(Scale::Linear, self.dots.iter().flat_map(Dot::ends).chain([0.0]), Margin::Room);
        let (corner, size) = page.panel(index);
        let frame = Frame::within(corner, size, x, self.rows(), 44.0);
        let labels =
            Labels { heading: &self.title, provenance: self.provenance, x_title: Some(title), y_title: None };
        frame.draw(canvas, &labels)?;
        let zero = frame.across(frame.x.place(0.0));
        canvas.line(&[(zero, frame.top), (zero, frame.bottom)], Pen::solid(GREY, 1.2))?;
        for (dot, (place, _)) in self.dots.iter().zip(&frame.y.marks) {
            let [low, value, high] = dot.ends().map(|x| frame.across(frame.x.place(x)));
            let y = frame.up(*place);
            let pen = Pen::solid(PALETTE[0], 1.8);
            if dot.half_width.is_some() {
                canvas.line(&[(low, y), (high, y)], pen)?;
            }
            canvas.dot((value, y), 4.0, PALETTE[0], dot.half_width.is_some())?;
        }
        Ok(())
    }
}

impl Dot {
    /// The lower end of the interval, the dot, and the upper end.
    fn ends(&self) -> [f64; 3] {
        let width = self.half_width.unwrap_or(0.0);
        [self.value - width, self.value, self.value + width]
    }
}
