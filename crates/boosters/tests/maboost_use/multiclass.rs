//! Many classes: the theorem in every round, letters, saved runs, threads.

use crate::tasks::Letters;
use boosters::maboost::{
    AdaBoost, BoostError, BoostStop, BoostingRun, ClassExamples, Decoding, Examples, Multiclass,
    MulticlassVote, OutputCode, Stopping,
};
use boosters::saved::{load, save};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use serde_json::json;
use weak_learners::batch::{BinnedStump, BinnedTree, Hypothesis, LeafAnswer, Stump, WeakLearner};
use weak_learners::{Label, LearnerError};

type Column<W> = BoostingRun<W, AdaBoost>;

fn ada<W: WeakLearner + Clone>(learner: &W, column: Examples) -> Result<Column<W>, BoostError> {
    let ada = AdaBoost::new(&column)?;
    BoostingRun::new(column, learner.clone(), ada)
}

fn random_code(columns: usize, least_distance: f64) -> OutputCode {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    OutputCode::random_dense(26, columns, least_distance, &mut rng).unwrap()
}

fn percent_wrong(answers: &[u32], truth: &[u32]) -> f64 {
    let wrong = answers.iter().zip(truth).filter(|(a, b)| a != b).count();
    100.0 * wrong as f64 / truth.len() as f64
}

/// [ASS00, Theorem 1] after every round, uniform and weighted, for codes with and without zeros; and the
/// bits' losses by hand.
#[test]
fn the_error_is_at_most_what_the_columns_pay() {
    let letters = Letters::load(600, 1);
    let weights: Vec<f64> = (0..600).map(|i| f64::from(i % 3)).collect();
    let sparse = OutputCode::random_sparse(26, 40, 4.0, &mut ChaCha8Rng::seed_from_u64(6)).unwrap();
    for code in [OutputCode::one_vs_rest(26).unwrap(), random_code(30, 5.0), sparse] {
        for examples in [
            ClassExamples::uniform(letters.classes.clone()).unwrap(),
            ClassExamples::weighted(letters.classes.clone(), &weights).unwrap(),
        ] {
            let learner = BinnedStump::default();
            let mut boosting =
                Multiclass::new(code.clone(), &examples, |_, column| ada(&learner, column)).unwrap();
            for rounds in 1..=8 {
                boosting.run(&letters.sample, &Stopping::after(rounds)).unwrap();
                let vote = boosting.clone().into_vote();
                for by in [Decoding::Hamming, Decoding::Exponential, Decoding::Linear] {
                    let got = vote.assess(&learner, &letters.sample, &examples, by).unwrap();
                    let Some(bound) = got.bound else {
                        assert_eq!(by, Decoding::Linear);
                        continue;
                    };
                    assert!(got.error <= bound + 1e-9, "{by:?}: {} > {bound}", got.error);
                    if by == Decoding::Hamming {
                        let sum: f64 = got.column_losses.iter().sum();
                        assert!((bound - 2.0 * sum / code.least_distance()).abs() < 1e-9);
                        assert_bit_errors(&boosting, &examples, &got.column_losses);
                    }
                }
            }
        }
    }
}

/// e_l ≤ (1 − z_l)ε_l + z_l/2 for the run's own error ε_l and the share z_l of examples with a 0; equal where
/// no score is 0, which the run counts as an error and a sign does not.
fn assert_bit_errors(boosting: &Multiclass<Column<BinnedStump>>, examples: &ClassExamples, losses: &[f64]) {
    for (l, (run, loss)) in boosting.columns().iter().zip(losses).enumerate() {
        let bits = examples.classes().iter().map(|class| boosting.code().row(*class as usize)[l]);
        let zeros: f64 = bits.zip(examples.shares()).filter(|(bit, _)| *bit == 0).map(|(_, d)| d).sum();
        let expected = (1.0 - zeros) * run.error() + zeros / 2.0;
        assert!(*loss <= expected + 1e-9, "column {l}: {loss}, {expected}");
        if run.margins().iter().all(|margin| *margin != 0.0) {
            assert!((loss - expected).abs() < 1e-9, "column {l}: {loss}, {expected}");
        }
    }
}

/// On letters the test error of both kinds of code is far below that of one tree a column, and boosting is
/// what does it.
#[test]
fn letters_are_learnt_by_either_code() {
    let letters = Letters::load(3000, 2000);
    let examples = ClassExamples::uniform(letters.classes.clone()).unwrap();
    let tree = BinnedTree::new(6, LeafAnswer::Mean, 0.0).unwrap();
    for code in [OutputCode::one_vs_rest(26).unwrap(), random_code(47, 12.0)] {
        let columns = code.columns();
        let mut boosting = Multiclass::new(code, &examples, |_, column| ada(&tree, column)).unwrap();
        let stops = boosting.run(&letters.sample, &Stopping::after(30)).unwrap();
        assert!(stops.iter().all(|stop| [BoostStop::Rounds, BoostStop::Perfect].contains(stop)), "{stops:?}");
        let vote = boosting.into_vote();
        let wrong = |vote: &MulticlassVote<_>, by| {
            percent_wrong(&vote.classes(&tree, &letters.others, by).unwrap(), &letters.other_classes)
        };
        let single = wrong(&vote.clone().truncated(1), Decoding::Linear);
        let by = [Decoding::Hamming, Decoding::Linear, Decoding::Exponential];
        let boosted = by.map(|by| wrong(&vote, by));
        eprintln!("letter, {columns} columns: one tree a column {single:.1}%, 30 rounds {boosted:.1?}%");
        // A stand-in imitates the shape of the data and no more.
        if letters.is_official {
            assert!(
                boosted[1] < 0.6 * single && boosted[1] < 16.0,
                "{columns} columns: {boosted:?} {single}"
            );
        }
        for (x, class) in
            letters.others.matrix().iter().zip(vote.classes(&tree, &letters.others, by[2]).unwrap()).take(50)
        {
            assert_eq!(vote.class(x, by[2]), Ok(class));
        }
    }
}

