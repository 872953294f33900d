//! Structural changes of a JSON value.

use super::{MOST_BYTES, pick, place};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde_json::{Map, Number, Value, json};
use std::cell::OnceCell;

/// Boundary values of doubles, of integers exact in doubles, and of machine words.
fn extremes() -> Vec<Value> {
    let whole = [
        0,
        1,
        2,
        255,
        1 << 16,
        1 << 24,
        (1 << 31) - 1,
        1 << 32,
        1 << 52,
        (1 << 53) + 1,
        1 << 60,
        (1 << 63) - 1,
        1 << 63,
        (1 << 63) + 1,
        u64::MAX - 1,
        u64::MAX,
    ];
    let doubles =
        [-0.0, 0.5, 1e-9, 5e-324, 2.3e-308, 1e-160, 1e16, 1e19, 1e155, 1e300, 1e308, f64::MAX, f64::EPSILON];
    let negative = [-1_i64, -2, i64::MIN];
    let mut all: Vec<Value> = whole.into_iter().map(|w: u64| json!(w)).collect();
    all.extend(negative.map(|w| json!(w)));
    all.extend(doubles.into_iter().flat_map(|d| [json!(d), json!(-d)]));
    all
}

/// A value, and what a change of it asks for. Most cases are one change of a seed, so the seeds are read
/// once.
#[derive(Debug)]
pub(super) struct Parsed {
    value: Value,
    nodes: Nodes,
}

impl Parsed {
    /// The value of a text, if it is JSON.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let value = serde_json::from_slice(text).ok()?;
        let nodes = Nodes::of(&value);
        Some(Self { value, nodes })
    }
}

/// Changes a seed.
pub(super) fn mutate(
    seed: &Parsed,
    other: &Parsed,
    count: usize,
    changes: &mut Vec<String>,
    rng: &mut ChaCha8Rng,
) -> Vec<u8> {
    let mut value = seed.value.clone();
    for nth in 0..count {
        if nth == 0 {
            change(&mut value, &seed.nodes, &other.value, changes, rng);
        } else {
            let nodes = Nodes::of(&value);
            change(&mut value, &nodes, &other.value, changes, rng);
        }
    }
    serde_json::to_vec(&value).unwrap_or_default()
}

/// The nodes of a value, as JSON pointers.
#[derive(Debug)]
struct Nodes {
    all: Vec<String>,
    /// Those outside long lists.
    few: Vec<usize>,
    /// Those with two integers, such as a matrix and its shape. Few changes ask for them.
    shapes: OnceCell<Vec<usize>>,
}

impl Nodes {
    fn of(value: &Value) -> Self {
        let mut all = Vec::new();
        pointers(value, "", &mut all);
        let is_late = |pointer: &str| pointer.split('/').any(|part| part.parse::<u32>().is_ok_and(|k| k > 2));
        let few = (0..all.len()).filter(|k| !is_late(&all[*k])).collect();
        Self { all, few, shapes: OnceCell::new() }
    }

    /// A random node; half of the draws are outside long lists, which would otherwise get nearly all.
    fn chosen(&self, rng: &mut ChaCha8Rng) -> Option<&str> {
        if rng.random_range(0..2) == 0 {
            return pick(&self.all, rng).map(String::as_str);
        }
        pick(&self.few, rng).map(|k| self.all[*k].as_str())
    }

    fn shapes(&self, value: &Value) -> &[usize] {
        self.shapes.get_or_init(|| {
            let is_shape = |at: &str| value.pointer(at).is_some_and(|node| wholes(node).len() >= 2);
            (0..self.all.len()).filter(|k| is_shape(&self.all[*k])).collect()
        })
    }
}

/// The JSON pointers into a value.
fn pointers(value: &Value, here: &str, all: &mut Vec<String>) {
    all.push(here.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(k, item)| pointers(item, &format!("{here}/{k}"), all));
        }
        Value::Object(map) => map.iter().for_each(|(key, item)| {
            pointers(item, &format!("{here}/{}", key.replace('~', "~0").replace('/', "~1")), all);
        }),
        _ => {}
    }
}

