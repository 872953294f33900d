//! A policy from a log of bandit feedback, from the CSV to a saved policy that logs its own propensities:
//! read, split, boosted with validation on held-out rows, evaluated with intervals, saved, loaded, played.
//!
//! `cargo run --release -p examples --example policy_from_a_log -- [FILE [COLUMN …]]` takes a file with the
//! columns `action`, `propensity` and `reward`; other columns hold numbers, or labels if named on the command
//! line. Without a file it uses `offers.csv`.

use boosters::Threads;
use boosters::bopl::{
    BoplError, BoplS, PolicyBoosting, PolicyModel, PredictedRewards, RewardRegression, Settings, Validation,
};
use off_policy::estimators::{Bootstrap, EstimatorSettings, OffPolicyEvaluation, OnLog, Resampling};
use off_policy::policies::{Argmax, EpsilonGreedy, Policy};
use off_policy::readers::{CsvColumns, read_csv};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::ops::ControlFlow;
use std::process::ExitCode;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next();
    let (text, columns) = match &file {
        Some(file) => {
            let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
            (text, CsvColumns::default().with_labels(arguments))
        }
        None => {
            println!("No file was named: this is offers.csv, a synthetic log.");
            (include_str!("../offers.csv").to_owned(), CsvColumns::default().with_labels(["device"]))
        }
    };
    let of_file = |error| format!("{}: {error}", file.as_deref().unwrap_or("offers.csv"));
    let read = read_csv(text.as_bytes(), &columns).map_err(of_file)?;
    println!("{} rows; contexts {:?}; actions {:?}", read.log.len(), read.contexts, read.actions);
    // Three parts: for training, for early stopping, and for evaluation.
    let third = 1.0 / 3.0;
    let [learn, validate, evaluate] = read.log.split([third; 3], &mut ChaCha8Rng::seed_from_u64(2))?;

    // Rewards are translated downwards, so that "never shown here" does not look better than "shown and worth
    // little".
    let settings = Settings::builder().translation(-0.2).build()?;
    let growth = PairGrowth::builder().max_depth(4).min_child_weight(20.0).reg_lambda(0.0).build()?;
    let mut run = PolicyBoosting::<BoplS, _>::new(&learn, HistogramPairTree::new(growth), settings)?;
    let mut validation = Validation::builder(&validate).of_argmax().patience(20).build()?;
    let contexts = BinnedContexts::new(learn.contexts().clone())?;
    let why = Threads::all().run(|| {
        run.run_rounds(&contexts, 300, Some(&mut validation), |run, validation| {
            let (round, best) = (run.record().len(), validation.map_or(0, Validation::best_round));
            if round % 20 == 0 {
                let objective = run.objective();
                println!("round {round:3}: objective {objective:8.4}, best on held-out rows so far: {best}");
            }
            ControlFlow::Continue(())
        })
    })??;
    let model = run.model(validation.best_round())?.with_columns(&columns)?;
    println!("{why}; {} of {} trees are kept", model.ensemble().len(), run.ensemble().len());

    // A reward model, from the policy's training rows. DM, DR and SWITCH-DR need it.
    let mut regression = RewardRegression::new(&learn, HistogramPairTree::new(growth), 0.1)?;
    Threads::all().run(|| -> Result<(), BoplError> {
        for _ in 0..100 {
            if regression.round(&contexts)?.is_break() {
                break;
            }
        }
        Ok(())
    })??;
    let predicted = PredictedRewards(regression.ensemble());

    // The value of the policy on unused rows, beside the mean logged reward.
    let policy = Argmax::new(model);
    let logged = evaluate.rewards().iter().sum::<f64>() / evaluate.len() as f64;
    let cut = EstimatorSettings::default().clipped_at(20.0)?;
    let found = OffPolicyEvaluation::of(&evaluate, &policy, Some(&predicted), cut)?;
    let rows = OnLog::new(&evaluate, &policy, Some(&predicted))?;
    let bootstrap = Bootstrap::of(&rows, cut, Resampling { replicates: 999, seed: 7 })?;
    println!("the log earned {logged:.4} a row; the policy is worth");
    for (estimator, estimate) in found.estimates() {
        let interval =
            bootstrap.interval(estimator, 0.05)?.map(|i| format!("[{:.4}, {:.4}]", i.lower, i.upper));
        println!("  {:12} {:.4} {}", estimator.name(), estimate.value, interval.unwrap_or_default());
    }
    for warning in found.warnings() {
        println!("  warning: {warning}");
    }

    // One file; the loaded policy equals the saved one, bit for bit, with its columns, labels and actions.
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("policy.json");
    policy.scores().save(&path)?;
    let model = <PolicyModel>::load(&path)?;
    assert_eq!(&model, policy.scores());

    // Play with a little exploration: the next log has propensities again.
    let policy = EpsilonGreedy::new(Argmax::new(model), 0.1)?;
    let (mut rng, mut probabilities) = (ChaCha8Rng::seed_from_u64(3), vec![0.0; policy.actions()]);
    for row in evaluate.iter().take(3) {
        let (action, propensity) = policy.sample(row.context, row.on_offer, &mut probabilities, &mut rng)?;
        println!("plays {} with propensity {propensity:.3}", read.actions[action]);
    }
    // On the synthetic log the best action is worth 0.7, the logging policy 0.3.
    assert!(file.is_some() || found.ips.value > logged + 0.2);
    Ok(())
}
