//! Figures read back from their SVG: nothing overlaps or is cut off, and positions match the numbers.

use super::ticks::{Margin, Ticks};
use super::*;
use crate::record::Provenance;

const NAMES: [&str; 5] =
    ["OGD, full information", "gradient boosting", "bandit boosting", "FKM", "best linear predictor"];
const SETS: [&str; 5] = ["abalone", "adult", "census-income", "letter", "slice localisation"];

fn provenance(index: usize) -> Provenance {
    if index == 4 { Provenance::StandIn } else { Provenance::Official }
}

fn line_plot(panels: usize, axis: fn(&str) -> Axis, size: f64) -> LinePlot {
    let series = |index: u32| {
        let x: Vec<f64> = (1..=200).map(|t| f64::from(t) * 250.0).collect();
        let y: Vec<f64> =
            x.iter().map(|t| size * (0.1 + 0.01 * f64::from(index) + 20.0 / t.sqrt())).collect();
        let band = Some(y.iter().map(|y| (0.8 * y, 1.2 * y)).collect());
        let stroke = if index == 4 { Stroke::Dashed } else { Stroke::Solid };
        Series { name: NAMES[index as usize].to_owned(), x, y, band, stroke }
    };
    let panel = |index: usize| LinePanel {
        title: SETS[index].to_owned(),
        provenance: provenance(index),
        series: (0..5).map(series).collect(),
    };
    let title = Some("Average loss while learning, mean ± one standard deviation over 20 trials".to_owned());
    LinePlot { title, x: axis("round"), y: axis("average loss"), panels: (0..panels).map(panel).collect() }
}

fn bar_plot(panels: usize, groups: u32, size: f64) -> BarPlot {
    let bar = |index: u32| {
        let value = size * f64::from(index + 3);
        let series = NAMES[index as usize].to_owned();
        Bar { series, value, error: Some(0.1 * value), reported: Some(1.05 * value) }
    };
    let group = |k: u32| BarGroup { label: format!("{k} weak learners"), bars: (0..5).map(bar).collect() };
    let panel = |index: usize| BarPanel {
        title: SETS[index].to_owned(),
        provenance: provenance(index),
        groups: (0..groups).map(group).collect(),
    };
    BarPlot { title: None, y: "average loss".to_owned(), panels: (0..panels).map(panel).collect() }
}

fn dot_plot(panels: usize, dots: u32, size: f64) -> DotPlot {
    let dot = |k: u32| {
        let label = format!("{} as they are, k = {k}", NAMES[k as usize % 5]);
        let value = size * (f64::from(k) - 1.0);
        let interval = (!k.is_multiple_of(3)).then_some((value - 0.3 * size, value + 0.3 * size));
        Dot { label, value, interval }
    };
    let panel = |index: usize| DotPanel {
        title: SETS[index].to_owned(),
        provenance: provenance(index),
        dots: (0..dots).map(dot).collect(),
    };
    let title = Some("Differences".to_owned());
    DotPlot { title, x: "points more".to_owned(), line: 0.0, panels: (0..panels).map(panel).collect() }
}

/// The attribute of an element, in pixels.
fn number(element: &str, name: &str) -> f64 {
    let (_, rest) = element.split_once(&format!(" {name}=\"")).unwrap();
    rest.split_once('"').unwrap().0.parse::<f64>().unwrap() / 10.0
}

fn elements<'a>(svg: &'a str, tag: &str) -> Vec<&'a str> {
    svg.split(&format!("<{tag}")).skip(1).map(|rest| rest.split_once("</").map_or(rest, |(e, _)| e)).collect()
}

/// The estimated box of a text: left, top, right, bottom.
fn boxed(text: &str) -> [f64; 4] {
    let (x, y, size) = (number(text, "x"), number(text, "y"), number(text, "font-size"));
    let content = text.rsplit_once(">\n").unwrap().1.trim();
    let content = content.replace("&lt;", "<").replace("&amp;", "&");
    let length = f64::from(u32::try_from(content.chars().count()).unwrap()) * size * 0.55;
    let from = if text.contains("\"middle\"") {
        -0.5 * length
    } else if text.contains("\"end\"") {
        -length
    } else {
        0.0
    };
    let half = 0.5 * size;
    if text.contains("rotate(270") {
        return [x - half, y - from - length, x + half, y - from];
    }
    [x + from, y - half, x + from + length, y + half]
}

