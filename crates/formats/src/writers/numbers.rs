//! Numbers as text that is read as the same double.

/// The shortest text of a number; with an exponent where it would have many zeros.
pub(super) fn written(number: f64) -> String {
    // −0 is 0.
    let number = number + 0.0;
    if number == 0.0 || (1e-5..1e16).contains(&number.abs()) {
        number.to_string()
    } else {
        format!("{number:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read_as_the_same_number(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let read: f64 = written(number).parse().unwrap();
            prop_assert_eq!(read.to_bits(), (number + 0.0).to_bits());
            prop_assert!(written(number).len() < 30);
        }
    }
}
