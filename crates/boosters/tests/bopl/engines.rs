//! Histogram trees against exact ones: nearly the same objective, after twenty rounds of either.

use crate::logs::{Reward, Task};
use boosters::bopl::{BoplS, PolicyBoosting, Settings, Smoothness, Step};
use datasets::{ClassificationName, SearchPath, Split, StandIn, load_classification};
use off_policy::policies::Uniform;
use off_policy::{LabelSets, Log, RewardStructure, to_bandit};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;
use std::io::Write as _;
use weak_learners::batch::SortedColumns;
use weak_learners::pairs::{BinnedContexts, ExactPairTree, HistogramPairTree, PairGrowth, PairLearner};

/// The objective before the first and after the twentieth round of BOPL-S-regr.
fn objectives<L: PairLearner>(log: &Log, contexts: &L::Contexts, learner: L) -> [f64; 2] {
    let settings = Settings::new(-0.2, 0.0, Step::Closed(Smoothness::Paper)).unwrap();
    let mut run = PolicyBoosting::<BoplS, L>::new(log, learner, settings).unwrap();
    let start = run.objective();
    (0..20).for_each(|_| assert!(run.round(contexts).unwrap().is_continue()));
    [start, run.objective()]
}

/// Up to this share of what the exact trees gain.
fn reaches_the_exact_one(what: &str, log: &Log, growth: PairGrowth, share: f64) {
    let sorted = SortedColumns::new(log.contexts().clone()).unwrap();
    let binned = BinnedContexts::new(log.contexts().clone()).unwrap();
    let [start, exact] = objectives(log, &sorted, ExactPairTree::new(growth));
    let [_, found] = objectives(log, &binned, HistogramPairTree::new(growth));
    assert!(exact < start, "{what}: {start}, then {exact}");
    assert!(
        (found - exact).abs() <= share * (start - exact),
        "{what}: {start}, then {exact}, binned {found}"
    );
}

/// The log of a uniform policy on the log's rows of trial 0, of 59 of its columns. The aim is a hundredth; where 1,387
/// different values share 256 bins it was 1.3% when this was written, and nothing below 2% is claimed.
#[test]
fn on_scene() {
    let search = SearchPath::from_environment(None).unwrap();
    let name = ClassificationName::Scene;
    let data = load_classification(name, &search, StandIn { seed: 1, rows: Some(2000) }).unwrap();
    if data.provenance.to_string() != "official files" {
        let what = format!("REDUCED: {name} is not here, the check runs on its {}", data.provenance);
        let _ = writeln!(std::io::stderr(), "{what}");
    }
    let rows = Split::new(name.split_plan(data.len()), data.len(), 1, 0).unwrap().target;
    let all = data.contexts.select(rows.iter().copied()).unwrap();
    let values = all.iter().flat_map(|x| x.to_dense().into_iter().step_by(5).collect::<Vec<f64>>());
    let values: Vec<f64> = values.collect();
    let contexts = RowMatrix::dense(values.len() / rows.len(), values).unwrap();
    let labels = data.labels.select(rows.iter().copied()).unwrap();
    let classes = labels.classes();
    let labels = LabelSets::new(classes, labels.iter()).unwrap();
    let structure = RewardStructure::one_of_the_labels(classes).unwrap();
    let policy = Uniform::new(classes).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let log = to_bandit(contexts, &labels, &structure, &policy, &mut rng).unwrap();
    // Those of [L23, Table 5].
    reaches_the_exact_one("scene", &log, PairGrowth::new(10, 60.0, 0.0).unwrap(), 0.02);
}

#[test]
fn on_letter() {
    let log = Task::letters(400).log(Reward::Partial, 1);
    // A column of the official file has sixteen values; one of the stand-in has 400, which share 256 bins.
    let share = if Task::has_letters() { 1e-9 } else { 0.1 };
    reaches_the_exact_one("letter", &log, PairGrowth::new(6, 10.0, 0.0).unwrap(), share);
}