fn assert_legible(svg: &str) {
    let page = svg.lines().next().unwrap();
    let (width, height) = (10.0 * number(page, "width"), 10.0 * number(page, "height"));
    let texts = elements(svg, "text");
    assert!(texts.len() > 10);
    for (index, text) in texts.iter().enumerate() {
        let a = boxed(text);
        assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= width && a[3] <= height, "cut off: {text}");
        for other in &texts[..index] {
            let b = boxed(other);
            let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(apart, "these overlap:\n{text}\n{other}");
        }
    }
}

#[test]
fn no_text_overlaps_another_or_leaves_the_page() {
    for size in [1e-7, 3e-4, 0.02, 1.0, 47.0, 3e3, 8e6] {
        for panels in 1..=5 {
            for axis in [Axis::linear, Axis::log] {
                assert_legible(&line_plot(panels, axis, size).to_svg().unwrap());
            }
            for dots in [6, 40] {
                assert_legible(&dot_plot(panels, dots, size).to_svg().unwrap());
            }
            for groups in [1, 3] {
                assert_legible(&bar_plot(panels, groups, size).to_svg().unwrap());
            }
        }
    }
    // A narrow page has no heading, and the names of its curves above.
    for size in [1e-7, 3e-4, 0.02, 1.0, 47.0, 3e3, 8e6] {
        for axis in [Axis::linear, Axis::log] {
            let plot = LinePlot { title: None, ..line_plot(1, axis, size) };
            let svg = plot.to_narrow_svg(360.0, 240.0).unwrap();
            assert_legible(&svg);
            assert!(svg.contains("width=\"384\""), "{}", svg.lines().next().unwrap());
        }
        let plot = DotPlot { title: None, ..dot_plot(1, 9, size) };
        assert_legible(&plot.to_narrow_svg(360.0, 0.0).unwrap());
        assert_legible(&bar_plot(1, 3, size).to_narrow_svg(360.0, 240.0).unwrap());
    }
    let mut long = line_plot(3, Axis::linear, 1.0);
    long.panels[1].provenance = Provenance::StandIn;
    long.panels[1].title = "a data set whose name goes on & on, and < the others".to_owned();
    long.title = Some("word ".repeat(60));
    assert_legible(&long.to_svg().unwrap());
}

#[test]
fn only_stand_ins_are_labelled() {
    for svg in [line_plot(5, Axis::linear, 1.0).to_svg(), bar_plot(5, 1, 1.0).to_svg()] {
        assert_eq!(svg.unwrap().matches("synthetic stand-in").count(), 1);
    }
    assert!(!line_plot(4, Axis::linear, 1.0).to_svg().unwrap().contains("synthetic"));
}

#[test]
fn heights_of_bars_are_proportional_to_their_values() {
    let svg = bar_plot(1, 1, 2.0).to_svg().unwrap();
    let bars: Vec<&str> = elements(&svg, "rect").into_iter().filter(|r| number(r, "width") > 20.0).collect();
    // The first rectangle is the page.
    let heights: Vec<f64> = bars[1..].iter().map(|r| number(r, "height")).collect();
    assert_eq!(heights.len(), 5);
    for (index, height) in (3..).zip(&heights) {
        let expected = heights[0] * f64::from(index) / 3.0;
        assert!((height - expected).abs() < 0.3, "{height} {expected}");
    }
}

#[test]
fn dots_are_at_the_positions_of_their_numbers() {
    let svg = dot_plot(1, 4, 2.0).to_svg().unwrap();
    // A disk and a rim per dot; the values are −2, 0, 2, 4.
    let dots: Vec<[f64; 2]> = elements(&svg, "circle")
        .into_iter()
        .step_by(2)
        .map(|dot| ["cx", "cy"].map(|of| number(dot, of)))
        .collect();
    let [a, b, c, d] = dots[..] else { panic!("{} dots", dots.len()) };
    let step = b[0] - a[0];
    assert!(step > 20.0 && (c[0] - b[0] - step).abs() < 0.3 && (d[0] - c[0] - step).abs() < 0.3, "{dots:?}");
    assert!(a[1] < b[1] && b[1] < c[1] && c[1] < d[1], "from above");
    // The second one has an interval, whose ends are where those numbers are, and the line is at 0.
    let intervals: Vec<Vec<[f64; 2]>> = elements(&svg, "polyline")
        .into_iter()
        .filter(|line| line.contains("stroke-width=\"18\""))
        .map(points)
        .collect();
    let [from, to] = intervals[0][..] else { panic!("{intervals:?}") };
    assert!((from[0] - (b[0] - 0.3 * step)).abs() < 0.3 && (to[0] - (b[0] + 0.3 * step)).abs() < 0.3);
    let line: Vec<Vec<[f64; 2]>> = elements(&svg, "polyline")
        .into_iter()
        .filter(|line| line.contains("stroke-width=\"12\""))
        .map(points)
        .collect();
    assert!((line[0][0][0] - b[0]).abs() < 0.3, "{line:?}");
}

