//! A trial has its own examples, labelled by the source, with the stated label noise.

use super::*;
use weak_learners::Label::{Minus, Plus};

fn stream(source: Source, label_flips: LabelFlips, trial: u64) -> Stream {
    let real = source.load(&SearchPath::nowhere(), 3, Some(1_000)).unwrap();
    source.stream(real.as_ref(), label_flips, 500, 3, trial).unwrap()
}

fn turned(clean: &Stream, told: &Stream) -> Vec<usize> {
    (0..clean.labels.len()).filter(|&t| clean.labels[t] != told.labels[t]).collect()
}

#[test]
fn trials_have_examples_and_flips_of_their_own() {
    for source in
        [Source::Real(Name::Adult), Source::OneStump, Source::HalfSpace, Source::Jumps, Source::Turns]
    {
        let clean = [0, 1].map(|trial| stream(source, LabelFlips::Noise(0.0), trial));
        let told = [0, 1].map(|trial| stream(source, LabelFlips::Noise(0.2), trial));
        assert!(clean[0].rows.iter().zip(clean[1].rows.iter()).any(|(a, b)| a != b), "{source}");
        let flips = [turned(&clean[0], &told[0]), turned(&clean[1], &told[1])];
        assert!(flips[0].len() > 50 && flips[1].len() > 50 && flips[0] != flips[1], "{source}");
        // Less noise turns some of the same labels.
        let fewer = turned(&clean[0], &stream(source, LabelFlips::Noise(0.1), 0));
        assert!(fewer.len() > 20 && fewer.iter().all(|t| flips[0].contains(t)), "{source}");
    }
}

#[test]
fn blocks_are_the_last_of_every_200() {
    let clean = stream(Source::FiveStumps, LabelFlips::Noise(0.0), 0);
    let told = stream(Source::FiveStumps, LabelFlips::Blocks(40), 0);
    assert!(turned(&clean, &told).into_iter().eq((0..clean.labels.len()).filter(|t| t % 200 >= 160)));
}

/// The fifth of all labels that the best stump of the clean stream classifies correctly and furthest from its
/// threshold.
#[test]
fn the_surest_flips_are_where_the_best_stump_is_right_and_far_from_its_threshold() {
    for source in [Source::OneStump, Source::HalfSpace] {
        let clean = stream(source, LabelFlips::Noise(0.0), 0);
        let told = stream(source, LabelFlips::Surest(0.2), 0);
        let (stump, _) = best_stump(&clean.rows, &clean.labels, &clean.class).unwrap();
        let (j, theta) = stump.split().unwrap();
        let sure: Vec<f64> = clean
            .rows
            .iter()
            .zip(&clean.labels)
            .map(|(x, y)| y.sign() * stump.polarity().sign() * (x.get(j).unwrap() - theta))
            .collect();
        let turned = turned(&clean, &told);
        assert_eq!(turned.len(), clean.labels.len() / 5);
        let least = turned.iter().map(|&t| sure[t]).fold(f64::INFINITY, f64::min);
        let most = (0..sure.len()).filter(|t| !turned.contains(t)).map(|t| sure[t]).fold(f64::MIN, f64::max);
        assert!(least > 0.0 && least >= most, "{source}: {least} {most}");
    }
}

/// +1 for the second class of a real set, and for A to M of the letters.
#[test]
fn labels_are_those_of_the_source_in_the_order_of_the_trial() {
    for name in [Name::Adult, Name::Letter] {
        let source = Source::Real(name);
        let real = source.load(&SearchPath::nowhere(), 3, Some(1_000)).unwrap().unwrap();
        let datasets::Targets::Classes { indices, .. } = &real.targets else { panic!("no classes") };
        let found = source.stream(Some(&real), LabelFlips::Noise(0.0), 500, 3, 1).unwrap();
        // A tenth of 1,000 rows is set aside.
        let order = &permutation(1_000, 3, 1).unwrap()[100..600];
        let plus = |class: u32| if name == Name::Letter { class < 13 } else { class == 1 };
        let expected = order.iter().map(|&i| if plus(indices[i]) { Plus } else { Minus });
        assert!(expected.eq(found.labels.iter().copied()), "{name}");
    }
}

/// The true labels of a drawn source: for one-stump, one stump is right everywhere, up to its position
/// between thresholds; for the others no stump is.
#[test]
fn sources_have_the_stated_labels() {
    let share = |source: Source| {
        let found = source.stream(None, LabelFlips::Noise(0.0), 2_000, 3, 0).unwrap();
        let (_, gain) = best_stump(&found.rows, &found.labels, &found.class).unwrap();
        0.5 + 0.5 * gain as f64 / found.labels.len() as f64
    };
    assert!(share(Source::OneStump) > 0.9, "{}", share(Source::OneStump));
    for source in [Source::FiveStumps, Source::HalfSpace, Source::Jumps, Source::Turns] {
        assert!((0.5..0.9).contains(&share(source)), "{source}: {}", share(source));
    }
    // Drifting sources change: the best stump of the first tenth is worse on the last tenth.
    for source in [Source::Jumps, Source::Turns] {
        let found = source.stream(None, LabelFlips::Noise(0.0), 2_000, 3, 0).unwrap();
        let (stump, _) = best_stump(&found.rows, &found.labels[..200], &found.class).unwrap();
        let right = |from: usize| {
            let part = found.rows.iter().zip(&found.labels).skip(from).take(200);
            part.filter(|(x, y)| stump.vote(*x).unwrap() == **y).count()
        };
        assert!(right(0) > right(1_800) + 20, "{source}: {} {}", right(0), right(1_800));
    }
}
