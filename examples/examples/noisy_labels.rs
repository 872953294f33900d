//! A spam filter trained on labels of which one in five is wrong: agnostic boosting over decision stumps.
//!
//! Synthetic messages with six features are spam if the majority of five simple signs says so; no single sign
//! is right on more than seven in ten. The advantage γ of a learner on such a stream is unknown, so several
//! values run side by side and the one with the fewest mistakes so far votes. The booster's first learner
//! gets the given labels; later learners get the residual errors of the earlier ones.

use boosters::agnostic::{OnlineAgnosticBooster, ProgressiveChoice, VoteRule};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::Row;
use std::error::Error;
use weak_learners::online::GrownStumps;
use weak_learners::{Label, LearnerError, OnlineClassifier};

const FEATURES: usize = 6;
const LEARNERS: usize = 30;

fn main() -> Result<(), Box<dyn Error>> {
    let stream = |number| {
        let mut rng = ChaCha8Rng::seed_from_u64(2026);
        rng.set_stream(number);
        rng
    };
    // Hedge over stumps that finds its thresholds in the stream, at most 32 values a feature.
    let learner = |number: usize| GrownStumps::anytime(FEATURES, 32, stream(100 + number as u64));
    let mut number = 0;
    let mut boosted = ProgressiveChoice::over_advantages(&[0.5, 0.2, 0.1], |gamma| {
        let team: Vec<_> = (0..LEARNERS)
            .map(|_| {
                number += 1;
                learner(number)
            })
            .collect::<Result<_, LearnerError>>()?;
        let booster = OnlineAgnosticBooster::with_trusting_ogd(team, gamma, &mut stream(1))?;
        Ok(booster.voting_by(VoteRule::Sign))
    })?;
    let mut alone = learner(0)?;

    println!("messages   right: boosted   one learner   (against the truth, not against the buttons)");
    let (mut messages, mut slips) = (stream(2), stream(3));
    let (mut ours, mut theirs) = (0, 0);
    for t in 1..=10_000_u32 {
        let x: [f64; FEATURES] = std::array::from_fn(|_| messages.random());
        let signs = x.iter().take(5).filter(|sign| **sign > 0.5).count();
        let truth = if signs >= 3 { Label::Plus } else { Label::Minus };
        let button = if slips.random_bool(0.2) { -truth } else { truth };
        let row = Row::dense(&x)?;
        ours += u32::from(boosted.round(row, button)? == truth);
        theirs += u32::from(alone.round(row, button)? == truth);
        if t % 2500 == 0 {
            let percent = |right: u32| f64::from(right) / 25.0;
            println!("{t:8}   {:13.1}%   {:10.1}%", percent(ours), percent(theirs));
            (ours, theirs) = (0, 0);
        }
    }
    Ok(())
}