#[test]
fn impossible_dots_are_refused_by_name() {
    let mut plot = dot_plot(2, 3, 1.0);
    plot.panels[1].dots[2].interval = Some((1.5, 1.0));
    assert!(matches!(plot.to_svg(), Err(PlotError::BadValue { panel, value: 1.5, .. }) if panel == "adult"));
    plot.panels[1].dots[2].interval = Some((f64::NAN, 2.0));
    assert!(matches!(plot.to_svg(), Err(PlotError::BadValue { .. })));
    plot.panels[1].dots[2].interval = None;
    let nowhere = DotPlot { line: f64::INFINITY, ..plot.clone() };
    assert!(matches!(nowhere.to_svg(), Err(PlotError::BadValue { .. })));
    plot.panels[1].dots.clear();
    assert!(matches!(plot.to_svg(), Err(PlotError::Empty { panel }) if panel == "adult"));
    plot.panels.clear();
    assert!(matches!(plot.to_svg(), Err(PlotError::Empty { panel }) if panel.is_empty()));
}

#[test]
fn curves_pass_through_their_numbers() {
    for (axis, values) in
        [(Axis::linear as fn(&str) -> Axis, [2.0, 3.0, 4.0]), (Axis::log, [1.0, 10.0, 100.0])]
    {
        let series = |y: f64| Series {
            name: format!("{y}"),
            x: vec![1.0, 2.0],
            y: vec![y, y],
            band: None,
            stroke: Stroke::Solid,
        };
        let panels = vec![LinePanel {
            title: "flat".to_owned(),
            provenance: Provenance::Official,
            series: values.map(series).to_vec(),
        }];
        let plot = LinePlot { title: None, x: Axis::linear("x"), y: axis("y"), panels };
        let svg = plot.to_svg().unwrap();
        let curves: Vec<f64> = elements(&svg, "polyline")
            .into_iter()
            .filter(|line| line.contains("stroke-width=\"18\""))
            .map(|line| {
                let (_, points) = line.split_once("points=\"").unwrap();
                let (_, y) = points.split_whitespace().next().unwrap().split_once(',').unwrap();
                y.parse::<f64>().unwrap() / 10.0
            })
            .collect();
        let [a, b, c] = curves[..] else { panic!("{} curves", curves.len()) };
        assert!(a > b && b > c, "larger is higher");
        assert!((a - 2.0 * b + c).abs() < 0.3, "evenly spaced on this axis: {curves:?}");
    }
}

/// The points of a polyline or polygon, in pixels.
fn points(element: &str) -> Vec<[f64; 2]> {
    let (_, rest) = element.split_once("points=\"").unwrap();
    let pairs = rest.split_once('"').unwrap().0.split_whitespace();
    pairs
        .map(|pair| {
            let (x, y) = pair.split_once(',').unwrap();
            [x, y].map(|number| number.parse::<f64>().unwrap() / 10.0)
        })
        .collect()
}

