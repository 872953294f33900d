//! Grouped bars with error bars.

use super::PlotError;
use super::canvas::{self, Canvas, INK, Pen, Point, Type};
use super::frame::{Frame, Labels, least_width};
use super::layout::{Entry, Page, Panels, Swatch, colour_of, colours, diamond};
use super::ticks::{Margin, Scale, Ticks, USUAL};
use crate::record::Provenance;
use plotters::style::RGBColor;
use plotters::style::text_anchor::HPos;

const LABEL: Type = Type::plain(11.0).across(HPos::Center);
/// The gap between two groups, in widths of a bar's slot.
const GAP: f64 = 1.5;

/// Bars in one panel or several, each panel with its own vertical range, which includes 0.
///
/// ```
/// use report::plot::{Bar, BarGroup, BarPanel, BarPlot};
/// use report::record::Provenance;
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
/// # Ok::<(), report::plot::PlotError>(())
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
    /// The provenance of the data; shown below the heading unless official.
    pub provenance: Provenance,
    /// The groups, at least one.
    pub groups: Vec<BarGroup>,
}

/// A group of bars.
#[derive(Debug, Clone, PartialEq)]
pub struct BarGroup {
    /// The label below the group; may be empty.
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
    /// The paper's value of the same number, drawn as a mark.
    pub reported: Option<f64>,
}

impl BarPlot {
    /// The figure as an SVG document; the same plot gives the same bytes.
    ///
    /// # Errors
    /// [`PlotError::Empty`], [`PlotError::BadValue`], [`PlotError::TooManySeries`], [`PlotError::Drawing`].
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
        let all = || self.panels.iter().flat_map(BarPanel::bars);
        let colours = colours(all().map(|bar| bar.series.as_str()))?;
        let mut entries: Vec<Entry<'_>> =
            colours.iter().map(|&(name, colour)| Entry { name, swatch: Swatch::Box(colour) }).collect();
        if all().any(|bar| bar.reported.is_some()) {
            entries.push(Entry { name: "reported by the paper", swatch: Swatch::Diamond });
        }
        let least = |panel: &BarPanel| match panels {
            Panels::Usual => panel.least_width(),
            Panels::Narrow(_) => 0.0,
        };
        let sizes: Vec<Point> = self.panels.iter().map(|panel| (least(panel), 0.0)).collect();
        let page = Page::new(self.title.as_deref(), panels, &sizes, &entries);
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
        let y = Ticks::new(Scale::Linear, heights, Margin::Room, USUAL);
        let x = Ticks::unmarked();
        let below = if panel.groups.iter().all(|group| group.label.is_empty()) { 16.0 } else { 30.0 };
        let (corner, size) = page.panel(index);
        let frame = Frame::within(corner, size, x, y, below);
        let labels = Labels {
            heading: &panel.title,
            provenance: panel.provenance,
            x_title: None,
            y_title: page.is_first(index).then_some(&self.y),
        };
        frame.draw(canvas, &labels)?;
        // Each bar has a slot.
        let groups = panel.groups.len() as f64;
        let slot = 1.0 / (panel.bars().count() as f64 + GAP * groups);
        let mut from = 0.5 * GAP * slot;
        for group in &panel.groups {
            let to = from + slot * group.bars.len() as f64;
            let middle = (frame.across(0.5 * (from + to)), frame.bottom + 14.0);
            canvas.text(&group.label, middle, LABEL)?;
            for bar in &group.bars {
                let (left, right) = (frame.across(from + 0.06 * slot), frame.across(from + 0.94 * slot));
                bar.draw(canvas, &frame, (left, right), colour_of(colours, &bar.series))?;
                from += slot;
            }
            from = to + GAP * slot;
        }
        // The bars have been drawn over their base line.
        let ground = frame.up(frame.y.place(0.0));
        canvas.line(&[(frame.left, ground), (frame.right, ground)], Pen::solid(INK, 1.0))
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
    /// The width for the heading, and for the groups' labels side by side.
    #[allow(clippy::cast_precision_loss, reason = "groups are counted in dozens")]
    fn least_width(&self) -> f64 {
        let bars = self.bars().count() as f64;
        let slots = bars + GAP * self.groups.len() as f64;
        let needed =
            |group: &BarGroup| (LABEL.width(&group.label) + 6.0) * slots / (group.bars.len() as f64 + GAP);
        let labels = self.groups.iter().map(needed).fold(0.0, f64::max) + 120.0;
        labels.max(least_width(&self.title, self.provenance))
    }

    fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }
}

impl Bar {
    /// All values on the vertical axis.
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
        // The error bar and the paper's number are side by side.
        let beside = if self.reported.is_some() && self.error.is_some() { 0.2 * (right - left) } else { 0.0 };
        let middle = 0.5 * (left + right);
        if let Some(error) = self.error {
            let (x, cap) = (middle - beside, (0.2 * (right - left)).min(5.0));
            let (low, high) = (up(self.value - error), up(self.value + error));
            let pen = Pen::solid(INK, 1.2);
            canvas.line(&[(x, low), (x, high)], pen)?;
            for end in [low, high] {
                canvas.line(&[(x - cap, end), (x + cap, end)], pen)?;
            }
        }
        match self.reported {
            Some(value) => diamond(canvas, (middle + beside, up(value))),
            None => Ok(()),
        }
    }
}
