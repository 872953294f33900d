//! The tables of the page.

use super::measured::{Measured, by_task, mean_and_width};
use super::methods::Method;
use super::paper::Printed;
use crate::peer::Peers;
use crate::runner::ExperimentError;
use boosters::bopl::BoplStop;
use report::paired::Interval;
use report::record::Provenance;
use report::table::{Cell, Table, significant};

/// A table per task: a row per method, with the reason where its program is missing. Only full runs on the
/// official data are compared with the paper's interval; fewer than three trials are stated. BRR-gb's
/// decrease is a difference of squared errors, without a theorem.
pub(super) fn rewards(
    measured: &[Measured],
    quick: bool,
    peers: &Peers,
) -> Result<Vec<Table>, ExperimentError> {
    let columns =
        ["ours", "paper", "ours lies", "trials", "rounds", "s", "MB", "rounds that break a theorem"];
    let mut tables = Vec::new();
    for (task, methods) in by_task(measured) {
        let mut table = Table::new(task.as_str(), &columns);
        for one in methods {
            let printed = Printed::table_1(one.method, task);
            let ours = one.reward();
            let fair = !quick && one.provenance == Provenance::Official;
            let verdict = printed.filter(|_| fair).zip(ours).map(|(printed, ours)| {
                let verdict = printed.verdict(ours.mean);
                match one.trials.len() {
                    few @ ..=2 => format!("{verdict} ({few} trial{})", if few == 1 { "" } else { "s" }),
                    _ => verdict.to_owned(),
                }
            });
            let broken: u64 = one
                .trials
                .iter()
                .map(|history| u64::from(history.short_of_the_decrease) + u64::from(history.above_the_bound))
                .sum();
            let absent =
                || Cell::Text(one.method.peer().map_or("–".to_owned(), |program| peers.reason(program)));
            let mut cells = vec![
                ours.map_or_else(absent, |ours| Cell::Text(mean_and_width(ours))),
                printed.map_or(Cell::Empty, |printed| Cell::Text(text(printed))),
                verdict.map_or(Cell::Empty, Cell::Text),
            ];
            cells.push(Cell::Count(one.trials.len() as u64));
            if one.method == Method::Logging || one.trials.is_empty() {
                cells.extend([Cell::Empty, Cell::Empty, Cell::Empty, Cell::Empty]);
            } else {
                let rounds = one.interval(|history| Some(f64::from(history.rounds)));
                let seconds = one.interval(|history| Some(history.seconds));
                let memory = one.interval(|history| Some(history.memory? as f64 / 1e6));
                let ends = ends(one.trials.iter().filter_map(|history| history.stop));
                cells
                    .push(rounds.map_or(Cell::Empty, |found| Cell::Text(format!("{:.0}{ends}", found.mean))));
                cells.push(seconds.map_or(Cell::Empty, |found| Cell::Text(significant(found.mean, 2))));
                cells.push(memory.map_or(Cell::Empty, |found| Cell::Text(format!("{:.0}", found.mean))));
                cells.push(if one.method.is_boosted() { Cell::Count(broken) } else { Cell::Empty });
            }
            table.push(one.method.name(), one.provenance, cells)?;
        }
        tables.push(table);
    }
    Ok(tables)
}

/// The number of trials that ended early, by reason; empty if none did.
fn ends(stops: impl Iterator<Item = BoplStop>) -> String {
    let mut ends: Vec<(BoplStop, usize)> = Vec::new();
    for stop in stops {
        match ends.iter_mut().find(|(seen, _)| *seen == stop) {
            Some((_, count)) => *count += 1,
            None => ends.push((stop, 1)),
        }
    }
    let ends =
        ends.iter().map(|(stop, count)| format!(" ({count} ended: {})", format!("{stop:?}").to_lowercase()));
    ends.collect()
}

/// The direct method's estimates. BRR-xgb is its own model, as in [L23, Table 2]; that of the others is
/// BRR-gb.
pub(super) fn direct_method(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let columns =
        ["direct method", "truth", "less the truth", "paper: direct method (BRR-xgb)", "paper: truth"];
    let mut tables = Vec::new();
    for (task, methods) in by_task(measured) {
        let asked: Vec<_> = methods.iter().filter(|one| one.method.is_in_table_2(task)).collect();
        if asked.is_empty() {
            continue;
        }
        let mut table = Table::new(task.as_str(), &columns);
        let cell =
            |found: Option<Interval>| found.map_or(Cell::Empty, |found| Cell::Text(mean_and_width(found)));
        for one in asked {
            let printed = Printed::table_2(task).find(|(name, _)| *name == one.method.name());
            let truth = printed.and_then(|_| Printed::table_1(one.method, task));
            table.push(
                one.method.name(),
                one.provenance,
                vec![
                    cell(one.interval(|history| history.direct_method)),
                    cell(one.interval(|history| Some(history.reward))),
                    cell(one.interval(|history| Some(history.direct_method? - history.reward))),
                    printed.map_or(Cell::Empty, |(_, printed)| Cell::Text(text(printed))),
                    truth.map_or(Cell::Empty, |printed| Cell::Text(text(printed))),
                ],
            )?;
        }
        tables.push(table);
    }
    Ok(tables)
}

