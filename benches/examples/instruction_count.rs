//! A small fixed piece of work of each kind, whose instructions are counted: `cargo xtask bench
//! --instructions`.
//!
//! ```text
//! instruction_count          the names of the pieces
//! instruction_count NAME     does that piece once
//! ```
//!
//! Counts do not depend on other programs of the machine, so that a change of a few percent is visible on a
//! noisy one. Only what happens in [`counted`] counts; the run before it makes the examples and plays
//! warm-up rounds. There is one thread. All examples are synthetic.

use benches::boosting::{self, ALGORITHMS};
use benches::classification::{KINDS, Labelled, Weak};
use benches::{Style, off_policy};
use boosters::bopl::{BoplS, PolicyBoosting, Settings, Smoothness, Step};
use boosters::maboost::{BoostingRun, Examples};
use projections::{Euclidean, Projection, Scratch, Simplex};
use std::error::Error;
use std::hint::black_box;
use weak_learners::batch::{BinnedColumns, BinnedStump};
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth};

type Piece = fn() -> Result<(), Box<dyn Error>>;

const PIECES: [(&str, Piece); 5] = [
    ("bopl-s-tree-round", || policy_round(Step::Closed(Smoothness::Paper), 20.0, 0.0)),
    ("bopl-s-second-order-round", || policy_round(Step::SecondOrder { learning_rate: 0.3 }, 1.0, 1.0)),
    ("adaboost-stump-round", stump_round),
    ("online-bbm-100-rounds", online_rounds),
    ("simplex-projection", simplex_projection),
];

fn main() -> Result<(), Box<dyn Error>> {
    let Some(name) = std::env::args().nth(1) else {
        PIECES.iter().for_each(|(name, _)| println!("{name}"));
        return Ok(());
    };
    let (_, piece) = PIECES.into_iter().find(|piece| piece.0 == name).ok_or("no such piece")?;
    // No other thread, whose waiting would be counted.
    rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()?;
    piece()
}

/// The only function whose instructions, and those of its callees, are counted.
#[inline(never)]
fn counted<T>(work: impl FnOnce() -> T) -> T {
    black_box(work())
}

/// The second round of BOPL-S-regr: 5,000 contexts of 20 numbers, 7 actions, trees of depth 8.
fn policy_round(step: Step, min_child_weight: f64, reg_lambda: f64) -> Result<(), Box<dyn Error>> {
    let log = off_policy::Problem::synthetic(5000, 20, 7, 8)?.log;
    let contexts = BinnedContexts::new(log.contexts().clone())?;
    let growth = PairGrowth::builder()
        .max_depth(8)
        .min_child_weight(min_child_weight)
        .reg_lambda(reg_lambda)
        .build()?;
    let settings = Settings::builder().translation(-0.2).step(step).build()?;
    let mut run = PolicyBoosting::<BoplS, _>::new(&log, HistogramPairTree::new(growth), settings)?;
    let _ = run.round(&contexts)?;
    let _ = counted(|| run.round(&contexts))?;
    Ok(())
}

/// The second round of AdaBoost over stumps: 10,000 examples of 20 numbers.
fn stump_round() -> Result<(), Box<dyn Error>> {
    let boosting::Problem { rows, labels, .. } = boosting::Problem::synthetic(10_000, 20)?;
    let sample = BinnedColumns::new(rows)?;
    let examples = Examples::uniform(labels)?;
    let algorithm = boosting::algorithm(ALGORITHMS[0], &examples)?;
    let mut run = BoostingRun::new(examples, BinnedStump::default(), algorithm)?;
    let _ = run.round(&sample)?;
    let _ = counted(|| run.round(&sample))?;
    Ok(())
}

/// Rounds 101 to 200 of Online BBM over 20 logistic learners, on rows of 20 numbers.
fn online_rounds() -> Result<(), Box<dyn Error>> {
    let stream = Labelled::new(KINDS[0])?;
    let players = Weak::Logistic.players(&stream, 20)?.into_iter();
    let (_, mut player) =
        players.into_iter().find(|player| player.0 == "Online BBM").ok_or("no Online BBM")?;
    for (x, y) in stream.stretch(0, 100) {
        player.round(x, y)?;
    }
    counted(|| stream.stretch(100, 100).try_for_each(|(x, y)| player.round(x, y).map(drop)))?;
    Ok(())
}

/// The Euclidean projection of 10,000 numbers of [0, 1) onto the simplex.
fn simplex_projection() -> Result<(), Box<dyn Error>> {
    let simplex = Simplex::new(1.0)?;
    let (mut point, mut scratch) = (Style::Uniform.point(10_000), Scratch::default());
    // The first projection makes the room.
    Projection::<Euclidean>::project_with(&simplex, &mut point.clone(), &mut scratch)?;
    counted(|| Projection::<Euclidean>::project_with(&simplex, &mut point, &mut scratch))?;
    Ok(())
}
