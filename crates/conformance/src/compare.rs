//! Agreement of a result with the expected one.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// The output of a kernel. The kernel distinguishes numbers and integers, because the vectors may write 1 for
/// 1.0.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Agrees within the tolerance.
    Number(f64),
    /// Agrees exactly, as do `Bool`, `Text` and `Null`.
    Integer(i64),
    Bool(bool),
    Text(String),
    Null,
    List(Vec<Value>),
    /// Agrees key by key; unexpected keys are not compared.
    Object(Vec<(&'static str, Value)>),
}

/// Numbers agree when |got − want| ≤ abs + rel·|want|.
#[derive(Debug, Clone, Copy, Deserialize)]
pub(super) struct Tolerance {
    pub(super) abs: f64,
    pub(super) rel: f64,
}

/// The first disagreement of every expected key; nothing if all agree.
pub(super) fn disagreements(got: &Value, want: &Map<String, Json>, tolerance: Tolerance) -> Vec<String> {
    want.iter()
        .filter_map(|(key, want)| match got.get(key) {
            None => Some(format!("{key}: not produced")),
            Some(got) => disagreement(key, got, want, tolerance),
        })
        .collect()
}

fn disagreement(path: &str, got: &Value, want: &Json, tolerance: Tolerance) -> Option<String> {
    let agrees = match (got, want) {
        (Value::Number(got), Json::Number(want)) => {
            want.as_f64().is_some_and(|want| tolerance.holds(*got, want))
        }
        (Value::Integer(got), Json::Number(want)) => integer(want) == Some(*got),
        (Value::Bool(got), Json::Bool(want)) => got == want,
        (Value::Text(got), Json::String(want)) => got == want,
        (Value::Null, Json::Null) => true,
        (Value::List(got), Json::Array(want)) if got.len() != want.len() => {
            return Some(format!("{path}: got {} entries, want {}", got.len(), want.len()));
        }
        (Value::List(got), Json::Array(want)) => {
            let mut pairs = got.iter().zip(want).enumerate();
            return pairs
                .find_map(|(i, (got, want))| disagreement(&format!("{path}[{i}]"), got, want, tolerance));
        }
        (Value::Object(_), Json::Object(want)) => {
            let inner = disagreements(got, want, tolerance).into_iter().next();
            return inner.map(|complaint| format!("{path}.{complaint}"));
        }
        _ => false,
    };
    (!agrees).then(|| format!("{path}: got {got:?}, want {want}"))
}

/// The integer value of a JSON number such as 1 or 1.0.
fn integer(number: &serde_json::Number) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0; // 2^53
    #[allow(clippy::cast_possible_truncation, reason = "an integer of at most 2^53")]
    let written_as_double =
        || number.as_f64().filter(|v| v.fract() == 0.0 && v.abs() <= EXACT).map(|v| v as i64);
    number.as_i64().or_else(written_as_double)
}

impl Tolerance {
    fn holds(self, got: f64, want: f64) -> bool {
        (got - want).abs() <= self.abs + self.rel * want.abs()
    }
}

impl Value {
    pub(super) fn object<const N: usize>(entries: [(&'static str, Value); N]) -> Self {
        Self::Object(entries.into())
    }

    /// The same object with these entries added; they replace entries with the same name.
    pub(super) fn and<const N: usize>(self, entries: [(&'static str, Value); N]) -> Self {
        let Self::Object(old) = self else { return Self::object(entries) };
        Self::Object(entries.into_iter().chain(old).collect())
    }

    fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Object(entries) => entries.iter().find(|(name, _)| *name == key).map(|(_, value)| value),
            _ => None,
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i64> for Value {
    fn from(integer: i64) -> Self {
        Self::Integer(integer)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(list: Vec<V>) -> Self {
        list.into_iter().collect()
    }
}

impl From<&[f64]> for Value {
    fn from(numbers: &[f64]) -> Self {
        numbers.iter().copied().collect()
    }
}

impl<V: Into<Value>> FromIterator<V> for Value {
    fn from_iter<I: IntoIterator<Item = V>>(list: I) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn complaints(got: impl Into<Value>, want: &Json) -> Vec<String> {
        let want = Map::from_iter([("key".to_owned(), want.clone())]);
        disagreements(&Value::object([("key", got.into())]), &want, Tolerance { abs: 1e-9, rel: 1e-6 })
    }

    fn agree(got: impl Into<Value>, want: &Json) -> bool {
        complaints(got, want).is_empty()
    }

    #[test]
    fn numbers_agree_within_the_tolerance_and_nan_never() {
        assert!(agree(1000.0009, &json!(1000)) && !agree(1000.0011, &json!(1000)));
        assert!(agree(-9e-10, &json!(0.0)) && !agree(1.1e-9, &json!(0)));
        for got in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for want in [json!(0), json!(f64::MAX), json!(null), json!("NaN"), json!("Infinity")] {
                assert!(!agree(got, &want), "{got} against {want}");
            }
        }
        assert!(agree(f64::MAX, &json!(f64::MAX)) && !agree(-f64::MAX, &json!(f64::MAX)));
    }

    #[test]
    fn everything_else_agrees_exactly() {
        assert!(agree(1_000_000, &json!(1e6)) && agree(3, &json!(3)) && agree(-3, &json!(-3.0)));
        assert!(!agree(1_000_001, &json!(1e6)) && !agree(3, &json!(3.000_000_001)));
        assert!(agree(true, &json!(true)) && !agree(true, &json!(false)) && !agree(true, &json!(1)));
        assert!(agree("none", &json!("none")) && !agree("none", &json!("no-edge")));
        assert!(
            agree(None::<f64>, &json!(null))
                && !agree(Some(0.0), &json!(null))
                && !agree(None::<f64>, &json!(0))
        );
        assert!(!agree(1.0, &json!("1")) && !agree(1.0, &json!([1.0])) && !agree(vec![1.0], &json!(1.0)));
    }

    #[test]
    fn lists_have_equal_lengths_and_a_complaint_names_the_entry() {
        assert!(agree(vec![1.0, 2.0], &json!([1, 2.0])) && agree(Vec::<f64>::new(), &json!([])));
        assert_eq!(complaints(vec![1.0], &json!([1, 2])), ["key: got 1 entries, want 2"]);
        assert_eq!(
            complaints(vec![vec![1.0], vec![2.0]], &json!([[1], [7]])),
            ["key[1][0]: got Number(2.0), want 7"]
        );
    }

    #[test]
    fn only_expected_keys_are_compared() {
        let got = || Value::object([("se", 1.0.into()), ("value", 2.0.into())]);
        assert!(agree(got(), &json!({"value": 2})));
        assert_eq!(complaints(got(), &json!({"value": 3})), ["key.value: got Number(2.0), want 3"]);
        assert_eq!(complaints(got(), &json!({"bias": 3})), ["key.bias: not produced"]);
    }
}
