//! Every method again by itself, and a separate random stream for every component.

use super::*;
use crate::agnostic::streams::{LabelFlips, Source};

fn stream() -> Stream {
    Source::FiveStumps.stream(None, LabelFlips::Noise(0.1), 150, 3, 1).unwrap()
}

/// The four candidates of Algorithm 1, built as by the choice, run side by side: their votes are those of the
/// named curves, and the choice follows the candidate with the fewest mistakes *before* the round.
#[test]
fn the_forms_of_algorithm_1_are_its_candidates_and_the_choice_looks_back() {
    let stream = stream();
    for optimiser in Optimiser::ALL {
        let rng = &mut generator(3, 1, 1);
        let mut candidates: Vec<_> = ADVANTAGES
            .iter()
            .map(|gamma| {
                let team = hedges(&stream, 4, rng);
                optimiser.booster(team, *gamma, rng).unwrap()
            })
            .collect();
        let (mut mistakes, mut leaders) = ([0; 4], Vec::new());
        let mut expected: [Vec<Label>; 4] = Default::default();
        for (x, &y) in stream.rows.iter().zip(&stream.labels) {
            let leader = (0..4).min_by_key(|k| mistakes[*k]).unwrap();
            leaders.push(leader);
            let votes: Vec<Label> = candidates.iter_mut().map(|c| c.round(x, y).unwrap()).collect();
            expected[0].push(votes[leader]);
            expected[1].push(RandomisedMajority::sign(candidates[leader].trace().z()));
            expected[2].push(votes[0]);
            expected[3].push(votes[3]);
            (0..4).for_each(|k| mistakes[k] += u32::from(votes[k] != y));
        }
        leaders.dedup();
        assert!(leaders.len() > 3, "the lead changes: {leaders:?}");
        let found =
            agnostic(&stream, optimiser, |rng| Ok(hedges(&stream, 4, rng)), &mut generator(3, 1, 1)).unwrap();
        let names: &[&str] = match optimiser {
            Optimiser::Printed => &[AGNOSTIC, AGNOSTIC_SIGN, AGNOSTIC_LARGE, AGNOSTIC_SMALL],
            Optimiser::Trusting => &[TRUSTING, TRUSTING_SIGN],
        };
        assert_eq!(found.len(), names.len());
        for ((votes, name), expected) in found.iter().zip(names).zip(&expected) {
            assert_eq!((votes.method, &votes.votes), (*name, expected));
        }
    }
}

#[test]
fn votes_are_those_of_the_named_methods_with_separate_random_streams() {
    let stream = stream();
    let all = votes(&stream, 4, 3, 1).unwrap();
    let names: Vec<&str> = all.iter().map(|votes| votes.method).collect();
    assert_eq!(
        names,
        [
            ALONE,
            AGNOSTIC,
            AGNOSTIC_SIGN,
            AGNOSTIC_LARGE,
            AGNOSTIC_SMALL,
            TRUSTING,
            TRUSTING_SIGN,
            REALIZABLE,
            OSBOOST,
            BBM,
            ADABOOST
        ]
    );
    let of = |name: &str| all.iter().find(|votes| votes.method == name).unwrap().votes.clone();
    let own = |component| generator(3, 1, component);
    assert_eq!(of(ALONE), run(&stream, hedges(&stream, 1, &mut own(0)).swap_remove(0)).unwrap());
    let printed = agnostic(&stream, Optimiser::Printed, |rng| Ok(hedges(&stream, 4, rng)), &mut own(1));
    assert_eq!(of(AGNOSTIC), printed.unwrap()[0].votes);
    let rng = &mut own(2);
    let choice = ProgressiveChoice::over_advantages(&[1.0, 0.5, 0.2, 0.1], |gamma| {
        OnlineRealizableBooster::with_ogd(hedges(&stream, 4, rng), gamma, rng)
    });
    assert_eq!(of(REALIZABLE), run(&stream, choice.unwrap()).unwrap());
    let rng = &mut own(3);
    let choice = ProgressiveChoice::over_advantages(&[0.5, 0.2, 0.1], |gamma| {
        OsBoost::new(hedges(&stream, 4, rng), gamma, rng)
    });
    assert_eq!(of(OSBOOST), run(&stream, choice.unwrap()).unwrap());
    let rng = &mut own(4);
    let choice = ProgressiveChoice::over_advantages(&[0.5, 0.2, 0.1], |gamma| {
        OnlineBbm::new(hedges(&stream, 4, rng), gamma, rng)
    });
    assert_eq!(of(BBM), run(&stream, choice.unwrap()).unwrap());
    let rng = &mut own(5);
    let booster = AdaBoostOl::new(hedges(&stream, 4, rng), rng).unwrap();
    assert_eq!(of(ADABOOST), run(&stream, booster).unwrap());
}

#[test]
fn copies_components_and_trials_have_separate_random_streams() {
    let stream = stream();
    let votes_of = |learner: HedgeStumps| run(&stream, learner).unwrap();
    let mut copies: Vec<_> = hedges(&stream, 5, &mut generator(3, 1, 0)).into_iter().map(votes_of).collect();
    copies.push(votes_of(hedges(&stream, 1, &mut generator(3, 2, 0)).swap_remove(0)));
    for (i, copy) in copies.iter().enumerate() {
        assert!(!copies[..i].contains(copy), "copy {i} votes as another");
    }
    let mut firsts: Vec<u64> = (0..32)
        .flat_map(|component| (0..5).map(move |trial| generator(3, trial, component).next_u64()))
        .collect();
    firsts.push(generator(4, 0, 0).next_u64());
    let count = firsts.len();
    firsts.sort_unstable();
    firsts.dedup();
    assert_eq!((count, firsts.len()), (161, 161));
}

#[test]
fn accuracy_is_the_share_of_right_votes() {
    use Label::{Minus, Plus};
    let votes = Votes { method: ALONE, votes: vec![Plus, Minus, Minus, Plus] };
    let of = |labels: [Label; 4]| votes.accuracy(&labels);
    assert!((of([Plus, Minus, Minus, Minus]) - 0.75).abs() < 1e-12);
    assert!((of([Minus, Plus, Plus, Plus]) - 0.25).abs() < 1e-12);
}
