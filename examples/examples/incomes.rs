//! Who earns more than 50,000 dollars a year? AdaBoost of small trees on the adult census, from the files to
//! a saved model: trained with early stopping, truncated to its best round, saved, loaded and tested, with
//! its margins.
//!
//! Without the official files (`cargo xtask data fetch`) it runs on a synthetic stand-in, which its output
//! states.

use boosters::maboost::{
    AdaBoost, BoostingRun, Ensemble, Examples, MarginDistribution, Stopping, Validation, Watch,
};
use boosters::saved::{load, save};
use datasets::{Name, SearchPath, StandIn, load as load_data, permutation, signs};
use rows::RowMatrix;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use weak_learners::Label;
use weak_learners::batch::{BinnedColumns, BinnedTree, LeafAnswer, Tree};

fn main() -> Result<(), Box<dyn Error>> {
    let stand_in = StandIn { seed: 1, rows: Some(10_000) };
    let adult = load_data(Name::Adult, &SearchPath::from_environment(None)?, stand_in)?;
    println!("adult: {} people, {}", adult.len(), adult.provenance);
    let earns_more = signs(&adult.targets, &[1])?;
    let part = |rows: &[usize]| -> Result<(RowMatrix, Vec<Label>), Box<dyn Error>> {
        let dense = rows.iter().filter_map(|&i| adult.features.row(i)).flat_map(|x| x.to_dense()).collect();
        let labels = rows.iter().map(|&i| Label::new(earns_more[i])).collect::<Result<_, _>>()?;
        Ok((RowMatrix::dense(adult.features.dimension(), dense)?, labels))
    };
    let order = permutation(adult.len(), 1, 0)?;
    let (learn, rest) = order.split_at(adult.len() * 6 / 10);
    let (validate, test) = rest.split_at(rest.len() / 2);
    let ((rows, labels), (later_rows, later_labels), (test_rows, test_labels)) =
        (part(learn)?, part(validate)?, part(test)?);

    // Columns are binned once; validation and test rows use the same bins.
    let sample = BinnedColumns::new(rows)?;
    let (later, unseen) = (sample.binned_like(later_rows)?, sample.binned_like(test_rows)?);
    let examples = Examples::uniform(labels)?;
    let ada = AdaBoost::new(&examples)?;
    let learner = BinnedTree::new(3, LeafAnswer::Sign, 0.0)?;
    let mut run = BoostingRun::new(examples, learner.clone(), ada)?;

    let mut validation = Validation::new(Examples::uniform(later_labels)?, 50)?;
    let began = Instant::now();
    let mut clock = || began.elapsed();
    let mut progress = |run: &BoostingRun<_, _>, seen: Option<&Validation>| {
        let (round, best) = (run.record().len(), seen.map_or(1.0, Validation::best_error));
        if round % 50 == 0 {
            println!(
                "round {round:4}   training {:5.2}%   best validation {:5.2}%",
                100.0 * run.error(),
                100.0 * best
            );
        }
        ControlFlow::Continue(())
    };
    let watch = Watch::default()
        .validating(&mut validation, &later)
        .within(Duration::from_secs(60), &mut clock)
        .showing(&mut progress);
    let why = run.run_watched(&sample, &Stopping::after(1000).at_error(0.01)?, watch)?;
    println!("stopped after {} rounds: {why}; round {} is kept", run.record().len(), validation.best_round());

    let folder = tempfile::tempdir()?;
    let path = folder.path().join("incomes.json");
    save(&path, "maboost-ensemble", &run.into_ensemble().truncated(validation.best_round()))?;
    let model: Ensemble<Tree> = load(&path, "maboost-ensemble")?;

    let test = Examples::uniform(test_labels)?;
    let margins = MarginDistribution::new(&model.margins(&learner, &unseen, test.labels())?, &test)?;
    println!("test error {:.2}%, margins:", 100.0 * margins.share_at_most(0.0));
    for percent in [5, 25, 50, 75, 95] {
        println!(
            "  {percent:2}% of the people at most {:6.3}",
            margins.quantile(f64::from(percent) / 100.0)?
        );
    }
    Ok(())
}
