//! Dates and times as numbers: days since 1970.

/// The days since 1970-01-01 00:00 UTC of a date or a time as ISO 8601 writes it: `2026-01-31`, and
/// `2026-01-31T12:00:00.5Z` or the like. `None` for another text.
///
/// A blank may stand for the `T`. Seconds, their fraction of up to nine digits, and the offset (`Z`,
/// `+02:00`, `+0200` or `+02`) may be missing; without an offset the time is taken as UTC. Years have four
/// digits.
///
/// ```
/// use off_policy::dates::days_since_1970;
/// assert_eq!(days_since_1970("1970-01-02"), Some(1.0));
/// assert_eq!(days_since_1970("2026-01-31 12:00:00+00:00"), Some(20484.5));
/// assert_eq!(days_since_1970("1970-01-01T02:00+02:00"), Some(0.0));
/// assert_eq!(days_since_1970("2026-02-29"), None);
/// assert_eq!(days_since_1970("20260131"), None);
/// ```
#[must_use]
pub fn days_since_1970(text: &str) -> Option<f64> {
    let text = text.trim();
    let bytes = text.as_bytes();
    if bytes.get(4) != Some(&b'-') || bytes.get(7) != Some(&b'-') {
        return None;
    }
    let (year, month, day) = (digits(bytes, 0, 4)?, digits(bytes, 5, 2)?, digits(bytes, 8, 2)?);
    if !(1..=12).contains(&month) || day < 1 || day > days_of_month(year, month) {
        return None;
    }
    let days = days_of_civil(year, month, day);
    let nanoseconds = match bytes.get(10) {
        None => 0,
        Some(b'T' | b't' | b' ') => nanoseconds(bytes.get(11..)?)?,
        Some(_) => return None,
    };
    // The offset may lead into the day before or behind.
    let (days, nanoseconds) =
        (days + nanoseconds.div_euclid(NANOSECONDS), nanoseconds.rem_euclid(NANOSECONDS));
    Some(from_parts(days, nanoseconds))
}

/// A date or a time, as [`days_since_1970`] reads it, of the days since 1970: `2026-01-31` for whole days and
/// `2026-01-31T12:00:00.5Z` for others, to the nanosecond. `None` outside the years 0 to 9999.
///
/// ```
/// use off_policy::dates::{date_of_days, days_since_1970};
/// assert_eq!(date_of_days(20484.0).as_deref(), Some("2026-01-31"));
/// let written = date_of_days(20484.5).unwrap();
/// assert_eq!((&*written, days_since_1970(&written)), ("2026-01-31T12:00:00Z", Some(20484.5)));
/// assert_eq!(date_of_days(1e9), None);
/// ```
#[must_use]
pub fn date_of_days(days: f64) -> Option<String> {
    if !(-719_528.0..2_932_897.0).contains(&days) {
        return None;
    }
    let (whole, nanoseconds) = to_parts(days);
    let (year, month, day) = civil_of_days(whole);
    if !(0..=9999).contains(&year) {
        return None;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if nanoseconds == 0 {
        return Some(date);
    }
    let (seconds, fraction) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let fraction = if fraction == 0 { String::new() } else { format!(".{fraction:09}") };
    let fraction = fraction.trim_end_matches('0');
    Some(format!("{date}T{hour:02}:{minute:02}:{second:02}{fraction}Z"))
}

/// The nanoseconds since 1970 of days since then, rounded as [`date_of_days`] rounds them. `None` outside the
/// range of 64-bit integers, the years 1678 to 2261.
///
/// ```
/// use off_policy::dates::nanoseconds_since_1970;
/// assert_eq!(nanoseconds_since_1970(1.5), Some(129_600_000_000_000));
/// assert_eq!(nanoseconds_since_1970(200_000.0), None);
/// ```
#[must_use]
pub fn nanoseconds_since_1970(days: f64) -> Option<i64> {
    if !(days.abs() < 1e6) {
        return None;
    }
    let (days, nanoseconds) = to_parts(days);
    days.checked_mul(NANOSECONDS)?.checked_add(nanoseconds)
}

/// Nanoseconds of a day.
const NANOSECONDS: i64 = 86_400_000_000_000;

/// Days and nanoseconds of a day as one number.
#[allow(clippy::cast_precision_loss, reason = "days are few, and the fraction is rounded once")]
fn from_parts(days: i64, nanoseconds: i64) -> f64 {
    days as f64 + nanoseconds as f64 / NANOSECONDS as f64
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the caller bounds the days, and a fraction of a day in nanoseconds is below 2^47"
)]
fn to_parts(days: f64) -> (i64, i64) {
    let whole = days.floor();
    let nanoseconds = ((days - whole) * NANOSECONDS as f64).round() as i64;
    let (carry, nanoseconds) = (nanoseconds / NANOSECONDS, nanoseconds % NANOSECONDS);
    (whole as i64 + carry, nanoseconds)
}

