//! Drawing primitives: lines, areas and text on an SVG page.

use super::PlotError;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The backend's coordinates are integers, so a page has ten of them per pixel.
const UNITS: f64 = 10.0;
/// An opacity that encodes dashes: the backend would write a path per dash, while SVG has an attribute.
const DASHED: f64 = 0.999;
const FONT: &str = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif";
/// The average character width of such a font, relative to its size; an overestimate.
const CHARACTER: f64 = 0.58;

pub(super) const INK: RGBColor = RGBColor(0x22, 0x22, 0x22);
pub(super) const GREY: RGBColor = RGBColor(0x66, 0x66, 0x66);
pub(super) const GRID: RGBColor = RGBColor(0xE4, 0xE4, 0xE4);
pub(super) const MINOR_GRID: RGBColor = RGBColor(0xF3, 0xF3, 0xF3);

/// The colours of Okabe and Ito that are visible on white; distinguishable with any common colour vision.
pub(super) const PALETTE: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xCC, 0x79, 0xA7),
    RGBColor(0xE6, 0x9F, 0x00),
    RGBColor(0x56, 0xB4, 0xE9),
    RGBColor(0x00, 0x00, 0x00),
];

pub(super) type Point = (f64, f64);

/// A page, in pixels from its upper left corner.
pub(super) struct Canvas<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// The style of a line.
#[derive(Clone, Copy)]
pub(super) struct Pen {
    pub(super) colour: RGBColor,
    pub(super) width: f64,
    pub(super) dashed: bool,
}

impl Pen {
    pub(super) const fn solid(colour: RGBColor, width: f64) -> Self {
        Self { colour, width, dashed: false }
    }
}

/// The style of a text.
#[derive(Clone, Copy)]
pub(super) struct Type {
    pub(super) size: f64,
    pub(super) style: FontStyle,
    pub(super) colour: RGBColor,
    pub(super) across: HPos,
    pub(super) down: VPos,
    /// Vertical, read from below.
    pub(super) upright: bool,
}

impl Type {
    pub(super) const fn plain(size: f64) -> Self {
        let (style, colour, across, down) = (FontStyle::Normal, INK, HPos::Left, VPos::Center);
        Self { size, style, colour, across, down, upright: false }
    }

    pub(super) const fn across(self, across: HPos) -> Self {
        Self { across, ..self }
    }

    /// The estimated width of a text, since only the viewer knows its fonts; capitals are wider.
    pub(super) fn width(self, text: &str) -> f64 {
        let characters: f64 = text.chars().map(|c| if c.is_uppercase() { 1.3 } else { 1.0 }).sum();
        characters * self.size * CHARACTER
    }
}

/// Draws a page of the given size in pixels.
pub(super) fn svg(
    (width, height): Point,
    draw: impl FnOnce(&Canvas<'_>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let mut text = String::new();
    let (w, h) = (units(width).unsigned_abs(), units(height).unsigned_abs());
    {
        let area = SVGBackend::with_string(&mut text, (w, h)).into_drawing_area();
        area.fill(&WHITE).map_err(drawing)?;
        let canvas = Canvas { area };
        draw(&canvas)?;
        canvas.area.present().map_err(drawing)?;
    }
    let text = text.replace(&format!("opacity=\"{DASHED}\""), "opacity=\"1\" stroke-dasharray=\"60 40\"");
    // The view box keeps the fine units; the page has the requested size.
    let fine = format!("width=\"{w}\" height=\"{h}\" viewBox");
    Ok(text.replacen(&fine, &format!("width=\"{width}\" height=\"{height}\" viewBox"), 1))
}

impl Canvas<'_> {
    pub(super) fn line(&self, points: &[Point], pen: Pen) -> Result<(), PlotError> {
        let path = path(points);
        let style = pen.colour.stroke_width(units(pen.width).unsigned_abs());
        if let [point] = path[..] {
            let dot = Circle::new(point, units(pen.width), pen.colour.filled());
            return self.area.draw(&dot).map_err(drawing);
        }
        let style = if pen.dashed { pen.colour.mix(DASHED).stroke_width(style.stroke_width) } else { style };
        self.area.draw(&PathElement::new(path, style)).map_err(drawing)
    }

    /// A disk, or its rim.
    pub(super) fn dot(
        &self,
        at: Point,
        radius: f64,
        colour: RGBColor,
        filled: bool,
    ) -> Result<(), PlotError> {
        let inside = if filled { colour } else { WHITE };
        self.area.draw(&Circle::new(pixel(at), units(radius), inside.filled())).map_err(drawing)?;
        let rim = colour.stroke_width(units(1.5).unsigned_abs());
        self.area.draw(&Circle::new(pixel(at), units(radius), rim)).map_err(drawing)
    }

    pub(super) fn polygon(&self, points: &[Point], colour: RGBColor, opacity: f64) -> Result<(), PlotError> {
        self.area.draw(&Polygon::new(path(points), colour.mix(opacity).filled())).map_err(drawing)
    }

    pub(super) fn rectangle(&self, a: Point, b: Point, colour: RGBColor) -> Result<(), PlotError> {
        self.area.draw(&Rectangle::new([pixel(a), pixel(b)], colour.filled())).map_err(drawing)
    }

    pub(super) fn text(&self, text: &str, at: Point, set: Type) -> Result<(), PlotError> {
        // The backend divides the size by this number.
        let font = FontDesc::new(FontFamily::Name(FONT), set.size * UNITS * 1.24, set.style);
        let font = if set.upright { font.transform(FontTransform::Rotate270) } else { font };
        let style = TextStyle::from(font).color(&set.colour).pos(Pos::new(set.across, set.down));
        self.area.draw(&Text::new(text, pixel(at), style)).map_err(drawing)
    }
}

/// Points without repetitions: a curve of many rounds has several per unit.
fn path(points: &[Point]) -> Vec<(i32, i32)> {
    let mut path: Vec<_> = points.iter().copied().map(pixel).collect();
    path.dedup();
    path
}

fn pixel((x, y): Point) -> (i32, i32) {
    (units(x), units(y))
}

#[allow(clippy::cast_possible_truncation, reason = "a cast from f64 saturates, and pages are small")]
fn units(pixels: f64) -> i32 {
    (pixels * UNITS).round() as i32
}

fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}
