//! The record, the page, and the metrics of tables and figures.

use super::figures::plots;
use super::history::History;
use super::measured::{Measured, Read, by_task};
use super::paper::Printed;
use super::search::{TRIALS, TRIED};
use super::task_name::TaskName;
use super::{Options, curves, tables};
use crate::runner::{ExperimentError, Output, Report};
use report::record::{PaperRow, Provenance, Record, Trial};
use report::table::Table;

/// The mean reward of the argmax policy on test rows, or of the stochastic logging policy.
pub(super) const TEST_REWARD: &str = "test reward";
/// The direct method's estimate of the test reward.
pub(super) const DIRECT_METHOD: &str = "direct method";
/// Half the length of an interval printed in the paper.
const HALF_WIDTH: &str = "test reward, half of the 95% interval";

pub(super) fn write(
    record: &Record,
    measured: &[Measured],
    options: &Options,
) -> Result<Report, ExperimentError> {
    let title = format!("Boosted off-policy learning, measured: {}, seed {}", options.kind(), record.seed);
    let mut output = Output::of(record, options, &title)?;
    let mut show = |heading: &str, tables: Vec<Table>| {
        if !tables.is_empty() {
            output.section(heading, &tables);
        }
    };
    show(
        "Reward on test rows, beside [L23, Table 1]",
        tables::rewards(measured, options.quick, &options.plan.peers)?,
    );
    show("The direct method against the truth, beside [L23, Table 2]", tables::direct_method(measured)?);
    show("What AutoPolicy chose, and what it said of its choice", tables::choices(measured)?);
    show("Logging policies", tables::logging(measured)?);
    show("Hyper-parameters", tables::parameters(measured)?);
    let broken = guarantees(measured);
    output.say(&broken);
    let hyper = if options.plan.search_parameters {
        format!(
            "the best on validation rows of {TRIED} configurations a method, that of [L23, Table 5] and others drawn from \
             the ranges of [L23, Table 4], each tried in {TRIALS} trials at most"
        )
    } else {
        "those of [L23, Table 5]".to_owned()
    };
    let of_task = |(task, methods): (TaskName, Vec<&Measured>)| {
        format!("{task} {}", methods.first().map_or(0, |one| one.trials.len()))
    };
    let trials: Vec<String> = by_task(measured).into_iter().map(of_task).collect();
    output.line(format_args!(
        "\nMeans over the trials ± half the length of their 95% interval, Student's. Trials: {}. Ours lies within, \
         above or below the interval that the paper prints: our mean is compared, and not our interval. {}Hyper-parameters are \
         {hyper}. Means by \
         round: [bopl-curves.csv](bopl-curves.csv). {broken} The rounds took {:.0} s on all threads together, commit {}.",
        trials.join(", "),
        of_altered_rows(measured),
        record.seconds,
        record.commit
    ));
    output.file("-curves.csv", curves::curves(measured));
    for (ending, plot) in plots(measured)? {
        output.file(&format!("-{ending}.svg"), plot);
    }
    output.write()
}

/// What the label of altered rows means, if any row of a table has it.
fn of_altered_rows(measured: &[Measured]) -> String {
    let is_altered = |one: &Measured| one.provenance == Provenance::Altered;
    let whose = |(task, methods): (TaskName, Vec<&Measured>)| {
        let rows = task.altered_rows().filter(|_| methods.into_iter().any(is_altered))?;
        Some(format!("Altered rows of {task} are rows {rows}. "))
    };
    let altered: String = by_task(measured).into_iter().filter_map(whose).collect();
    if altered.is_empty() {
        return altered;
    }
    altered + "The paper's figures beside them may be of other rows, so where ours lies is not said. "
}

/// The number of rounds with a theorem, and the number that violate it.
fn guarantees(measured: &[Measured]) -> String {
    let counted = |of: fn(&History) -> u32| -> u64 {
        let boosted = measured.iter().filter(|one| one.method.is_boosted());
        boosted.flat_map(|one| &one.trials).map(|history| u64::from(of(history))).sum()
    };
    format!(
        "{} rounds of boosted off-policy learning; the objective fell by less than guaranteed in {} of them and was above \
         the bound of [L23, Theorem 1] after {}.",
        counted(|history| history.rounds),
        counted(|history| history.short_of_the_decrease),
        counted(|history| history.above_the_bound),
    )
}

/// The numbers of a history that the record keeps.
const KEPT: [(&str, Read); 6] = [
    (TEST_REWARD, |history| Some(history.reward)),
    (DIRECT_METHOD, |history| history.direct_method),
    ("rounds", |history| Some(f64::from(history.rounds))),
    ("rounds short of the decrease", |history| Some(f64::from(history.short_of_the_decrease))),
    ("rounds above the bound", |history| Some(f64::from(history.above_the_bound))),
    ("seconds a round", |history| (history.rounds > 0).then(|| history.seconds / f64::from(history.rounds))),
];

