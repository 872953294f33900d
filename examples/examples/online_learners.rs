//! Spam, mail by mail: five online learners on the same logistic losses. Columns: the average loss of the
//! mails seen so far after each doubling, the share of wrong signs, and the number of weights that are not 0.
//!
//! Steps are those of the theorems, for a comparator in the ball of radius 20 or in the box. Only the step
//! of mirror descent is set by hand. These steps are safe for any stream, so they are small for this one;
//! AdaGrad takes larger ones in the columns where gradients are small.
//!
//! Each mail is predicted before its label is shown. Columns are scaled by the first 500 mails, which are not
//! part of the stream.

use datasets::{ExampleStream, MinMax, Name, SearchPath, StandIn, load, signs};
use oco_core::learners::{AdaGrad, Comid, MirrorDescent, Ogd, OptimisticMirrorDescent};
use oco_core::losses::{LogisticLoss, Loss};
use oco_core::{OnlineLearner, StepSchedule};
use projections::{BoxSet, Euclidean, L2Ball, PNorm, WholeSpace};
use std::error::Error;

/// The number of mails used for the scaling.
const FITTED: usize = 500;
/// Every weight lies in [−10, 10].
const WIDTH: f64 = 10.0;

type Rows = Vec<(Vec<f64>, f64)>;

fn main() -> Result<(), Box<dyn Error>> {
    let stand_in = StandIn { seed: 1, rows: None };
    let spam = load(Name::Spambase, &SearchPath::from_environment(None)?, stand_in)?;
    let labels = signs(&spam.targets, &[1])?;
    let order: Vec<usize> = ExampleStream::new(spam.len(), 1, 0)?.collect();
    let columns: Vec<usize> = (0..spam.features.dimension()).collect();
    let scaled = MinMax::fit(&spam.features, &order[..FITTED], &columns)?.apply(&spam.features)?;
    let mails: Rows = order[FITTED..]
        .iter()
        .filter_map(|&i| {
            // The last coordinate is 1 for every mail.
            let mut x = scaled.row(i)?.to_dense();
            x.push(1.0);
            Some((x, labels[i]))
        })
        .collect();
    println!("spambase: {} mails, {}\n", mails.len(), spam.provenance);
    print!("{:<28}", "average loss after");
    milestones(mails.len()).for_each(|t| print!("{t:>7}"));
    println!("  wrong signs  weights");

    let n = columns.len() + 1;
    let radius = 20.0;
    let largest = mails.iter().map(|(x, _)| x.iter().map(|v| v * v).sum::<f64>()).fold(0.0, f64::max).sqrt();
    let rounds = mails.len() as f64;
    let eta = radius / (largest * rounds.sqrt());
    let (ball, cube) = (L2Ball::new(radius)?, BoxSet::new(vec![-WIDTH; n], vec![WIDTH; n])?);

    play("Ogd", Ogd::new(ball, n, StepSchedule::zinkevich(2.0 * radius, largest)?)?, &mails)?;
    // With p = 2·ln n/(2·ln n − 1) the bound grows with ln n only if few weights matter.
    let log = 2.0 * (n as f64).ln();
    let norm = PNorm::new(log / (log - 1.0))?;
    play("MirrorDescent, p-norm", MirrorDescent::new(norm, WholeSpace, n, 0.5)?, &mails)?;
    let optimist = OptimisticMirrorDescent::new(Euclidean, ball, n, eta)?;
    play("OptimisticMirrorDescent", optimist, &mails)?;
    play("AdaGrad", AdaGrad::new(cube.clone(), WIDTH / 2.0_f64.sqrt())?, &mails)?;
    play("Comid, λ = 0.01", Comid::on_box(cube, eta, 1e-2)?, &mails)?;
    Ok(())
}

/// Plays all mails in order and prints a line of the table.
fn play(name: &str, mut learner: impl OnlineLearner, mails: &Rows) -> Result<(), Box<dyn Error>> {
    let (mut total, mut wrong) = (0.0, 0);
    let mut gradient = vec![0.0; learner.play().len()];
    let mut shown = milestones(mails.len()).peekable();
    print!("{name:<28}");
    for (t, (x, y)) in (1..).zip(mails) {
        let loss = LogisticLoss::new(x, *y)?;
        let w = learner.play();
        let score: f64 = w.iter().zip(x).map(|(w, x)| w * x).sum();
        wrong += usize::from(score * y <= 0.0);
        total += loss.value(w);
        loss.subgradient(w, &mut gradient);
        learner.observe(&gradient)?;
        if shown.next_if_eq(&t).is_some() {
            print!("{:>7.3}", total / t as f64);
        }
    }
    let weights = learner.play().iter().filter(|w| **w != 0.0).count();
    println!("{:>12.1}%{weights:>9}", 100.0 * wrong as f64 / mails.len() as f64);
    Ok(())
}

/// 256, 512, … and the last round.
fn milestones(rounds: usize) -> impl Iterator<Item = usize> {
    (8..63).map(|e| 1 << e).take_while(move |t| *t < rounds).chain([rounds])
}
