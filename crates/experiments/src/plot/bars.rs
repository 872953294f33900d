//! Grouped bars with error bars.

use super::canvas::{self, Canvas, INK, Point, Type};
use super::frame::{Frame, Labels};
use super::layout::{Entry, Page, Swatch, colour_of, colours, diamond};
use super::ticks::{Margin, Scale, Ticks};
use super::PlotError;
use crate::record::Provenance;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

/// Bars in one panel or several, each panel with a vertical range of its own that includes 0.
///
/// ```
/// use experiments::plot::{Bar, BarGroup, BarPanel, BarPlot};
/// use experiments::record::Provenance;
/// let bars = vec![
///     Bar { series: "bandit".into(), value: 0.6, error: Some(0.05), reported: Some(0.55) },
///     Bar { series: "full information".into(), value: 0.4, error: None, reported: None },
/// ];
/// let groups = vec![BarGroup { label: "5 weak learners".into(), bars }];
/// let plot = BarPlot {
///     title: None,
///     y: "average loss".into(),
///     panels: vec![BarPanel { title: "abalone".into(), provenance: Provenance::Official, groups }],
/// };
/// assert!(plot.to_svg()?.contains("reported by the paper"));
/// # Ok::<(), experiments::plot::PlotError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct BarPlot {
    /// The heading of the whole figure.
    pub title: Option<String>,
    /// The title of the vertical axis.
    pub y: String,
    /// The panels, at least one.
    pub panels: Vec<BarPanel>,
}

/// One panel.
#[derive(Debug, Clone, PartialEq)]
pub struct BarPanel {
    /// The panel's heading, usually the data set.
    pub title: String,
    /// Where the data came from; said below the heading unless official.
    pub provenance: Provenance,
    /// The groups, at least one.
    pub groups: Vec<BarGroup>,
}

/// Bars that stand together.
#[derive(Debug, Clone, PartialEq)]
pub struct BarGroup {
    /// What stands below the group; may be empty.
    pub label: String,
    /// The bars, at least one.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The name in the legend.
    pub series: String,
    /// Its height.
    pub value: f64,
    /// Half the length of the error bar, such as one standard deviation; not negative.
    pub error: Option<f64>,
    /// What the paper reports for the same number, drawn as a mark.
    pub reported: Option<f64>,
}

impl BarPlot {
    /// The figure as an SVG document; the same plot gives the same bytes.
    ///
    /// # Errors
    /// [`PlotError::Empty`], [`PlotError::BadValue`], [`PlotError::TooManySeries`], [`PlotError::Drawing`].
    pub fn to_svg(&self) -> Result<String, PlotError> {
        self.check()?;
        let all = || self.panels.iter().flat_map(BarPanel::bars);
        let colours = colours(all().map(|bar| bar.series.as_str()))?;
        let mut entries: Vec<Entry<'_>> =
            colours.iter().map(|&(name, colour)| Entry { name, colour, swatch: Swatch::Box }).collect();
        if all().any(|bar| bar.reported.is_some()) {
            entries.push(Entry { name: "reported by the paper", colour: INK, swatch: Swatch::Diamond });
        }
        let page = Page::new(self.title.as_deref(), self.panels.len(), &entries);
        canvas::svg(page.size, |canvas| {
            page.draw(canvas)?;
            for (index, panel) in self.panels.iter().enumerate() {
                self.draw(canvas, panel, &page, index, &colours)?;
            }
            Ok(())
        })
    }

    #[allow(clippy::cast_precision_loss, reason = "bars are counted in dozens")]
    fn draw(
        &self,
        canvas: &Canvas<'_>,
        panel: &BarPanel,
        page: &Page<'_>,
        index: usize,
        colours: &[(&str, RGBColor)],
    ) -> Result<(), PlotError> {
        let heights = panel.bars().flat_map(Bar::heights).chain([0.0]);
        let y = Ticks::new(Scale::Linear, heights, Margin::AwayFromZero);
        let x = Ticks::unmarked();
        let notes = self.panels.iter().any(|panel| panel.provenance.label().is_some());
        let (corner, size) = page.panel(index);
        let frame = Frame::within(corner, size, x, y, notes);
        let labels = Labels {
            heading: &panel.title,
            provenance: panel.provenance,
            x_title: None,
            y_title: page.is_first(index).then_some(&self.y),
        };
        frame.draw(canvas, &labels)?;
        // A slot for every bar, and one and a half between groups.
        let groups = panel.groups.len() as f64;
        let slot = 1.0 / (panel.bars().count() as f64 + 1.5 * groups);
        let mut from = 0.75 * slot;
        for group in &panel.groups {
            let to = from + slot * group.bars.len() as f64;
            let middle = (frame.across(0.5 * (from + to)), frame.bottom + 14.0);
            canvas.text(&group.label, middle, Type::plain(11.0).across(HPos::Center))?;
            for bar in &group.bars {
                let (left, right) = (frame.across(from + 0.06 * slot), frame.across(from + 0.94 * slot));
                bar.draw(canvas, &frame, (left, right), colour_of(colours, &bar.series))?;
                from += slot;
            }
            from = to + 1.5 * slot;
        }
        // The bars have been drawn over the line that they stand on.
        let ground = frame.up(frame.y.place(0.0));
        canvas.line(&[(frame.left, ground), (frame.right, ground)], INK, 1.0)
    }

    fn check(&self) -> Result<(), PlotError> {
        if self.panels.is_empty() {
            return Err(PlotError::Empty { panel: String::new() });
        }
        for panel in &self.panels {
            if panel.groups.is_empty() || panel.groups.iter().any(|group| group.bars.is_empty()) {
                return Err(PlotError::Empty { panel: panel.title.clone() });
            }
            for bar in panel.bars() {
                let bad = |value| PlotError::BadValue {
                    panel: panel.title.clone(),
                    series: bar.series.clone(),
                    axis: "y",
                    value,
                };
                if let Some(value) = bar.heights().find(|y| !Scale::Linear.admits(*y)) {
                    return Err(bad(value));
                }
                if let Some(error) = bar.error.filter(|error| !(*error >= 0.0)) {
                    return Err(bad(error));
                }
            }
        }
        Ok(())
    }
}

impl BarPanel {
    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }
}

impl Bar {
    /// Everything that needs a place on the vertical axis.
    fn heights(&self) -> impl Iterator<Item = f64> {
        let error = self.error.unwrap_or(0.0);
        [self.value, self.value - error, self.value + error].into_iter().chain(self.reported)
    }

    fn draw(
        &self,
        canvas: &Canvas<'_>,
        frame: &Frame,
        (left, right): Point,
        colour: RGBColor,
    ) -> Result<(), PlotError> {
        let up = |value: f64| frame.up(frame.y.place(value));
        let (top, bottom) = (up(self.value.max(0.0)), up(self.value.min(0.0)));
        canvas.rectangle((left, top), (right, bottom), colour)?;
        let middle = 0.5 * (left + right);
        if let Some(error) = self.error {
            let (low, high) = (up(self.value - error), up(self.value + error));
            let cap = (0.3 * (right - left)).min(5.0);
            canvas.line(&[(middle, low), (middle, high)], INK, 1.2)?;
            for end in [low, high] {
                canvas.line(&[(middle - cap, end), (middle + cap, end)], INK, 1.2)?;
            }
        }
        match self.reported {
            Some(value) => diamond(canvas, (middle, up(value))),
            None => Ok(()),
        }
    }
}
