//! A synthetic log with a known answer, as CSV on standard output: `examples/offers.csv` is its output. Its
//! first 400 rows in Vowpal Wabbit's formats, `examples/offers.vw` and `examples/offers.dsjson`, are the
//! output with the argument `vw` or `dsjson`.
//!
//! One of three offers pays with probability 0.7, the others with 0.1. The best offer depends on age, income
//! and device. The logging policy shows travel half of the time. It earns 0.3 a row; the best policy earns
//! 0.7.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const OFFERS: [&str; 3] = ["music", "travel", "tools"];
/// The rows in Vowpal Wabbit's formats.
const ROWS: usize = 400;

fn main() {
    let csv = offers();
    match std::env::args().nth(1).as_deref() {
        Some("vw") => print!("{}", vw(&csv)),
        Some("dsjson") => print!("{}", dsjson(&csv)),
        _ => print!("{csv}"),
    }
}

/// Every row as its cells, and the place of its offer.
fn rows(csv: &str) -> impl Iterator<Item = ([&str; 6], usize)> {
    csv.lines().skip(1).filter_map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        let shown = OFFERS.iter().position(|offer| cells.get(3) == Some(offer))?;
        Some((cells.try_into().ok()?, shown))
    })
}

/// `action:cost:probability | features`; the offers are numbered from 1, and the cost is −reward.
fn vw(csv: &str) -> String {
    let line = |([age, income, device, _, propensity, reward], shown): ([&str; 6], usize)| {
        let cost = if reward == "1" { -1 } else { 0 };
        format!("{}:{cost}:{propensity} | age:{age} income:{income} device={device}\n", shown + 1)
    };
    rows(csv).take(ROWS).map(line).collect()
}

/// The events of a decision service. The list `a` has the shown offer first, and `p` the probabilities in its
/// order; both count offers from 1.
fn dsjson(csv: &str) -> String {
    let actions = OFFERS.map(|offer| format!("{{\"id\":\"{offer}\"}}")).join(",");
    let line = |(k, ([age, income, device, _, propensity, reward], shown)): (usize, ([&str; 6], usize))| {
        let cost = if reward == "1" { "-1.0" } else { "0.0" };
        let others = (0..OFFERS.len()).filter(|offer| *offer != shown);
        let ranked: Vec<usize> = std::iter::once(shown).chain(others).collect();
        let ranking: Vec<String> = ranked.iter().map(|offer| (offer + 1).to_string()).collect();
        let p: Vec<&str> = ranked.iter().map(|offer| if *offer == 1 { "0.5" } else { "0.25" }).collect();
        format!(
            "{{\"_label_cost\":{cost},\"_label_probability\":{propensity},\"_label_Action\":{},\"_labelIndex\":{shown},\
             \"Version\":\"1\",\"EventId\":\"{k}\",\"a\":[{}],\"c\":{{\"age\":{age},\"income\":{income},\
             \"device\":\"{device}\",\"_multi\":[{actions}]}},\"p\":[{}]}}\n",
            shown + 1,
            ranking.join(","),
            p.join(",")
        )
    };
    rows(csv).take(ROWS).enumerate().map(line).collect()
}

fn offers() -> String {
    let mut text = String::from("age,income,device,action,propensity,reward\n");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..6000 {
        let (age, income) = (18.0 + 60.0 * rng.random::<f64>(), 100.0 * rng.random::<f64>());
        let device = ["phone", "tablet", "watch"][rng.random_range(0..3)];
        let best = if age < 35.0 { 0 } else { 1 + usize::from(income < 40.0 || device == "watch") };
        let (shown, propensity) = match rng.random::<f64>() {
            u if u < 0.5 => (1, 0.5),
            u if u < 0.75 => (0, 0.25),
            _ => (2, 0.25),
        };
        let pays = rng.random::<f64>() < if shown == best { 0.7 } else { 0.1 };
        let offer = OFFERS[shown];
        let row = format!("{age:.1},{income:.1},{device},{offer},{propensity},{}\n", u8::from(pays));
        text.push_str(&row);
    }
    text
}

#[test]
fn the_committed_files_are_the_output() {
    let csv = offers();
    assert!(csv == include_str!("../offers.csv"), "examples/offers.csv is another log");
    assert!(vw(&csv) == include_str!("../offers.vw"), "examples/offers.vw is another log");
    assert!(dsjson(&csv) == include_str!("../offers.dsjson"), "examples/offers.dsjson is another log");
}
