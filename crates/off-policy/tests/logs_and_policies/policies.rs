//! Every policy is a distribution over what is on offer, whatever the scores; and what policies refuse.

use off_policy::policies::{
    Argmax, EpsilonGreedy, MultinomialLogistic, Policy, Scores, Softmax, Tabular, Uniform, argmax, softmax,
};
use off_policy::{ActionSet, ActionSets, LogError, PolicyError};
use proptest::prelude::*;
use proptest::sample::select;
use rows::Row;

const SCORES: &[f64] =
    &[0.0, -0.0, 1.0, -1.0, 0.5, 700.0, -700.0, 1e139, -1e139, 1e140, -1e140, 5e-324, -5e-324, 1e-308];
const BETAS: &[f64] = &[0.0, 5e-324, 1e-308, 1e-3, 1.0, 2.5, 1e3, 1e139, 1e140];
const ANY: &[f64] = &[0.0, 1.0, -1.0, 1e139, -1e139, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324];

fn probabilities(policy: &impl Policy, set: ActionSet<'_>) -> Vec<f64> {
    let mut pi = vec![f64::NAN; policy.actions()];
    policy.probabilities(Row::dense(&[1.0]).unwrap(), set, &mut pi).unwrap();
    pi
}

/// ≥ 0, 0 off offer, sum 1, no entry above 1.
fn assert_distribution(pi: &[f64], set: ActionSet<'_>) -> Result<(), TestCaseError> {
    let sum: f64 = pi.iter().sum();
    prop_assert!((sum - 1.0).abs() <= 1e-12, "{:?} sums to {}", pi, sum);
    for (a, p) in pi.iter().enumerate() {
        prop_assert!((0.0..=1.0).contains(p), "{:?}", pi);
        prop_assert!(set.contains(a) || *p == 0.0, "{:?} off offer", pi);
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_policy_is_a_distribution_over_what_is_on_offer(
        scores in prop::collection::vec(select(SCORES), 1..9),
        beta in select(BETAS),
        epsilon in select(&[0.0, 5e-324, 1e-300, 0.1, 1.0 / 3.0, 0.7, 1.0 - f64::EPSILON, 1.0][..]),
        mask in 1_u32..511,
    ) {
        let actions = scores.len();
        let offered: Vec<u32> = (0..9).filter(|a| mask >> a & 1 == 1 && (*a as usize) < actions).collect();
        let sets = ActionSets::new(actions, [if offered.is_empty() { vec![0] } else { offered }]).unwrap();
        let table = Tabular::new(1, scores.clone()).unwrap();
        for set in [sets.row(0).unwrap(), ActionSet::all(actions).unwrap()] {
            let soft = Softmax::new(table.clone(), beta).unwrap();
            let best = Argmax::new(table.clone());
            let (soft_pi, best_pi) = (probabilities(&soft, set), probabilities(&best, set));
            assert_distribution(&soft_pi, set)?;
            assert_distribution(&best_pi, set)?;
            // Better scores are not less probable, and the best is one of the most probable.
            for (a, b) in set.iter().flat_map(|a| set.iter().map(move |b| (a, b))) {
                prop_assert!(scores[a] < scores[b] || soft_pi[a] >= soft_pi[b]);
            }
            let top = set.iter().map(|a| scores[a]).fold(f64::NEG_INFINITY, f64::max);
            let first = set.iter().find(|a| scores[*a] == top).unwrap();
            prop_assert_eq!((best_pi[first], argmax(&scores, set)), (1.0, first));
            let uniform = probabilities(&Uniform::new(actions).unwrap(), set);
            assert_distribution(&uniform, set)?;
            let floor = epsilon / set.len() as f64;
            for (mixed, of) in [
                (probabilities(&EpsilonGreedy::new(soft, epsilon).unwrap(), set), &soft_pi),
                (probabilities(&EpsilonGreedy::new(best, epsilon).unwrap(), set), &best_pi),
            ] {
                assert_distribution(&mixed, set)?;
                for a in set.iter() {
                    prop_assert!(mixed[a] >= floor * (1.0 - 1e-15));
                    prop_assert!((mixed[a] - (1.0 - epsilon) * of[a] - epsilon * uniform[a]).abs() < 1e-15);
                }
            }
        }
    }

    #[test]
    fn softmax_is_its_definition_where_that_does_not_overflow(
        scores in prop::collection::vec(-20.0..20.0_f64, 1..9),
        beta in 0.0..10.0_f64,
    ) {
        let sum: f64 = scores.iter().map(|s| (beta * s).exp()).sum();
        let mut pi = scores.clone();
        softmax(&mut pi, beta, ActionSet::all(scores.len()).unwrap());
        for (p, s) in pi.iter().zip(&scores) {
            let expected = (beta * s).exp() / sum;
            prop_assert!((p - expected).abs() <= 1e-12 * expected, "{} is not {}", p, expected);
        }
    }

    #[test]
    fn nothing_panics_and_no_number_that_is_not_finite_gets_in(
        scores in prop::collection::vec(select(ANY), 0..4),
        number in select(ANY),
        x in prop::collection::vec(select(ANY), 0..4),
        inputs in 0_usize..4,
        width in 0_usize..5,
    ) {
        let finite = scores.iter().all(|s| s.is_finite());
        let table = Tabular::new(inputs, scores.clone());
        prop_assert_eq!(table.is_ok(), finite && !scores.is_empty());
        prop_assert_eq!(Softmax::new((), number).is_ok(), number >= 0.0 && number.is_finite());
        prop_assert_eq!(EpsilonGreedy::new((), number).is_ok(), (0.0..=1.0).contains(&number));
        let model = MultinomialLogistic::new(inputs, scores.clone(), vec![number]);
        prop_assert_eq!(
            model.is_ok(),
            inputs > 0 && finite && number.is_finite() && inputs == scores.len()
        );
        let (Ok(row), Ok(set)) = (Row::dense(&x), ActionSet::all(scores.len().max(1))) else { return Ok(()) };
        let mut out = vec![0.0; width];
        if let Ok(table) = table {
            let fits = x.len() == inputs && width == scores.len();
            prop_assert_eq!(Argmax::new(table).probabilities(row, set, &mut out).is_ok(), fits);
        }
        if let Ok(model) = model {
            let answer = Softmax::new(model, 1.0).unwrap().probabilities(row, set, &mut out);
            prop_assert!(answer.is_err() || out.iter().all(|p| p.is_finite()));
        }
        let (mut any, all) = (scores.clone(), ActionSet::all(3).unwrap());
        let _ = argmax(&any, all);
        softmax(&mut any, number, all);
        let sum: f64 = any.iter().sum();
        prop_assert!(!finite || number.is_nan() || any.is_empty() || (sum - 1.0).abs() < 1e-12, "{:?}", any);
    }
}

#[test]
fn extreme_scores_and_temperatures_are_exact() {
    let all = ActionSet::all(2).unwrap();
    let of = |scores: [f64; 2], beta| {
        let mut pi = scores;
        softmax(&mut pi, beta, all);
        pi
    };
    assert_eq!(of([1e140, -1e140], 0.0), [0.5, 0.5]);
    assert_eq!(of([1e139, -1e139], 1.0), [1.0, 0.0]);
    assert_eq!(of([1e139, 1e139], 1e139), [0.5, 0.5]);
    assert_eq!(of([0.0, 1e-130], 1e139), [0.0, 1.0]);
    // β times the difference is 1.
    let [p, q] = of([1e140, -1e140], 0.5 / 1e140);
    assert!((p / q - 1.0_f64.exp()).abs() < 1e-12, "{p}, {q}");
    // β = ∞ shares evenly among the best; a difference whose half is 0 is one all the same.
    assert_eq!(of([1.0, 1.0], f64::INFINITY), [0.5, 0.5]);
    assert_eq!(of([-1e140, 1e140], f64::INFINITY), [0.0, 1.0]);
    assert_eq!(of([0.0, 5e-324], f64::INFINITY), [0.0, 1.0]);
    assert_eq!(of([0.0, 5e-324], f64::NEG_INFINITY), [1.0, 0.0]);
    // β < 0 is |β| on negated scores.
    assert_eq!(of([1e140, -1e140], -1e139), [0.0, 1.0]);
    assert_eq!(of([0.0, 1.0], -2.0), of([0.0, -1.0], 2.0));
    assert_eq!(of([1e130, 1e130], -1e130), [0.5, 0.5]);
    // Nothing on offer within reach of the slice.
    let sets = ActionSets::new(2, [[1]]).unwrap();
    let mut short = [3.0];
    softmax(&mut short, 1.0, sets.row(0).unwrap());
    assert_eq!(short, [0.0]);
}

#[test]
fn every_refusal_of_a_policy_says_what_was_expected() {
    let table = || Tabular::new(2, vec![0.0, 1.0, 2.0]).unwrap();
    let (soft, all) = (Softmax::new(table(), 1.0).unwrap(), ActionSet::all(3).unwrap());
    let (two, three) = (Row::dense(&[1.0, 2.0]).unwrap(), Row::dense(&[1.0; 3]).unwrap());
    let mut pi = [0.25; 3];
    let dimension = Err(PolicyError::InputDimension { expected: 2, got: 3 });
    assert_eq!(soft.probabilities(three, all, &mut pi), dimension);
    let count = |argument, got| Err(PolicyError::ActionCount { argument, expected: 3, got });
    let four = ActionSet::all(4).unwrap();
    assert_eq!(soft.probabilities(two, four, &mut pi), count("the action set", 4));
    assert_eq!(soft.probabilities(two, all, &mut [0.0; 2]), count("probabilities", 2));
    assert_eq!(Uniform::new(3).unwrap().probabilities(two, four, &mut pi), count("the action set", 4));
    assert_eq!(pi, [0.25; 3], "a refused call leaves the slice as it was");
    let log: PolicyError = LogError::NoActions.into();
    assert_eq!(Uniform::new(0), Err(log.clone()));
    assert_eq!(Tabular::new(2, vec![]), Err(log.clone()));
    assert_eq!(MultinomialLogistic::new(2, vec![], vec![]), Err(log));
    let shape = PolicyError::WeightCount { inputs: 2, actions: 2, weights: 3 };
    assert_eq!(MultinomialLogistic::new(2, vec![0.0; 3], vec![0.0; 2]), Err(shape));
    let name = "weight";
    let not_finite = PolicyError::NotFiniteWeight { name, index: 1, value: f64::INFINITY };
    assert_eq!(MultinomialLogistic::new(2, vec![0.0, f64::INFINITY], vec![0.0]), Err(not_finite));
    // Finite weights, finite context, and a product that is not.
    let steep = Softmax::new(MultinomialLogistic::new(1, vec![1e300, 0.0], vec![0.0; 2]).unwrap(), 1.0);
    let answer =
        steep.unwrap().probabilities(Row::dense(&[1e139]).unwrap(), ActionSet::all(2).unwrap(), &mut pi[..2]);
    assert_eq!(answer, Err(PolicyError::NotFiniteScore { action: 0, value: f64::INFINITY }));
}

#[test]
fn policies_come_back_bit_for_bit_and_changed_ones_are_refused() {
    let model = MultinomialLogistic::new(2, vec![0.1, 0.2, 0.1 + 0.2, -1e-300], vec![0.0, 5e-324]).unwrap();
    let policy = EpsilonGreedy::new(Softmax::new(model, 1.5).unwrap(), 0.1).unwrap();
    let text = serde_json::to_string(&policy).unwrap();
    let back: EpsilonGreedy<Softmax<MultinomialLogistic>> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, policy);
    assert_eq!(serde_json::to_string(&back).unwrap(), text);
    for (from, to) in [
        ("\"epsilon\":0.1", "\"epsilon\":1.1"),
        ("\"beta\":1.5", "\"beta\":-1.5"),
        ("\"inputs\":2", "\"inputs\":3"),
        ("\"inputs\":2", "\"inputs\":0"),
        ("\"inputs\":2", "\"inputs\":18446744073709551615"),
        ("[0.0,5e-324]", "[0.0]"),
        ("[0.0,5e-324]", "[]"),
    ] {
        assert!(text.contains(from), "{from} is not in {text}");
        let changed =
            serde_json::from_str::<EpsilonGreedy<Softmax<MultinomialLogistic>>>(&text.replace(from, to));
        assert!(changed.is_err(), "{from} → {to}");
    }
    assert!(serde_json::from_str::<Uniform>("{\"actions\":0}").is_err());
    assert!(serde_json::from_str::<Tabular>("{\"inputs\":1,\"scores\":[]}").is_err());
    let best = Argmax::new(Tabular::new(1, vec![0.5]).unwrap());
    let text = serde_json::to_string(&best).unwrap();
    assert_eq!(serde_json::from_str::<Argmax<Tabular>>(&text).unwrap(), best);
}

