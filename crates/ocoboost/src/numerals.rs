//! Numbers as the sentences of a judgement have them.

/// Three decimals, or three significant digits of smaller or larger numbers.
///
/// ```
/// use ocoboost::numerals::figure;
/// assert_eq!([figure(0.64), figure(0.00694), figure(12_345.6)], ["0.640", "0.00694", "12346"]);
/// ```
#[must_use]
pub fn figure(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (0.1..1000.0).contains(&size) => format!("{value:.3}"),
        size if (1e-4..0.1).contains(&size) => {
            let digits = (2.0 - size.log10().floor()).clamp(0.0, 7.0);
            trimmed_to(value, digits)
        }
        size if (1000.0..1e9).contains(&size) => format!("{value:.0}"),
        _ => format!("{value:.2e}"),
    }
}

/// At least two significant digits, rounded down.
pub(crate) fn down(value: f64) -> String {
    rounded(value, f64::floor)
}

/// The same, rounded up.
pub(crate) fn up(value: f64) -> String {
    rounded(value, f64::ceil)
}

fn rounded(value: f64, round: fn(f64) -> f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return figure(value);
    }
    let digits = 1.0 - value.abs().log10().floor();
    if !(-9.0..=9.0).contains(&digits) {
        return format!("{value:.1e}");
    }
    let unit = 10.0_f64.powf(digits);
    trimmed_to(round(value * unit) / unit, digits.max(0.0))
}

fn trimmed_to(value: f64, digits: f64) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 9")]
    let digits = digits as usize;
    format!("{value:.digits$}")
}

/// Without zeros at the end.
pub(crate) fn trimmed(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number with commas.
///
/// ```
/// assert_eq!(ocoboost::numerals::thousands(1_234_567), "1,234,567");
/// ```
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// 12.3%.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

/// 95% for δ = 0.05.
pub(crate) fn certainty(delta: f64) -> String {
    format!("{}%", trimmed(100.0 * (1.0 - delta), 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_bounds_err_on_the_safe_side() {
        let cases = [(0.64, "0.640"), (0.0, "0.000"), (12.3456, "12.346"), (0.00694, "0.00694")];
        for (value, text) in cases {
            assert_eq!(figure(value), text);
        }
        assert_eq!([figure(-12_345.6), figure(1e-9)], ["-12346", "1.00e-9"]);
        assert_eq!([down(0.2799), up(0.2711), down(0.00123), down(12.9)], ["0.27", "0.28", "0.0012", "12"]);
        assert_eq!([thousands(7), thousands(4000), thousands(1_234_567)], ["7", "4,000", "1,234,567"]);
        assert_eq!([trimmed(95.0, 4), trimmed(99.9, 4)], ["95", "99.9"]);
    }

    #[test]
    fn shares_have_one_decimal_and_certainties_no_zeros_at_the_end() {
        assert_eq!([certainty(0.05), certainty(0.001), certainty(0.1)], ["95%", "99.9%", "90%"]);
        assert_eq!([percent(0.0), percent(0.1234)], ["0.0%", "12.3%"]);
    }
}