fn small() -> (Letters, ClassExamples, Multiclass<Column<BinnedStump>>) {
    let letters = Letters::load(300, 1);
    let examples = ClassExamples::balanced(letters.classes.clone()).unwrap();
    let new = |_, column| ada(&BinnedStump::default(), column);
    let boosting = Multiclass::new(OutputCode::one_vs_rest(26).unwrap(), &examples, new).unwrap();
    (letters, examples, boosting)
}

fn text<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

#[test]
fn a_multi_class_run_is_saved_continued_and_shared_among_threads() {
    let (letters, _, mut whole) = small();
    let (folder, mut threaded) = (tempfile::tempdir().unwrap(), whole.clone());
    let path = folder.path().join("letters.json");
    whole.run(&letters.sample, &Stopping::after(4)).unwrap();
    save(&path, "maboost-multiclass", &whole).unwrap();
    let mut loaded: Multiclass<Column<BinnedStump>> = load(&path, "maboost-multiclass").unwrap();
    let stopping = Stopping::after(10);
    let stops = whole.run(&letters.sample, &stopping).unwrap();
    assert_eq!(loaded.run(&letters.sample, &stopping).unwrap(), stops);
    assert_eq!(text(&loaded), text(&whole));

    std::thread::scope(|scope| {
        for run in threaded.columns_mut() {
            let sample = &letters.sample;
            scope.spawn(move || run.run(sample, &stopping).unwrap());
        }
    });
    assert_eq!(text(&threaded), text(&whole));

    let vote = whole.into_vote();
    save(&path, "maboost-vote", &vote).unwrap();
    assert_eq!(load::<MulticlassVote<Stump>>(&path, "maboost-vote").unwrap(), vote);
    let (run, vote) = (serde_json::to_value(&loaded).unwrap(), serde_json::to_value(&vote).unwrap());
    let fewer = text(&OutputCode::one_vs_rest(25).unwrap());
    let fewer: serde_json::Value = serde_json::from_str(&fewer).unwrap();
    let with = |state: &serde_json::Value, key: &str, value: serde_json::Value| {
        let mut other = state.clone();
        *other.pointer_mut(key).unwrap() = value;
        other
    };
    let load_run = |state| serde_json::from_value::<Multiclass<Column<BinnedStump>>>(state);
    assert!(load_run(run.clone()).is_ok() && load_run(with(&run, "/code", fewer.clone())).is_err());
    let load_vote = |state| serde_json::from_value::<MulticlassVote<Stump>>(state);
    assert!(load_vote(with(&vote, "/code", fewer)).is_err());
    let stumps = vote["ensembles"][3]["hypotheses"].as_array().unwrap().iter();
    let wide: Vec<_> = stumps.map(|stump| with(stump, "/inputs", json!(99))).collect();
    assert!(load_vote(with(&vote, "/ensembles/3/hypotheses", json!(wide))).is_err(), "rows of 99 values");
}

#[test]
fn what_does_not_fit_is_refused() {
    let (letters, examples, mut boosting) = small();
    boosting.run(&letters.sample, &Stopping::after(1)).unwrap();
    let (vote, learner, by) = (boosting.into_vote(), BinnedStump::default(), Decoding::Hamming);
    let few = ClassExamples::uniform(vec![0; 299]).unwrap();
    let length = LearnerError::LengthMismatch { argument: "classes", expected: 300, got: 299 };
    assert_eq!(vote.assess(&learner, &letters.sample, &few, by), Err(length.into()));
    let stray = ClassExamples::uniform(vec![26; 300]).unwrap();
    assert!(matches!(vote.assess(&learner, &letters.sample, &stray, by), Err(BoostError::Code(_))));
    assert!(vote.scores(letters.sample.matrix().row(0).unwrap(), &mut [0.0; 25]).is_err());
    assert!(vote.class(Row::dense(&[1.0]).unwrap(), by).is_err());
    let line = weak_learners::batch::BinnedColumns::new(RowMatrix::dense(1, vec![1.0]).unwrap()).unwrap();
    assert!(vote.classes(&learner, &line, by).is_err());
    assert!(vote.assess(&learner, &letters.sample, &examples, by).is_ok());

    let constant = |inputs| {
        let stump = Stump::constant(inputs, Label::Plus).unwrap();
        assert_eq!(stump.inputs(), inputs);
        boosters::maboost::Ensemble::new(vec![stump], vec![1.0]).unwrap()
    };
    let code = || OutputCode::one_vs_rest(2).unwrap();
    assert!(MulticlassVote::new(code(), vec![constant(2), constant(2)]).is_ok());
    assert!(MulticlassVote::new(code(), vec![constant(2), constant(3)]).is_err());
    assert!(MulticlassVote::new(code(), vec![constant(2)]).is_err());
}