/// The shape and the coding that a policy states are those of its scores, whatever is around them, and a
/// policy that knows a dimension refuses rows of another.
#[test]
fn a_policy_has_the_shape_of_its_scores() {
    fn assert_shape(policy: &impl Policy, inputs: Option<usize>) {
        assert_eq!((policy.inputs(), policy.actions()), (inputs, 3));
        let (all, mut pi) = (ActionSet::all(3).unwrap(), [0.0; 3]);
        for m in 1..5 {
            let x = vec![0.5; m];
            let outcome = policy.probabilities(Row::dense(&x).unwrap(), all, &mut pi);
            let expected = match inputs {
                Some(expected) if expected != m => Err(PolicyError::InputDimension { expected, got: m }),
                _ => Ok(()),
            };
            assert_eq!(outcome, expected);
        }
    }
    let table = Tabular::new(4, vec![0.0, 1.0, 2.0]).unwrap();
    let model = MultinomialLogistic::new(2, vec![0.5; 6], vec![0.0; 3]).unwrap();
    assert_shape(&Softmax::new(table.clone(), 2.0).unwrap(), Some(4));
    assert_shape(&Softmax::new(model.clone(), 2.0).unwrap(), Some(2));
    assert_shape(&Argmax::new(model.clone()), Some(2));
    assert_shape(&EpsilonGreedy::new(Argmax::new(table), 0.25).unwrap(), Some(4));
    assert_shape(&EpsilonGreedy::new(Uniform::new(3).unwrap(), 0.25).unwrap(), None);
    assert_shape(&Uniform::new(3).unwrap(), None);
    let greedy = EpsilonGreedy::new(Softmax::new(model.clone(), 2.0).unwrap(), 0.25).unwrap();
    assert_eq!((greedy.epsilon(), greedy.policy().beta(), greedy.policy().scores()), (0.25, 2.0, &model));
    assert_eq!((model.weights(2), model.weights(3)), (Some(&[0.5; 2][..]), None));
    assert_eq!(model.intercepts(), [0.0; 3]);
    assert_eq!((Scores::inputs(&model), Scores::actions(&model)), (2, 3));
}
