//! Rounds of the online boosters of classifiers, timed on a machine with other load: the contenders take
//! turns in stretches of 100 rounds, and the fastest stretch of each counts. Beside it is the progressive
//! error, the fraction of wrong votes on the first pass through the stream. The output is the table of
//! `docs/benchmarks.md`; with `--peer` it is the input of `peers/boosting_vw.py`: only N = 20 logistic
//! learners, one JSON line each, with the number of labels +1 to identify the rows.

use benches::classification::{Contender, EXAMPLES, KINDS, Kind, Labelled, Player, WEAK, Weak};
use std::error::Error;
use std::time::Instant;
use weak_learners::Label;

const STRETCH: usize = 100;
/// The number of passes through the stream; only the first one counts for the error.
const PASSES: usize = 2;

fn main() -> Result<(), Box<dyn Error>> {
    let for_peer = std::env::args().any(|argument| argument == "--peer");
    if !for_peer {
        println!(
            "| rows | weak learner | N | method | rounds/s | round ns | round / (N · alone) | progressive error |"
        );
        println!("|---|---|--:|---|--:|--:|--:|--:|");
    }
    for kind in KINDS {
        let stream = Labelled::new(kind)?;
        for weak in WEAK {
            for learners in [20, 100] {
                if for_peer && (weak != Weak::Logistic || learners != 20) {
                    continue;
                }
                let results = play(&stream, weak.players(&stream, learners)?)?;
                let positives = stream.labels.iter().filter(|y| **y == Label::Plus).count();
                for result in &results {
                    if for_peer {
                        print_for_peer(kind, result, positives);
                    } else {
                        print(kind, weak, learners, result, results[0].nanoseconds);
                    }
                }
            }
        }
    }
    Ok(())
}

struct Outcome {
    method: &'static str,
    nanoseconds: f64,
    error: f64,
}

fn print_for_peer(kind: Kind, result: &Outcome, positives: usize) {
    let (case, rate) = (kind.name(), 1e9 / result.nanoseconds);
    let Outcome { method, error, .. } = result;
    println!(
        r#"{{"case": "{case}", "method": "{method}", "rounds_per_second": {rate:.0}, "error": {error:.5}, "positives": {positives}}}"#
    );
}

#[allow(clippy::cast_precision_loss, reason = "counts of rounds and learners")]
fn print(kind: Kind, weak: Weak, learners: usize, result: &Outcome, alone: f64) {
    let Outcome { method, nanoseconds, error } = result;
    let n = if *method == "alone" { 1 } else { learners };
    // The time and the error of idle learners are meaningless.
    let (ratio, error) = match weak {
        Weak::Idle => ("–".to_owned(), "–".to_owned()),
        _ => (format!("{:.2}", nanoseconds / (n as f64 * alone)), format!("{:.1}%", 100.0 * error)),
    };
    println!(
        "| {} | {} | {n} | {method} | {:.0} | {nanoseconds:.0} | {ratio} | {error} |",
        kind.name(),
        weak.name(),
        1e9 / nanoseconds
    );
}

#[allow(clippy::cast_precision_loss, reason = "counts of rounds")]
fn play(stream: &Labelled, players: Vec<Contender>) -> Result<Vec<Outcome>, Box<dyn Error>> {
    let mut results: Vec<Outcome> = players
        .iter()
        .map(|(method, _)| Outcome { method, nanoseconds: f64::INFINITY, error: 0.0 })
        .collect();
    let mut players: Vec<Box<dyn Player>> = players.into_iter().map(|(_, player)| player).collect();
    for turn in 0..PASSES * EXAMPLES / STRETCH {
        for (player, result) in players.iter_mut().zip(&mut results) {
            let mut wrong = 0;
            let start = Instant::now();
            for (x, y) in stream.stretch(turn * STRETCH % EXAMPLES, STRETCH) {
                wrong += usize::from(player.round(x, y)? != y);
            }
            let nanoseconds = start.elapsed().as_secs_f64() * 1e9 / STRETCH as f64;
            result.nanoseconds = result.nanoseconds.min(nanoseconds);
            if turn < EXAMPLES / STRETCH {
                result.error += wrong as f64 / EXAMPLES as f64;
            }
        }
    }
    Ok(results)
}