fn change(value: &mut Value, nodes: &Nodes, other: &Value, changes: &mut Vec<String>, rng: &mut ChaCha8Rng) {
    let Some(at) = nodes.chosen(rng) else { return };
    match rng.random_range(0..20) {
        0 => {
            // Another seed's value at the same pointer.
            if let (Some(theirs), Some(ours)) = (other.pointer(at), value.pointer_mut(at)) {
                theirs.clone_into(ours);
                changes.push(format!("{at} := that of another seed"));
                return;
            }
        }
        1 => {
            let from = pick(&nodes.all, rng).and_then(|from| value.pointer(from)).cloned();
            if let (Some(from), Some(to)) = (from, value.pointer_mut(at)) {
                changes.push(format!("{at} := {}", shown(&from)));
                *to = from;
                return;
            }
        }
        2 => {
            let kinds =
                [json!(null), json!(true), json!(""), json!([]), json!({}), json!(0), json!(-1), json!([[]])];
            if let (Some(kind), Some(to)) = (pick(&kinds, rng), value.pointer_mut(at)) {
                changes.push(format!("{at} := {kind}"));
                kind.clone_into(to);
                return;
            }
        }
        3 | 4 => {
            if let Some((place, pair)) = wrapping_pair(value, nodes, rng) {
                changes.push(format!("{place} := {}", shown(&pair)));
                if let Some(to) = value.pointer_mut(&place) {
                    *to = pair;
                }
                return;
            }
        }
        _ => {}
    }
    if let Some(node) = value.pointer_mut(at) {
        let change = change_node(node, rng);
        changes.push(format!("{at}: {change}"));
    }
}

/// The integers of a short list or of a map, by their names in it.
fn wholes(value: &Value) -> Vec<String> {
    let is_whole = |item: &Value| item.as_u64().is_some();
    match value {
        Value::Array(items) if items.len() <= 8 => {
            (0..items.len()).filter(|&k| is_whole(&items[k])).map(|k| k.to_string()).collect()
        }
        Value::Object(map) => {
            map.iter().filter(|(_, item)| is_whole(item)).map(|(key, _)| key.clone()).collect()
        }
        _ => Vec::new(),
    }
}

/// Changes a list or map with two integers, such as a matrix and its shape; their product is kept modulo 2⁶⁴.
fn wrapping_pair(value: &Value, nodes: &Nodes, rng: &mut ChaCha8Rng) -> Option<(String, Value)> {
    let at = nodes.all[*pick(nodes.shapes(value), rng)?].clone();
    let mut node = value.pointer(&at)?.clone();
    let names = wholes(&node);
    let first = pick(&names, rng)?.clone();
    let second = pick(&names, rng).filter(|second| **second != first)?.clone();
    let get = |name: &str| node.get(name).or_else(|| node.get(name.parse::<usize>().ok()?))?.as_u64();
    let product = get(&first)?.wrapping_mul(get(&second)?);
    let shift = rng.random_range(1..=32_u32);
    let (a, b) = match rng.random_range(0..3) {
        // 2ˢ and P / 2ˢ + 2⁶⁴⁻ˢ: their product is P again.
        0 | 1 if product.trailing_zeros() >= shift || product == 0 => {
            (1_u64 << shift, (product >> shift) + (1_u64 << (64 - shift)))
        }
        0 | 1 => (2, (1 << 63) + product / 2),
        _ => (1 << 32, 1 << 32),
    };
    for (name, number) in [(first, a), (second, b)] {
        let slot = match &mut node {
            Value::Array(items) => items.get_mut(name.parse::<usize>().ok()?),
            Value::Object(map) => map.get_mut(&name),
            _ => None,
        };
        *slot? = json!(number);
    }
    Some((at, node))
}

fn change_node(node: &mut Value, rng: &mut ChaCha8Rng) -> String {
    match node {
        Value::Number(number) => {
            *node = changed_number(number, rng);
            format!(":= {node}")
        }
        Value::Array(items) => change_list(items, rng),
        Value::Object(map) => change_map(map, rng),
        Value::Bool(flag) => {
            *flag = !*flag;
            format!(":= {flag}")
        }
        Value::String(text) => {
            let texts = ["", "Rewards", "NaN", "1", "\u{0}", "é"];
            match pick(&texts, rng) {
                Some(&"é") => *text = "é".repeat(1000),
                Some(other) => (*other).clone_into(text),
                None => {}
            }
            format!(":= {:?}", text.chars().take(20).collect::<String>())
        }
        Value::Null => {
            *node = pick(&extremes(), rng).cloned().unwrap_or_default();
            format!(":= {node}")
        }
    }
}

