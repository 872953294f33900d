//! The ticks of an axis: a few round numbers with the shortest labels.

/// An axis of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The quantity, with its unit.
    pub title: String,
    /// The scale.
    pub scale: Scale,
}

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences take equal space.
    Linear,
    /// Equal ratios take equal space; numbers must be positive.
    Log,
}

impl Axis {
    /// A linear axis.
    #[must_use]
    pub fn linear(title: &str) -> Self {
        Self { title: title.to_owned(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    #[must_use]
    pub fn log(title: &str) -> Self {
        Self { title: title.to_owned(), scale: Scale::Log }
    }
}

impl Scale {
    /// Whether the axis can show the number. The bound leaves room for the arithmetic below.
    pub(super) fn admits(self, value: f64) -> bool {
        value.abs() <= 1e300 && (self == Self::Linear || value >= 1e-300)
    }
}

/// The extension of an axis beyond the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Margin {
    /// None.
    None,
    /// A little at either end.
    Room,
}

/// The distance of marks on a page of the usual size.
pub(super) const USUAL: f64 = 1.0 / 6.0;

/// The range of an axis and its marks.
#[derive(Debug)]
pub(super) struct Ticks {
    scale: Scale,
    low: f64,
    high: f64,
    /// Positions from 0 to 1 along the axis, with their labels.
    pub(super) marks: Vec<(f64, String)>,
    /// Positions of grid lines without a label.
    pub(super) minor: Vec<f64>,
}

impl Ticks {
    /// Marks for values, all of them admitted, at about a `spacing` of the axis' length or more.
    pub(super) fn new(
        scale: Scale,
        values: impl IntoIterator<Item = f64>,
        margin: Margin,
        spacing: f64,
    ) -> Self {
        let coordinates = values.into_iter().map(|value| coordinate(scale, value));
        let (low, high) =
            coordinates.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), c| (low.min(c), high.max(c)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let size = low.abs().max(high.abs());
        // Closer values count as one value: their labels would be equal.
        let apart = if scale == Scale::Log { 1e-9 } else { 1e-9 * size };
        let (low, high) = if high - low > apart {
            let room = if margin == Margin::Room { 0.05 * (high - low) } else { 0.0 };
            // An axis that nearly reaches 0 starts there.
            let near_zero = scale == Scale::Linear && low >= 0.0 && low <= 0.2 * high;
            (if near_zero { 0.0 } else { low - room }, high + room)
        } else {
            // A single value is in the middle.
            let room = if scale == Scale::Log || size < 1e-290 { 0.5 } else { 0.5 * size };
            (low - room, high + room)
        };
        let mut ticks = Self { scale, low, high, marks: Vec::new(), minor: Vec::new() };
        match scale {
            Scale::Linear => ticks.mark_linear(spacing),
            Scale::Log => ticks.mark_log(spacing),
        }
        ticks
    }

    /// An axis from 0 to 1 without marks.
    pub(super) fn unmarked() -> Self {
        Self { scale: Scale::Linear, low: 0.0, high: 1.0, marks: Vec::new(), minor: Vec::new() }
    }

    /// The position of a number, from 0 to 1 along the axis.
    pub(super) fn place(&self, value: f64) -> f64 {
        self.fraction(coordinate(self.scale, value))
    }

    fn fraction(&self, coordinate: f64) -> f64 {
        (coordinate - self.low) / (self.high - self.low)
    }

    fn mark_linear(&mut self, spacing: f64) {
        let step = round_step((self.high - self.low) * spacing);
        let size = self.low.abs().max(self.high.abs());
        self.marks = multiples(step, self.low, self.high)
            .map(|tick| (self.fraction(tick), label(tick, step, size)))
            .collect();
    }

    fn mark_log(&mut self, spacing: f64) {
        let size = 10_f64.powf(self.high);
        let marked = match multiples(1.0, self.low, self.high).count() {
            2.. => {
                let widest = (self.high - self.low) * spacing;
                let step = [1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0].into_iter().find(|step| *step >= widest);
                let exponents = multiples(step.unwrap_or(100.0), self.low, self.high);
                exponents.map(|exponent| 10_f64.powf(exponent)).collect()
            }
            // Within about a decade, round numbers between the powers carry labels too.
            _ => self.mantissas(&[1.0, 2.0, 5.0]),
        };
        self.marks = marked.iter().map(|&v| (self.place(v), label(v, v, v))).collect();
        if self.marks.len() < 2 {
            let low = 10_f64.powf(self.low);
            let step = round_step((size - low) / 4.0);
            let evenly = multiples(step, low, size);
            self.marks = evenly.map(|v| (self.place(v), label(v, step, size))).collect();
        } else if self.high - self.low <= 6.0 {
            let between = self.mantissas(&[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
            self.minor = between.into_iter().map(|value| self.place(value)).collect();
        }
    }

    /// The numbers in the range of the form digit times a power of ten.
    fn mantissas(&self, digits: &[f64]) -> Vec<f64> {
        let exponents = multiples(1.0, self.low - 1.0, self.high);
        let numbers = exponents.flat_map(|e| digits.iter().map(move |digit| digit * 10_f64.powf(e)));
        numbers.filter(|&v| (self.low..=self.high).contains(&v.log10())).collect()
    }
}

fn coordinate(scale: Scale, value: f64) -> f64 {
    match scale {
        Scale::Linear => value,
        Scale::Log => value.log10(),
    }
}

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least the given step.
fn round_step(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let digit = [1.0, 2.0, 2.5, 5.0].into_iter().find(|digit| digit * power >= step * (1.0 - 1e-9));
    digit.unwrap_or(10.0) * power
}

/// The multiples of the step from `low` to `high`; none if the step vanishes in rounding.
fn multiples(step: f64, low: f64, high: f64) -> impl Iterator<Item = f64> {
    let slack = 1e-9 * (high - low);
    let first = ((low - slack) / step).ceil();
    let count = ((high + slack) / step).floor() - first;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a handful; the cast saturates"
    )]
    let count = if count >= 0.0 { (count as u32).min(1000) + 1 } else { 0 };
    (0..count).map(move |k| (first + f64::from(k)) * step)
}

/// The label of a number on an axis with this step and largest number: thousands and millions are
/// abbreviated.
fn label(value: f64, step: f64, size: f64) -> String {
    let size = size * (1.0 + 1e-9);
    let text = if value.abs() < 1e-6 * step {
        "0".to_owned()
    } else if !(1e-3..1e10).contains(&size) {
        scientific(value)
    } else {
        let (unit, suffix) = match size {
            s if s >= 1e6 && step >= 1e4 => (1e6, "M"),
            s if s >= 1e4 && step >= 1e2 => (1e3, "k"),
            _ => (1.0, ""),
        };
        let decimals = decimals(step / unit);
        format!("{:.decimals$}{suffix}", value / unit)
    };
    text.replace('-', "−")
}

/// The fewest digits that identify a multiple of a round step.
fn scientific(value: f64) -> String {
    let text = format!("{value:.10e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            format!("{}e{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
        }
        None => text,
    }
}

/// The number of decimals of a multiple of the step.
fn decimals(step: f64) -> usize {
    let whole = |scaled: f64| scaled > 0.5 && (scaled - scaled.round()).abs() < 1e-6 * scaled;
    (0_i32..12).position(|d| whole(step * 10_f64.powi(d))).unwrap_or(12)
}
