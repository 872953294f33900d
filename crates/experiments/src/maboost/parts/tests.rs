//! The size of each part on each set.

use super::*;

#[test]
fn large_sets_have_fewer_trials_of_histories() {
    let size = Size::of(false);
    let of = |part| {
        [Name::Ionosphere, Name::Spambase, Name::Letter, Name::Adult, Name::Census]
            .map(|name| size.trials(part, name, 10))
    };
    assert_eq!(of(Part::Histories), [10, 5, 5, 3, 3]);
    assert_eq!((of(Part::Noise), of(Part::Combined)), ([10; 5], [10; 5]));
    assert_eq!(size.trials(Part::Histories, Name::Spambase, 4), 4);
}

/// Every part has its own rounds, rows and numbers.
#[test]
fn a_trial_has_the_size_and_numbers_of_its_part() {
    let dataset = datasets::load(
        Name::Spambase,
        &datasets::SearchPath::nowhere(),
        datasets::StandIn { seed: 3, rows: Some(300) },
    )
    .unwrap();
    let size = Size {
        histories: [6, 9],
        history_rows: [[120, 30]; 2],
        others: (4, [80, 40]),
        history_trials: [1, 1],
    };
    let run =
        |part: Part, trial| part.run(Name::Spambase, &dataset, Learner::Stumps, &size, 3, trial).unwrap();
    let split = |rows| Split::draw(Name::Spambase, &dataset, rows, 3, 1).unwrap();
    let Outcome::Histories(histories) = run(Part::Histories, 1) else { panic!("no histories") };
    let split_of_histories = split([120, 30]);
    let task = split_of_histories.task(&split_of_histories.truth).unwrap();
    let expected = Method::ALL.map(|method| History::run(method, Learner::Stumps, &task, 6).unwrap());
    assert_eq!(histories, expected);
    assert_ne!(run(Part::Histories, 0), Outcome::Histories(histories), "trials are alike");
    let others = split([80, 40]);
    let noise = noise::errors(&others, Learner::Stumps, 4, 3, 1).unwrap();
    assert_eq!(run(Part::Noise, 1), Outcome::Points(noise));
    let combined = combined::errors(&others, Learner::Stumps, 4, 3, 1).unwrap();
    assert_eq!(run(Part::Combined, 1), Outcome::Points(combined));
}