fn changed_number(number: &Number, rng: &mut ChaCha8Rng) -> Value {
    let whole = number.as_u64();
    match (rng.random_range(0..8), whole, number.as_f64()) {
        (0, Some(w), _) => json!(w.wrapping_add(1)),
        (1, Some(w), _) => json!(w.wrapping_sub(1)),
        (2, Some(w), _) => json!(w.wrapping_mul(2)),
        (0, None, Some(d)) => json!(d.next_up()),
        (1, None, Some(d)) => json!(d.next_down()),
        (2, None, Some(d)) => json!(d * 1e3),
        (3, _, Some(d)) => json!(-d),
        (4, ..) => json!(rng.random_range(0..64_u32)),
        _ => pick(&extremes(), rng).cloned().unwrap_or_default(),
    }
}

fn change_list(items: &mut Vec<Value>, rng: &mut ChaCha8Rng) -> String {
    let (length, at) = (items.len(), place(items.len(), rng));
    match rng.random_range(0..9) {
        0 => {
            items.truncate(at);
            format!("cut to {at} of {length}")
        }
        1 => {
            items.clear();
            "emptied".to_owned()
        }
        2 if length > 0 => {
            items.remove(at);
            format!("without entry {at}")
        }
        3 if length > 0 => {
            items.insert(at, items[at].clone());
            format!("entry {at} twice")
        }
        4 if length > 0 => {
            let to = place(length, rng);
            items.swap(at, to);
            format!("entries {at} and {to} exchanged")
        }
        5 if length > 0 && written(items) < MOST_BYTES => {
            items.extend(items.clone());
            "twice".to_owned()
        }
        6 if length > 0 && length < 1000 => {
            // A second such change on long entries of long lists would exceed the worker's memory.
            let item = items[at].clone();
            let times = rng.random_range(1..300).min(MOST_BYTES / written(&item)).max(1);
            items.extend(std::iter::repeat_n(item, times));
            format!("entry {at} appended {times} times")
        }
        7 => {
            items.reverse();
            "reversed".to_owned()
        }
        _ => {
            let last = pick(&extremes(), rng).cloned().unwrap_or_default();
            let change = format!("{last} appended");
            items.push(last);
            change
        }
    }
}

fn change_map(map: &mut Map<String, Value>, rng: &mut ChaCha8Rng) -> String {
    let keys: Vec<String> = map.keys().cloned().collect();
    let (Some(key), Some(other)) = (pick(&keys, rng), pick(&keys, rng)) else {
        map.insert("a".to_owned(), json!(1));
        return "a key added".to_owned();
    };
    match rng.random_range(0..5) {
        0 => {
            map.remove(key);
            format!("without {key}")
        }
        1 => {
            let (one, two) = (map[key].clone(), map[other].clone());
            map.insert(key.clone(), two);
            map.insert(other.clone(), one);
            format!("{key} and {other} exchanged")
        }
        2 => {
            let value = map.remove(key).unwrap_or_default();
            map.insert(format!("{key}_"), value);
            format!("{key} renamed")
        }
        3 => {
            let value = map[other].clone();
            map.insert(key.clone(), value);
            format!("{key} := that of {other}")
        }
        _ => match map.get_mut(key) {
            Some(value @ (Value::Array(_) | Value::Number(_))) => {
                format!("{key} {}", change_node(value, rng))
            }
            _ => {
                map.insert(key.clone(), Value::Null);
                format!("{key} := null")
            }
        },
    }
}

/// The length of a value as JSON, in bytes.
fn written(value: &impl serde::Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len()).max(1)
}

/// A value as text, shortened if long.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.len() <= 80 { text } else { text.chars().take(77).chain("...".chars()).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn lists_of_long_entries_stay_within_bounds() {
        let mut rng = ChaCha8Rng::seed_from_u64(2);
        let mut value = json!([[[1, 2, 3], [4]], [5]]);
        for _ in 0..3000 {
            let nodes = Nodes::of(&value);
            change(&mut value, &nodes, &json!([1]), &mut Vec::new(), &mut rng);
            assert!(written(&value) < 8 * MOST_BYTES, "{}", written(&value));
            if written(&value) > MOST_BYTES {
                value = json!([[[1, 2, 3], [4]], [5]]);
            }
        }
    }

    #[test]
    fn shapes_are_replaced_by_shapes_whose_product_wraps() {
        let value = json!({ "directions": [[0.0, 0.0], 2, 1] });
        let nodes = Nodes::of(&value);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let found = (0..100).filter_map(|_| wrapping_pair(&value, &nodes, &mut rng));
        let wraps = |shape: &Value| {
            let side = |k: usize| shape[k].as_u64();
            let product = side(1).zip(side(2)).map(|(a, b)| (a.wrapping_mul(b), a.checked_mul(b)));
            product == Some((2, None))
        };
        assert!(found.filter(|(at, shape)| at == "/directions" && wraps(shape)).count() > 10);
    }
}
