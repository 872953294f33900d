//! What to show to whom? A policy from a log of what was shown before, from the CSV to a saved policy that logs its own
//! propensities: read, split, boosted with validation on held-out rows, evaluated with intervals, saved, loaded, played.
//!
//! `cargo run --release -p examples --example policy_from_a_log -- [FILE [COLUMN …]]` takes a file with the columns
//! `action`, `propensity` and `reward`, and numbers beside them, or labels in the columns that are named; without a file it makes a log
//! up and says so.

use boosters::bopl::{BoplS, PolicyBoosting, PolicyEnsemble, Settings, Smoothness, Step, Validation};
use boosters::saved::{load, save};
use off_policy::estimators::{
    Bootstrap, Estimator, EstimatorSettings, OffPolicyEvaluation, OnLog, ZeroModel,
};
use off_policy::policies::{Argmax, EpsilonGreedy, Policy};
use off_policy::readers::{
    ActionCoding, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, Outcome, read_csv,
};
use off_policy::{Log, Rewards};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::error::Error;
use std::ops::ControlFlow;
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, PairTree};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next();
    let is_made_up = file.is_none();
    let (text, of_labels) = match file {
        Some(file) => (std::fs::read_to_string(file)?, arguments.collect()),
        None => (made_up(), vec!["device".to_owned()]),
    };
    let category = |column| CategoryColumn { column, labels: CategoryLabels::Appearance };
    let columns = CsvColumns {
        contexts: ContextColumns::Remaining,
        categories: of_labels.into_iter().map(category).collect(),
        action: "action".into(),
        coding: ActionCoding::Appearance,
        on_offer: None,
        propensity: "propensity".into(),
        outcome: Outcome::Reward("reward".into()),
    };
    let read = read_csv(text.as_bytes(), &columns)?;
    println!("{} rows; contexts {:?}; actions {:?}", read.log.len(), read.contexts, read.actions);
    // Three parts by row: to learn from, to stop at the right round, to say what the policy is worth.
    let [learn, validate, evaluate] = [0, 1, 2].map(|part| every_third(&read.log, part));
    let (learn, validate, evaluate) = (learn?, validate?, evaluate?);

    let contexts = BinnedContexts::new(learn.contexts().clone())?;
    let learner = HistogramPairTree::new(PairGrowth::new(4, 20.0, 0.0)?);
    // Rewards are translated downwards, so that "never shown here" does not look better than "shown and worth little".
    let settings = Settings::new(-0.2, 0.0, Step::Closed(Smoothness::Sharp))?;
    let mut run = PolicyBoosting::<BoplS, _>::new(&learn, learner, settings)?;
    let mut validation = Validation::new(&validate, Estimator::Snips, None::<&ZeroModel>, 20)?.of_argmax();
    let why = run.run_rounds(&contexts, 300, Some(&mut validation), |run, validation| {
        let (round, best) = (run.record().len(), validation.map_or(0, Validation::best_round));
        if round % 20 == 0 {
            println!(
                "round {round:3}: objective {:8.4}, best on held-out rows so far: {best}",
                run.objective()
            );
        }
        ControlFlow::Continue(())
    })?;
    let best = run.ensemble().prefix(validation.best_round());
    println!("stopped by {why:?}; {} of {} trees are kept", best.len(), run.ensemble().len());

    // What it is worth, on rows that had no part in it, beside what was logged.
    let policy = Argmax::new(best);
    let logged = evaluate.rewards().iter().sum::<f64>() / evaluate.len() as f64;
    let cut = EstimatorSettings::default().clipped_at(20.0)?;
    let found = OffPolicyEvaluation::of(&evaluate, &policy, None::<&ZeroModel>, cut)?;
    let bootstrap = Bootstrap::of(&OnLog::new(&evaluate, &policy, None::<&ZeroModel>)?, cut, 999, 7)?;
    println!("the log earned {logged:.4} a row; the policy is worth");
    for (estimator, estimate) in found.estimates() {
        let interval =
            bootstrap.interval(estimator, 0.05)?.map(|i| format!("[{:.4}, {:.4}]", i.lower, i.upper));
        println!("  {:12} {:.4} {}", estimator.name(), estimate.value, interval.unwrap_or_default());
    }
    for warning in found.warnings() {
        println!("  warning: {warning}");
    }

    // One file; what is loaded is the policy that was saved, bit for bit.
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("policy.json");
    save(&path, "policy", policy.scores())?;
    let loaded: PolicyEnsemble<PairTree> = load(&path, "policy")?;
    assert_eq!(&loaded, policy.scores());

    // Play with a little exploration: the next log has propensities again.
    let policy = EpsilonGreedy::new(Argmax::new(loaded), 0.1)?;
    let (mut rng, mut probabilities) = (ChaCha8Rng::seed_from_u64(3), vec![0.0; read.actions.len()]);
    for row in evaluate.iter().take(3) {
        let (action, propensity) = policy.sample(row.context, row.on_offer, &mut probabilities, &mut rng)?;
        println!("plays {} with propensity {propensity:.3}", read.actions[action]);
    }
    // On the made-up log the best action is worth 0.7, the logging policy 0.3.
    assert!(!is_made_up || found.ips.value > logged + 0.2);
    Ok(())
}

/// Rows `part`, `part` + 3, `part` + 6, …
fn every_third(log: &Log, part: usize) -> Result<Log, Box<dyn Error>> {
    let rows: Vec<usize> = (part..log.len()).step_by(3).collect();
    let of = |values: &[f64]| rows.iter().map(|i| values[*i]).collect::<Vec<f64>>();
    let contexts = log.contexts().select(rows.iter().copied())?;
    let actions = rows.iter().map(|i| log.logged_actions()[*i]).collect();
    let (propensities, rewards) = (of(log.propensities()), Rewards(of(log.rewards())));
    Ok(Log::new(contexts, log.actions(), actions, propensities, rewards)?)
}

/// Three offers, of which one pays with probability 0.7 and the others with 0.1: which one it is depends on age, income and
/// device. The logging policy prefers the second.
fn made_up() -> String {
    println!("No file was named: this log is made up.");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut text = String::from("age,income,device,action,propensity,reward\n");
    for _ in 0..9000 {
        let (age, income) = (18.0 + 60.0 * rng.random::<f64>(), 100.0 * rng.random::<f64>());
        let device = ["phone", "tablet", "watch"][rng.random_range(0..3)];
        let best = if age < 35.0 { 0 } else { 1 + usize::from(income < 40.0 || device == "watch") };
        let (shown, p) = match rng.random::<f64>() {
            u if u < 0.5 => (1, 0.5),
            u if u < 0.75 => (0, 0.25),
            _ => (2, 0.25),
        };
        let pays = rng.random::<f64>() < if shown == best { 0.7 } else { 0.1 };
        let offer = ["music", "travel", "tools"][shown];
        text.push_str(&format!("{age:.1},{income:.1},{device},{offer},{p},{}\n", u8::from(pays)));
    }
    text
}