/// The logging policies, with their rewards on validation rows, where the ridge was chosen, and on test rows.
pub(super) fn logging(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let columns =
        ["ridge", "ε", "validation reward", "test reward", "paper: test reward", "least propensity"];
    let mut table = Table::new("logging policy", &columns);
    for one in measured.iter().filter(|one| one.method == Method::Logging) {
        let explorer = super::logging_policy::Explorer::of(one.task);
        let text_of =
            |found: Option<Interval>| found.map_or(Cell::Empty, |found| Cell::Text(mean_and_width(found)));
        let least = one.trials.iter().filter_map(|history| history.logging);
        let least = least.map(|logging| logging.least_propensity).fold(1.0, f64::min);
        table.push(
            one.task.as_str(),
            one.provenance,
            vec![
                Cell::Text(explorer.ridge.to_string()),
                Cell::Text(explorer.epsilon.to_string()),
                text_of(one.interval(|history| Some(history.logging?.on_validation))),
                text_of(one.interval(|history| Some(history.reward))),
                Printed::table_1(one.method, one.task)
                    .map_or(Cell::Empty, |printed| Cell::Text(text(printed))),
                Cell::Text(significant(least, 3)),
            ],
        )?;
    }
    Ok(vec![table])
}

/// What AutoPolicy chose in each trial, with its own estimate beside the truth.
pub(super) fn choices(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let columns = ["chosen", "rounds", "estimate", "test reward", "estimate less test reward", "seconds"];
    let mut tables = Vec::new();
    for one in measured.iter().filter(|one| one.method == Method::AutoPolicy) {
        let mut table = Table::new(one.task.as_str(), &columns);
        for (trial, history) in one.trials.iter().enumerate() {
            let Some(choice) = &history.choice else { continue };
            let number = |value: f64| Cell::Text(format!("{value:.4}"));
            table.push(
                &format!("trial {trial}"),
                one.provenance,
                vec![
                    Cell::Text(choice.candidate.clone()),
                    Cell::Count(u64::from(choice.rounds)),
                    number(choice.estimate),
                    number(history.reward),
                    number(choice.estimate - history.reward),
                    Cell::Text(significant(history.seconds, 3)),
                ],
            )?;
        }
        tables.push(table);
    }
    Ok(tables)
}

/// The hyper-parameters of every method.
pub(super) fn parameters(measured: &[Measured]) -> Result<Vec<Table>, ExperimentError> {
    let columns =
        ["rounds", "max_depth", "min_child_weight", "reg_lambda", "reward_translation", "learning_rate"];
    let mut tables = Vec::new();
    for (task, methods) in by_task(measured) {
        let mut table = Table::new(task.as_str(), &columns);
        let has_some = |one: &&Measured| !matches!(one.method, Method::Logging | Method::AutoPolicy);
        for one in methods.into_iter().filter(has_some) {
            let found = one.parameters;
            let rate = match one.method {
                Method::BrrGb
                | Method::BrrXgb
                | Method::Drr
                | Method::BanditNet
                | Method::BrrSquared
                | Method::BrrLogistic
                | Method::SecondOrder => Cell::Text(significant(found.learning_rate, 3)),
                _ => Cell::Empty,
            };
            let translation = match one.method {
                Method::BrrGb | Method::BrrXgb | Method::Drr | Method::BrrSquared | Method::BrrLogistic => {
                    Cell::Empty
                }
                _ => Cell::Text(significant(found.translation, 3)),
            };
            table.push(
                one.method.name(),
                one.provenance,
                vec![
                    Cell::Count(u64::from(found.rounds)),
                    Cell::Count(u64::from(found.max_depth)),
                    Cell::Text(found.min_child_weight.to_string()),
                    Cell::Text(significant(found.reg_lambda, 3)),
                    translation,
                    rate,
                ],
            )?;
        }
        tables.push(table);
    }
    Ok(tables)
}

fn text(printed: Printed) -> String {
    format!("{:.4} ± {:.4}", printed.mean, printed.half_width)
}

#[cfg(test)]
mod tests;
