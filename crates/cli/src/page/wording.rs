//! Labels and numbers as the page has them.

use maud::{Markup, html};
use ocoboost::numerals::{figure, thousands};

/// The most characters of a label.
const LONGEST: usize = 60;

/// A text of the log or of the arguments: without control characters, and not longer than fits.
pub(super) fn shown(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{FFFD}' } else { c };
    let mut characters = text.chars().map(visible);
    let mut kept: String = characters.by_ref().take(LONGEST).collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}

/// The same as an element, whose direction of writing leaves its surroundings alone.
pub(super) fn label(text: &str) -> Markup {
    html! { bdi { (shown(text)) } }
}

/// The last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or(path)
}

/// `12.3%`.
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0%".to_owned(),
        percent if percent > 0.0 && percent < 0.05 => "< 0.1%".to_owned(),
        percent => format!("{percent:.1}%"),
    }
}

/// `95%`: a share that was asked for.
pub(super) fn asked_percent(share: f64) -> String {
    format!("{}%", trimmed(&format!("{:.4}", 100.0 * share)))
}

/// A setting: without zeros at the end.
pub(super) fn setting(value: f64) -> String {
    trimmed(&number(value)).to_owned()
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.');
    }
    text
}

/// `0.42 to 0.57`.
pub(super) fn ends(lower: f64, upper: f64) -> String {
    format!("{} to {}", number(lower), number(upper))
}

/// With a minus sign.
pub(super) fn number(value: f64) -> String {
    figure(value).replace('-', "−")
}

/// With a sign.
pub(super) fn signed(value: f64) -> String {
    format!("{}{}", if value > 0.0 { "+" } else { "" }, number(value))
}

/// A number of rows that need not be whole.
pub(super) fn count(rows: f64) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from f64 saturates")]
    let whole = rows.round() as u64;
    if rows < 10.0 { format!("{rows:.1}") } else { thousands(whole) }
}

/// A part of a hundred for a style, between 0 and 100.
pub(super) fn width(share: f64) -> String {
    format!("{:.2}%", (100.0 * share).clamp(0.0, 100.0))
}

/// `, and 3 more columns`.
pub(super) fn and_more(count: usize, one: &str, many: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("and 1 more {one}")),
        count => Some(format!("and {} more {many}", thousands(count as u64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_bounded_and_have_no_control_characters() {
        assert_eq!(label("<b>\u{0}&").into_string(), "<bdi>&lt;b&gt;\u{FFFD}&amp;</bdi>");
        assert_eq!(shown(&"é".repeat(60)), "é".repeat(60));
        let paths = ["a/b c/log.csv", "log.csv", "-", "a/", "/"].map(file_name);
        assert_eq!(paths, ["log.csv", "log.csv", "-", "a", "/"]);
        assert_eq!(shown(&"é".repeat(1_000_000)), "é".repeat(60) + "…");
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 1e-9, 0.00051, 0.31, 1.0].map(percent), ["0%", "< 0.1%", "0.1%", "31.0%", "100.0%"]);
        assert_eq!([0.95, 0.999, 0.05].map(asked_percent), ["95%", "99.9%", "5%"]);
        assert_eq!(
            [4.0, 0.0323, 100.0, -0.25, 1e12].map(setting),
            ["4", "0.0323", "100", "−0.25", "1.00e12"]
        );
        assert_eq!([signed(0.5), signed(-0.5), signed(0.0)], ["+0.500", "−0.500", "0.000"]);
        assert_eq!([count(9.96), count(1234.4)], ["10.0", "1,234"]);
        assert_eq!([width(0.5), width(-1.0), width(7.0)], ["50.00%", "0.00%", "100.00%"]);
        assert_eq!(and_more(1, "row", "rows").as_deref(), Some("and 1 more row"));
        assert_eq!(and_more(0, "row", "rows"), None);
    }
}
