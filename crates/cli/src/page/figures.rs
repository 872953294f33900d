//! Figures: those of `report`, as parts of the page.

use maud::{Markup, PreEscaped, html};
use report::plot::{
    Axis, Bar, BarGroup, BarPanel, BarPlot, Dot, DotPanel, DotPlot, LinePanel, LinePlot, PlotError, Series,
    Stroke,
};
use report::record::Provenance;

/// The width and the height of a panel: what a phone shows without scaling.
const WIDTH: f64 = 336.0;
const HEIGHT: f64 = 220.0;

/// A figure with what it shows in words, for those who do not see it, and a caption.
fn figure(svg: &str, words: &str, caption: &str) -> Markup {
    // Within a page an SVG needs no name space.
    let svg = svg.replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1);
    html! {
        figure {
            div.figure role="img" aria-label=(words) { (PreEscaped(svg)) }
            figcaption { (caption) }
        }
    }
}

/// Values with intervals around a line.
pub(super) fn intervals(
    (title, x, line): (&str, &str, f64),
    dots: Vec<Dot>,
    words: &str,
    caption: &str,
) -> Result<Markup, PlotError> {
    let panel = DotPanel { title: title.to_owned(), provenance: Provenance::Official, dots };
    let plot = DotPlot { title: None, x: x.to_owned(), line, panels: vec![panel] };
    Ok(figure(&plot.to_narrow_svg(WIDTH, 0.0)?, words, caption))
}

/// Bars by bin, of one series or several.
pub(super) fn bars(
    (title, y): (&str, &str),
    groups: Vec<(String, Vec<(&str, f64)>)>,
    words: &str,
    caption: &str,
) -> Result<Markup, PlotError> {
    let bar =
        |(series, value): (&str, f64)| Bar { series: series.to_owned(), value, error: None, reported: None };
    let group = |(label, bars): (String, Vec<(&str, f64)>)| BarGroup {
        label,
        bars: bars.into_iter().map(bar).collect(),
    };
    let groups = groups.into_iter().map(group).collect();
    let panel = BarPanel { title: title.to_owned(), provenance: Provenance::Official, groups };
    let plot = BarPlot { title: None, y: y.to_owned(), panels: vec![panel] };
    Ok(figure(&plot.to_narrow_svg(WIDTH, HEIGHT)?, words, caption))
}

/// Curves by their names.
pub(super) fn curves(
    (title, x, y): (&str, &str, &str),
    curves: Vec<(String, Vec<(f64, f64)>)>,
    words: &str,
    caption: &str,
) -> Result<Markup, PlotError> {
    let curve = |(name, points): (String, Vec<(f64, f64)>)| {
        let (x, y) = points.into_iter().unzip();
        Series { name, x, y, band: None, stroke: Stroke::Solid }
    };
    let series = curves.into_iter().map(curve).collect();
    let panel = LinePanel { title: title.to_owned(), provenance: Provenance::Official, series };
    let (x, y) = (Axis::linear(x), Axis::linear(y));
    let plot = LinePlot { title: None, x, y, panels: vec![panel] };
    Ok(figure(&plot.to_narrow_svg(WIDTH, HEIGHT)?, words, caption))
}
