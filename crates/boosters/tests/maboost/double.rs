//! The double projection of [NP14, Lemma 4]: it will do for active updates, and not for lazy ones.

use crate::account::holds_every_round;
use crate::theorems_1_and_2::quadratic;
use crate::trials::{Claim, Trial, on_real_data};
use boosters::maboost::{Active, Examples, MirrorAscent, Schedule};
use projections::{Euclidean, Projection, Simplex, Then, UnitBox};
use weak_learners::batch::WeakLearner;

fn double() -> Then<UnitBox, Simplex> {
    Then::new(UnitBox, Simplex::new(1.0).unwrap())
}

struct ActiveDouble;

impl Claim for ActiveDouble {
    fn check<W: WeakLearner + Clone>(&self, trial: &Trial<W>, examples: &Examples) {
        for schedule in [Schedule::Theorem1, Schedule::Theorem2] {
            let ascent = MirrorAscent::<_, _, Active>::new(Euclidean, double(), examples, schedule).unwrap();
            let formula = quadratic(schedule, examples);
            holds_every_round(trial, examples, ascent, formula);
        }
    }
}

#[test]
fn active_updates_keep_their_bounds() {
    on_real_data(30, &ActiveDouble);
}

/// Lazy steps z ← z + ηd on eleven examples, with h wrong on the first one and right on the others as long as
/// z_1 ≤ 0.3, else right on the first and on five of the others by turns. The cube moves the other ten, far
/// below 0 by then, back to 0, and the simplex gives them weight again; so every answer has an edge, and the
/// first example is an error for ever.
#[test]
fn lazy_updates_with_it_break_the_bound() {
    let rounds = |project: &dyn Fn(&mut [f64])| {
        let (mut z, mut squares, mut ahead) = ([1.0 / 11.0; 11], 0.0, false);
        for _ in 0..1000 {
            let mut w = z;
            project(&mut w);
            let mut d = [-1.0; 11];
            if z[0] <= 0.3 {
                d[0] = 1.0;
            } else {
                d[if ahead { 1..6 } else { 6..11 }].fill(1.0);
                ahead = !ahead;
            }
            let edge = -rows::dot(&w, &d);
            if edge <= 0.0 {
                return (squares, z[0]);
            }
            squares += edge * edge;
            z.iter_mut().zip(d).for_each(|(z, d)| *z += edge / 11.0 * d);
        }
        (squares, z[0])
    };
    let (squares, first) = rounds(&|w| Projection::<Euclidean>::project(&double(), w).unwrap());
    // Its margin is −(z_1 − 1/11).
    assert!(first > 1.0 / 11.0, "an error: {first}");
    assert!(1.0 / (1.0 + 0.5 * squares) < 1.0 / 11.0, "the paper's bound is broken: {squares}");
    let (squares, _) = rounds(&|w| Projection::<Euclidean>::project(&Simplex::new(1.0).unwrap(), w).unwrap());
    assert!(1.0 / (1.0 + squares) >= 1.0 / 11.0, "the exact projection keeps it: {squares}");
}