#[test]
fn a_band_reaches_from_its_lower_to_its_upper_edge_and_x_is_placed_on_its_axis() {
    for (axis, middle) in [(Axis::linear as fn(&str) -> Axis, 1.0 / 3.0), (Axis::log, 0.5)] {
        let series = |y: f64, band: Option<(f64, f64)>| Series {
            name: format!("{y}"),
            x: vec![1.0, 2.0, 4.0],
            y: vec![y; 3],
            band: band.map(|edges| vec![edges; 3]),
            stroke: if y > 3.0 { Stroke::Dashed } else { Stroke::Solid },
        };
        let panels = vec![LinePanel {
            title: "flat".to_owned(),
            provenance: Provenance::Official,
            series: vec![series(1.0, None), series(2.5, Some((1.0, 3.0))), series(3.0, None)],
        }];
        let svg = LinePlot { title: None, x: axis("x"), y: Axis::linear("y"), panels }.to_svg().unwrap();
        let curves: Vec<Vec<[f64; 2]>> = elements(&svg, "polyline")
            .into_iter()
            .filter(|line| line.contains("stroke-width=\"18\""))
            .map(points)
            .collect();
        let [low, mean, high] = &curves[..] else { panic!("{} curves", curves.len()) };
        assert!((low[0][1] - mean[0][1] - 3.0 * (mean[0][1] - high[0][1])).abs() < 0.5, "{curves:?}");
        let bands = elements(&svg, "polygon");
        assert_eq!(bands.len(), 1);
        let outline = points(bands[0]);
        for edge in [low[0][1], high[0][1]] {
            let along = outline.iter().filter(|[_, y]| (y - edge).abs() < 0.15).count();
            assert!(along >= 3, "{along} corners along {edge}: {outline:?}");
        }
        for [x, y] in outline {
            assert!((y - low[0][1]).abs() < 0.15 || (y - high[0][1]).abs() < 0.15, "{y}");
            assert!(low.iter().any(|corner| (corner[0] - x).abs() < 0.15), "{x}");
        }
        let share = (low[1][0] - low[0][0]) / (low[2][0] - low[0][0]);
        assert!((share - middle).abs() < 1e-2, "{share}");
    }
}

#[test]
fn error_bars_and_reported_values_are_at_the_heights_of_their_numbers() {
    let bar = |value: f64, error, reported| Bar { series: format!("{value}"), value, error, reported };
    let bars = vec![
        bar(2.0, Some(0.5), Some(3.0)),
        bar(1.5, None, None),
        bar(2.5, None, None),
        bar(3.0, None, None),
    ];
    let groups = vec![BarGroup { label: "one".to_owned(), bars }];
    let panels = vec![BarPanel { title: "set".to_owned(), provenance: Provenance::Official, groups }];
    let svg = BarPlot { title: None, y: "loss".to_owned(), panels }.to_svg().unwrap();
    let tops: Vec<f64> = elements(&svg, "rect")
        .into_iter()
        .filter(|r| number(r, "width") > 20.0)
        .skip(1)
        .map(|r| number(r, "y"))
        .collect();
    let [_, lower, upper, reported] = tops[..] else { panic!("{} bars", tops.len()) };
    let of_error: Vec<Vec<[f64; 2]>> = elements(&svg, "polyline")
        .into_iter()
        .filter(|line| line.contains("stroke-width=\"12\""))
        .map(points)
        .collect();
    let heights: Vec<f64> = of_error.iter().flatten().map(|point| point[1]).collect();
    let near = |a: f64, b: f64| (a - b).abs() < 0.15;
    assert!(
        heights.iter().any(|y| near(*y, lower)) && heights.iter().any(|y| near(*y, upper)),
        "{heights:?}"
    );
    assert!(heights.iter().all(|y| near(*y, lower) || near(*y, upper)), "{heights:?} {lower} {upper}");
    // The first diamonds are in the panel, the diamond of the legend is above it.
    let middles: Vec<f64> = elements(&svg, "polygon")
        .into_iter()
        .map(|diamond| points(diamond)[..4].iter().map(|point| point[1]).sum::<f64>() / 4.0)
        .collect();
    assert_eq!(middles.iter().filter(|y| near(**y, reported)).count(), 2, "{middles:?} {reported}");
}

#[test]
fn the_same_plot_gives_the_same_bytes_and_names_keep_their_colours() {
    let plot = line_plot(2, Axis::linear, 1.0);
    let svg = plot.to_svg().unwrap();
    assert_eq!(svg, plot.to_svg().unwrap());
    let mut reversed = plot;
    reversed.panels[1].series.reverse();
    let strokes = |svg: &str| {
        let mut curves: Vec<String> = elements(svg, "polyline").into_iter().map(str::to_owned).collect();
        curves.sort();
        curves
    };
    let count = strokes(&svg).len();
    assert_eq!(
        strokes(&reversed.to_svg().unwrap()),
        strokes(&svg),
        "the order within a panel decides no colour"
    );
    assert!(count > 30);
}

