//! Numbers in sentences.

/// 12,345.
pub(crate) fn thousands(number: u64) -> String {
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
    let text = format!("{:.4}", 100.0 * (1.0 - delta));
    format!("{}%", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_and_certainties_have_no_zeros_at_the_end() {
        assert_eq!([thousands(7), thousands(4000), thousands(1_234_567)], ["7", "4,000", "1,234,567"]);
        assert_eq!([certainty(0.05), certainty(0.001), certainty(0.1)], ["95%", "99.9%", "90%"]);
        assert_eq!([percent(0.0), percent(0.1234)], ["0.0%", "12.3%"]);
    }
}