/// The number that `count` digits from `start` on spell.
fn digits(bytes: &[u8], start: usize, count: usize) -> Option<i64> {
    let text = bytes.get(start..start + count)?;
    text.iter().try_fold(0, |sum, digit| digit.is_ascii_digit().then(|| sum * 10 + i64::from(digit - b'0')))
}

/// `12:00`, `12:00:00`, `12:00:00.5`, each with or without an offset. The last second of a day may be a leap
/// second, which counts as the next one.
fn nanoseconds(time: &[u8]) -> Option<i64> {
    if time.get(2) != Some(&b':') {
        return None;
    }
    let (hour, minute) = (digits(time, 0, 2)?, digits(time, 3, 2)?);
    let (second, mut end) = match time.get(5) {
        Some(b':') => (digits(time, 6, 2)?, 8),
        _ => (0, 5),
    };
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut fraction = 0;
    if end == 8 && matches!(time.get(8), Some(b'.' | b',')) {
        let count = time.get(9..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&count) {
            return None;
        }
        let missing = u32::try_from(9 - count).ok()?;
        fraction = digits(time, 9, count)? * 10_i64.pow(missing);
        end = 9 + count;
    }
    let offset = offset_minutes(time.get(end..)?)?;
    Some((hour * 3600 + (minute - offset) * 60 + second) * 1_000_000_000 + fraction)
}

/// The minutes that `Z`, `+02:00`, `+0200`, `+02` or nothing is ahead of UTC.
fn offset_minutes(text: &[u8]) -> Option<i64> {
    let sign = match text.first() {
        None => return Some(0),
        Some(b'Z' | b'z') if text.len() == 1 => return Some(0),
        Some(b'+') => 1,
        Some(b'-') => -1,
        Some(_) => return None,
    };
    let hours = digits(text, 1, 2)?;
    let minutes = match text.len() {
        3 => 0,
        5 => digits(text, 3, 2)?,
        6 if text.get(3) == Some(&b':') => digits(text, 4, 2)?,
        _ => return None,
    };
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from 1970-01-01 in the Gregorian calendar: years begin in March, so that a leap day ends one.
fn days_of_civil(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month + 2) / 5 + day - 1 - DAYS_TO_1970
}

/// Year, month and day, the inverse of [`days_of_civil`].
fn civil_of_days(days: i64) -> (i64, i64, i64) {
    // The year of March, found by its average length and corrected by at most one.
    let mut year = ((days + DAYS_TO_1970) * 400).div_euclid(146_097) + 1;
    while days_of_civil(year, 3, 1) > days {
        year -= 1;
    }
    let of_year = days - days_of_civil(year, 3, 1);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    if month < 10 { (year, month + 3, day) } else { (year + 1, month - 9, day) }
}

/// From 0000-03-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_468;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_of_five_thousand_years_is_there_and_back() {
        let (mut year, mut month, mut day) = (0, 1, 1);
        for days in -719_528..1_106_700 {
            assert_eq!(civil_of_days(days), (year, month, day));
            assert_eq!(days_of_civil(year, month, day), days);
            day += 1;
            if day > days_of_month(year, month) {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }

    #[test]
    fn known_times() {
        for (text, days) in [
            ("1970-01-01", 0.0),
            ("2000-02-29", 11_016.0),
            ("1969-12-31T12:00", -0.5),
            ("2019-11-24 00:00:20.909000+00:00", 18_224.0 + 20.909 / 86_400.0),
            ("2020-12-08T23:25:52.1830000Z", 18_604.0 + (23.0 * 3600.0 + 25.0 * 60.0 + 52.183) / 86_400.0),
            ("2026-01-01T00:00:00-05:30", 20_454.0 + 5.5 / 24.0),
            ("2026-01-01T00:00:00+0200", 20_454.0 - 2.0 / 24.0),
        ] {
            let found = days_since_1970(text).unwrap();
            assert!((found - days).abs() < 1e-9, "{text}: {found}, not {days}");
        }
        for text in [
            "",
            "2026",
            "2026-1-1",
            "2026-13-01",
            "2026-00-01",
            "2026-01-32",
            "1900-02-29",
            "2026-01-01T",
            "2026-01-01T24:00",
            "2026-01-01T12",
            "2026-01-01T12:60",
            "2026-01-01T12:00:61",
            "2026-01-01T12:00:00.",
            "2026-01-01T12:00:00.1234567890",
            "2026-01-01T12:00:00+2",
            "2026-01-01x",
            "2026-01-01T12:00:00Zz",
            "+026-01-01",
            "2026-01-0é",
        ] {
            assert_eq!(days_since_1970(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_as_the_same_number() {
        let mut state = 1_u64;
        for _ in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let days = i64::from(state.to_le_bytes()[7]) * 100 - 5000;
            let nanoseconds = i64::try_from((state >> 8) % 86_400_000_000_000).unwrap();
            let number = from_parts(days, nanoseconds);
            let written = date_of_days(number).unwrap();
            assert_eq!(days_since_1970(&written).map(f64::to_bits), Some(number.to_bits()), "{written}");
        }
        assert_eq!(date_of_days(f64::NAN), None);
        assert_eq!(date_of_days(-719_529.0), None);
    }
}
