//! The choice of an advantage by progressive validation [BKL99].

use super::streams::{Examples, class, rng, synthetic};
use boosters::agnostic::{OnlineAgnosticBooster, ProgressiveChoice};
use proptest::prelude::*;
use rows::Row;
use weak_learners::Label::{Minus, Plus};
use weak_learners::{Label, LearnerError, OnlineClassifier, OnlinePredictor, Shape};

/// Votes from a list, one a round, and refuses examples at will.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Scripted {
    votes: Vec<Label>,
    t: usize,
    refuses: Option<Label>,
}

impl Scripted {
    fn new(votes: Vec<Label>) -> Self {
        Self { votes, t: 0, refuses: None }
    }
}

impl OnlinePredictor<Label> for Scripted {
    fn shape(&self) -> Shape {
        Shape { inputs: 1, outputs: 1 }
    }
    fn predict(&mut self, _: Row<'_>, y: &mut [f64]) -> Result<(), LearnerError> {
        y.fill(self.votes[self.t % self.votes.len()].sign());
        Ok(())
    }
    fn accepts(&self, _: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        match self.refuses {
            Some(refused) if refused == *y => Err(LearnerError::BadLabel { argument: "y", value: y.sign() }),
            _ => Ok(()),
        }
    }
    fn update(&mut self, x: Row<'_>, y: &Label) -> Result<(), LearnerError> {
        self.accepts(x, y)?;
        self.t += 1;
        Ok(())
    }
}

fn x() -> Row<'static> {
    Row::dense(&[0.0]).unwrap()
}

proptest! {
    /// At every prefix: the vote is the leader's, the leader has the fewest mistakes and is the first such,
    /// and the mistakes are at most K(M + 1) − 1.
    #[test]
    fn it_follows_the_fewest_mistakes(
        scripts in prop::collection::vec(prop::collection::vec(prop::bool::ANY, 40), 1..6),
        labels in prop::collection::vec(prop::bool::ANY, 40),
    ) {
        let label = |plus: &bool| if *plus { Plus } else { Minus };
        let candidates: Vec<Scripted> =
            scripts.iter().map(|votes| Scripted::new(votes.iter().map(label).collect())).collect();
        let mut choice = ProgressiveChoice::new(candidates).unwrap();
        let (mut counts, mut mistakes) = (vec![0_u64; scripts.len()], 0);
        for (t, y) in labels.iter().enumerate() {
            let fewest = *counts.iter().min().unwrap();
            let leader = counts.iter().position(|count| *count == fewest).unwrap();
            prop_assert_eq!((choice.leader(), choice.mistakes()), (leader, &counts[..]));
            let vote = choice.round(x(), label(y)).unwrap();
            prop_assert_eq!(vote, label(&scripts[leader][t]));
            mistakes += u64::from(vote != label(y));
            for (count, votes) in counts.iter_mut().zip(&scripts) {
                *count += u64::from(votes[t] != *y);
            }
            let bound = scripts.len() as u64 * (counts.iter().min().unwrap() + 1) - 1;
            prop_assert!(mistakes <= bound, "{} > {}", mistakes, bound);
        }
    }
}

/// Where only the leader errs, each in turn, the bound K(M + 1) − 1 is attained.
#[test]
fn the_bound_is_attained() {
    for k in 1..5_usize {
        let votes = |i| Scripted::new((0..k).map(|t| if t == i { Minus } else { Plus }).collect());
        let mut choice = ProgressiveChoice::new((0..k).map(votes).collect()).unwrap();
        for round in 1..=3 * k - 1 {
            assert_eq!(choice.round(x(), Plus).unwrap(), Minus, "round {round} of {k} candidates");
        }
        assert_eq!(choice.mistakes().iter().min(), Some(&2));
    }
}

#[test]
fn a_refused_example_reaches_no_candidate() {
    let mut candidates = vec![Scripted::new(vec![Plus, Minus]); 3];
    candidates[2].refuses = Some(Minus);
    let mut choice = ProgressiveChoice::new(candidates).unwrap();
    choice.round(x(), Plus).unwrap();
    let before = serde_json::to_string(&choice).unwrap();
    assert!(choice.accepts(x(), &Minus).is_err() && choice.update(x(), &Minus).is_err());
    assert_eq!(serde_json::to_string(&choice).unwrap(), before);
    assert_eq!(
        ProgressiveChoice::<Scripted>::new(vec![]).unwrap_err(),
        LearnerError::Empty { argument: "candidates" }
    );
    let mismatched = before.replace("\"mistakes\":[0,0,0]", "\"mistakes\":[0,0]");
    assert!(
        mismatched != before && serde_json::from_str::<ProgressiveChoice<Scripted>>(&mismatched).is_err()
    );
}

/// Learners of unknown advantage 0.25: the choice among γ = 1, ½, …, 1/16 is nearly as good as the best of
/// them, and much better than γ = 1. A run that is saved and loaded goes on bit for bit.
#[test]
fn the_advantage_is_found() {
    let examples = Examples::letter();
    let expert = class(&examples.thresholds(4))[20];
    let stream = examples.separable(1500, expert, 3);
    let grid = [1.0, 0.5, 0.25, 0.125, 0.0625];
    let mut choice = ProgressiveChoice::over_advantages(&grid, |gamma| {
        OnlineAgnosticBooster::with_ogd(synthetic(expert, 0.25, 64, 1), gamma, &mut rng(2, 0))
    })
    .unwrap();
    let gammas: Vec<f64> = choice.candidates().iter().map(OnlineAgnosticBooster::advantage).collect();
    assert_eq!(gammas, grid);
    let mut mistakes = 0;
    for (t, (x, y)) in stream.examples().enumerate() {
        if t % 500 == 250 {
            let text = serde_json::to_string(&choice).unwrap();
            choice = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&choice).unwrap(), text);
        }
        mistakes += u64::from(choice.round(x, y).unwrap() != y);
    }
    let best = choice.mistakes()[choice.leader()];
    assert_eq!(Some(&best), choice.mistakes().iter().min());
    assert!(mistakes <= best + 30, "{mistakes}, the best candidate {best}");
    assert!(5 * mistakes < choice.mistakes()[0], "{mistakes} against {:?}", choice.mistakes());
    assert!(
        ProgressiveChoice::over_advantages(&[0.5, 0.0], |gamma| {
            OnlineAgnosticBooster::with_ogd(synthetic(expert, 0.25, 4, 1), gamma, &mut rng(2, 0))
        })
        .is_err()
    );
}