#[test]
fn impossible_figures_are_refused_by_name() {
    let mut plot = line_plot(1, Axis::log, 1.0);
    plot.panels[0].series[1].band = Some(vec![(0.0, 1.0); 200]);
    let refused = plot.to_svg().map(drop).unwrap_err();
    assert!(
        matches!(&refused, PlotError::BadValue { axis: "y", series, .. } if series == NAMES[1]),
        "{refused}"
    );
    plot.panels[0].series[1].band = None;
    plot.panels[0].series[2].x[7] = f64::NAN;
    assert!(matches!(plot.to_svg(), Err(PlotError::BadValue { axis: "x", .. })));
    plot.panels[0].series[2].x.pop();
    assert!(matches!(plot.to_svg(), Err(PlotError::Lengths { x: 199, y: 200, band: 200, .. })));
    plot.panels[0].series.clear();
    assert!(matches!(plot.to_svg(), Err(PlotError::Empty { panel }) if panel == "abalone"));
    plot.panels.clear();
    assert!(matches!(plot.to_svg(), Err(PlotError::Empty { panel }) if panel.is_empty()));

    let mut plot = bar_plot(2, 1, 1.0);
    plot.panels[1].groups[0].bars[0].error = Some(-1.0);
    assert!(matches!(plot.to_svg(), Err(PlotError::BadValue { panel, .. }) if panel == "adult"));
    plot.panels[1].groups[0].bars[0] =
        Bar { series: "x".to_owned(), value: f64::INFINITY, error: None, reported: None };
    assert!(matches!(plot.to_svg(), Err(PlotError::BadValue { .. })));
    let many = |k: u32| Bar { series: format!("{k}"), value: 1.0, error: None, reported: None };
    plot.panels[1].groups[0].bars = (0..4).map(many).collect();
    assert_eq!(plot.to_svg(), Err(PlotError::TooManySeries { found: 9, known: 7 }));
    plot.panels[0].groups[0].bars.clear();
    assert!(matches!(plot.to_svg(), Err(PlotError::Empty { .. })));
}

/// The number of a label.
fn read(label: &str) -> f64 {
    let label = label.replace('−', "-");
    let (digits, unit) = match label.as_bytes().last() {
        Some(b'k') => (&label[..label.len() - 1], 1e3),
        Some(b'M') => (&label[..label.len() - 1], 1e6),
        _ => (&label[..], 1.0),
    };
    digits.parse::<f64>().unwrap() * unit
}

#[test]
fn a_few_ordered_marks_each_at_the_position_of_its_label() {
    let mut ranges = vec![(0.0, 0.0), (5.0, 5.0), (-1e300, 1e300), (1e-300, 1e300), (1.0, 1.0 + 1e-12)];
    for exponent in -20..20 {
        let unit = 10_f64.powi(exponent);
        ranges.extend([1.1, 1.7, 2.3, 4.9, 9.7, 30.0, 1e4].map(|ratio| (unit, ratio * unit)));
        ranges.extend([(0.0, 3.3 * unit), (-0.7 * unit, 0.2 * unit), (-5.0 * unit, -4.9 * unit)]);
        ranges.push((1000.0 - unit.min(1.0), 1000.0));
    }
    for (low, high) in ranges {
        for scale in [Scale::Linear, Scale::Log] {
            if scale == Scale::Log && low <= 0.0 {
                continue;
            }
            for margin in [Margin::None, Margin::Room] {
                let ticks = Ticks::new(scale, [low, high], margin, ticks::USUAL);
                let what = format!("{low} to {high}, {scale:?}: {:?}", ticks.marks);
                assert!((2..=11).contains(&ticks.marks.len()), "{what}");
                assert!(ticks.marks.windows(2).all(|pair| pair[0].0 < pair[1].0), "{what}");
                for (place, label) in &ticks.marks {
                    assert!((-1e-6..=1.0 + 1e-6).contains(place), "{what}");
                    assert!((ticks.place(read(label)) - place).abs() < 1e-3, "{label} in {what}");
                }
                for value in [low, high] {
                    assert!((-1e-9..=1.0 + 1e-9).contains(&ticks.place(value)), "{value} in {what}");
                }
            }
        }
    }
}