/// The record's trials of one method on one task.
pub(super) fn trials(one: &Measured, seed: u64) -> Vec<Trial> {
    let mut all = Vec::new();
    for (trial, history) in (0..).zip(&one.trials) {
        let settings = serde_json::to_value(one.parameters).unwrap_or_default();
        for (metric, value) in KEPT.iter().filter_map(|(metric, read)| Some((*metric, read(history)?))) {
            all.push(Trial {
                dataset: one.task.to_string(),
                method: one.method.to_string(),
                metric: metric.to_owned(),
                trial,
                seed,
                value,
                settings: settings.clone(),
                provenance: one.provenance,
            });
        }
    }
    all
}

/// The paper's number for the method and task.
pub(super) fn paper(one: &Measured) -> Vec<PaperRow> {
    let Some(printed) = Printed::table_1(one.method, one.task) else { return Vec::new() };
    let row = |metric: &str, mean| PaperRow {
        dataset: one.task.to_string(),
        method: one.method.to_string(),
        metric: metric.to_owned(),
        mean,
        std: None,
    };
    vec![row(TEST_REWARD, printed.mean), row(HALF_WIDTH, printed.half_width)]
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{history, measured};
    use super::super::methods::Method;
    use super::*;
    use TaskName::{Scene, Tmc};

    fn broken(rounds: u32, short_of_the_decrease: u32, above_the_bound: u32) -> History {
        History { rounds, short_of_the_decrease, above_the_bound, ..history(0.5) }
    }

    #[test]
    fn the_violations_of_all_boosted_runs_are_summed() {
        let found = guarantees(&[
            measured(Scene, Method::BoplRegr, vec![broken(10, 1, 0), broken(20, 0, 16)]),
            measured(Scene, Method::BrrGb, vec![broken(100, 100, 100)]),
            measured(Tmc, Method::LineSearch, vec![broken(40, 4, 32)]),
        ]);
        let expected = "70 rounds of boosted off-policy learning; the objective fell by less than guaranteed in 5 of them and was \
                        above the bound of [L23, Theorem 1] after 48.";
        assert_eq!(found, expected);
    }

    #[test]
    fn altered_rows_are_explained_where_there_are_any() {
        let of = |task| measured(task, Method::BoplRegr, vec![history(0.5)]);
        let altered = |task| Measured { provenance: Provenance::Altered, ..of(task) };
        assert_eq!(of_altered_rows(&[of(Scene), of(TaskName::TmcRepeated)]), "");
        let expected = "Altered rows of tmc-repeated are rows of the training part of tmc, some of them twice. The paper's";
        assert!(of_altered_rows(&[of(Scene), altered(TaskName::TmcRepeated)]).starts_with(expected));
        let both = of_altered_rows(&[altered(TaskName::FashionPooled), altered(TaskName::TmcRepeated)]);
        assert!(
            both.starts_with("Altered rows of fashion-pooled are rows of fashion, in a random order before")
        );
        assert_eq!((both.matches("Altered").count(), both.matches("The paper's").count()), (2, 1));
    }

    #[test]
    fn the_record_keeps_every_number_under_its_name() {
        let one = History { seconds: 5.0, direct_method: Some(0.25), ..broken(10, 3, 2) };
        let of = measured(Scene, Method::BoplRegr, vec![one, history(0.125)]);
        let found = trials(&of, 7);
        let numbers: Vec<_> = found.iter().map(|kept| (kept.trial, &kept.metric[..], kept.value)).collect();
        let [short, above] = ["rounds short of the decrease", "rounds above the bound"];
        let expected = [
            (0, "test reward", 0.5),
            (0, "direct method", 0.25),
            (0, "rounds", 10.0),
            (0, short, 3.0),
            (0, above, 2.0),
            (0, "seconds a round", 0.5),
            (1, "test reward", 0.125),
            (1, "rounds", 0.0),
            (1, short, 0.0),
            (1, above, 0.0),
        ];
        assert_eq!(numbers, expected);
        let whose =
            |kept: &Trial| (&kept.dataset[..], &kept.method[..], kept.seed) == ("scene", "BOPL-regr", 7);
        assert!(found.iter().all(whose));
        assert!(found.iter().all(|kept| kept.settings["min_child_weight"] == 60.0));
        let paper: Vec<_> =
            paper(&of).into_iter().map(|row| (row.dataset, row.method, row.metric, row.mean)).collect();
        let row = |metric: &str, mean| ("scene".to_owned(), "BOPL-regr".to_owned(), metric.to_owned(), mean);
        assert_eq!(paper, [row(TEST_REWARD, 0.7778), row(HALF_WIDTH, 0.0105)]);
    }
}
