//! The layout of panels, title and legend.

use super::PlotError;
use super::canvas::{Canvas, INK, PALETTE, Pen, Point, Type};
use super::ticks::USUAL;
use plotters::style::{FontStyle, RGBColor, WHITE};

const MARGIN: f64 = 12.0;
/// Title and legend begin a little to the right of the panels' edge.
const INDENT: f64 = 22.0;
const TITLE: Type = Type { style: FontStyle::Bold, ..Type::plain(15.0) };
const LEGEND: Type = Type::plain(12.0);
const LEGEND_ROW: f64 = 20.0;
const SWATCH: f64 = 22.0;

/// The mark of a series in the legend.
#[derive(Clone, Copy)]
pub(super) enum Swatch {
    Line(Pen),
    Box(RGBColor),
    Diamond,
}

/// An entry of the legend.
pub(super) struct Entry<'a> {
    pub(super) name: &'a str,
    pub(super) swatch: Swatch,
}

/// The page.
pub(super) struct Page<'a> {
    title: Option<&'a str>,
    columns: usize,
    panel: Point,
    /// The upper left corner of each entry.
    entries: Vec<(Point, &'a Entry<'a>)>,
    top: f64,
    pub(super) size: Point,
}

/// The size of the panels, and how many are side by side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Panels {
    /// As their number asks for.
    Usual,
    /// Below each other, of this size.
    Narrow(Point),
}

impl Panels {
    /// The distance of marks on the horizontal axis.
    pub(super) fn spacing(self) -> f64 {
        match self {
            Self::Usual => USUAL,
            Self::Narrow((width, _)) => USUAL.max(80.0 / width.max(1.0)),
        }
    }

    fn layout(self, panels: usize) -> (usize, Point) {
        match (self, panels) {
            (Self::Narrow(size), _) => (1, size),
            (_, 0 | 1) => (1, (640.0, 380.0)),
            (_, 2 | 4) => (2, (440.0, 310.0)),
            _ => (3, (350.0, 260.0)),
        }
    }
}

impl<'a> Page<'a> {
    /// The layout of the panels: each at least as wide and as high as its content requires. An empty legend
    /// takes no space.
    pub(super) fn new(
        title: Option<&'a str>,
        panels: Panels,
        sizes: &[Point],
        entries: &'a [Entry<'a>],
    ) -> Self {
        let (columns, panel) = panels.layout(sizes.len());
        let panel =
            sizes.iter().fold(panel, |(width, height), least| (width.max(least.0), height.max(least.1)));
        // A long title or name widens the page.
        let wide = |entry: &Entry<'_>| SWATCH + 6.0 + LEGEND.width(entry.name) + 14.0;
        let widest =
            entries.iter().map(wide).chain(title.map(|title| TITLE.width(title))).fold(0.0, f64::max);
        let width = ((f64_of(columns) * panel.0).max(INDENT + widest) + 2.0 * MARGIN).ceil();
        let mut at = (MARGIN + INDENT, MARGIN + if title.is_some() { 30.0 } else { 0.0 });
        let mut placed = Vec::new();
        for entry in entries {
            if at.0 + wide(entry) > width - MARGIN && at.0 > MARGIN + INDENT {
                at = (MARGIN + INDENT, at.1 + LEGEND_ROW);
            }
            placed.push((at, entry));
            at.0 += wide(entry);
        }
        let top = at.1 + if entries.is_empty() { 0.0 } else { LEGEND_ROW + 8.0 };
        let height = top + f64_of(sizes.len().div_ceil(columns)) * panel.1 + MARGIN;
        Self { title, columns, panel, entries: placed, top, size: (width, height) }
    }

    /// The upper left corner and the size of a panel.
    pub(super) fn panel(&self, index: usize) -> (Point, Point) {
        let (row, column) = (index / self.columns, index % self.columns);
        let corner = (MARGIN + f64_of(column) * self.panel.0, self.top + f64_of(row) * self.panel.1);
        (corner, self.panel)
    }

    /// Whether a panel is the first of its row.
    pub(super) fn is_first(&self, index: usize) -> bool {
        index.is_multiple_of(self.columns)
    }

    pub(super) fn draw(&self, canvas: &Canvas<'_>) -> Result<(), PlotError> {
        if let Some(title) = self.title {
            canvas.text(title, (MARGIN + INDENT, MARGIN + 11.0), TITLE)?;
        }
        for ((x, y), entry) in &self.entries {
            let middle = y + LEGEND_ROW / 2.0;
            let ends = [(*x, middle), (x + SWATCH, middle)];
            match entry.swatch {
                Swatch::Line(pen) => canvas.line(&ends, Pen { width: 2.5, ..pen })?,
                Swatch::Box(colour) => {
                    canvas.rectangle((x + 8.0, middle - 6.0), (x + 20.0, middle + 6.0), colour)?;
                }
                Swatch::Diamond => diamond(canvas, (x + 14.0, middle))?,
            }
            canvas.text(entry.name, (x + SWATCH + 6.0, middle), LEGEND)?;
        }
        Ok(())
    }
}

/// A dark mark with a light rim, so that it shows on a bar as well as beside it.
pub(super) fn diamond(canvas: &Canvas<'_>, (x, y): Point) -> Result<(), PlotError> {
    for (r, colour) in [(6.0, WHITE), (4.2, INK)] {
        canvas.polygon(&[(x - r, y), (x, y - r), (x + r, y), (x, y + r)], colour, 1.0)?;
    }
    Ok(())
}

/// Names in order of first appearance, each with its colour.
pub(super) fn colours<'a>(
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Vec<(&'a str, RGBColor)>, PlotError> {
    let mut distinct: Vec<&str> = Vec::new();
    for name in names {
        if !distinct.contains(&name) {
            distinct.push(name);
        }
    }
    if distinct.len() > PALETTE.len() {
        return Err(PlotError::TooManySeries { found: distinct.len(), known: PALETTE.len() });
    }
    Ok(distinct.into_iter().zip(PALETTE).collect())
}

pub(super) fn colour_of(colours: &[(&str, RGBColor)], name: &str) -> RGBColor {
    colours.iter().find(|(known, _)| *known == name).map_or(INK, |&(_, colour)| colour)
}

/// Moves labels apart by the least amounts that give each `room`, within the limits and in order.
pub(super) fn spread(places: &mut [f64], room: f64, (low, high): Point) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_by(|&a, &b| places[a].total_cmp(&places[b]));
    let mut least = low;
    for &i in &order {
        places[i] = places[i].max(least);
        least = places[i] + room;
    }
    let mut most = high;
    for &i in order.iter().rev() {
        places[i] = places[i].min(most);
        most = places[i] - room;
    }
}

#[allow(clippy::cast_precision_loss, reason = "panels are counted on two hands")]
fn f64_of(count: usize) -> f64 {
    count as f64
}
