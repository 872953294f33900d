//! Every number is in its column and beside its own row of the paper.

use super::super::fixtures::{history, logging as of_logging, measured};
use super::super::history::History;
use super::*;
use crate::bopl::task_name::TaskName::{self, Scene, Tmc};
use crate::peer::State;

#[test]
fn trials_that_ended_early_are_counted_by_reason() {
    assert_eq!(ends([].into_iter()), "");
    let stops = [BoplStop::Predictions, BoplStop::Alpha, BoplStop::Predictions];
    assert_eq!(ends(stops.into_iter()), " (2 ended: predictions) (1 ended: alpha)");
}

/// Two trials without spread; one violates theorems five times.
fn trials(reward: f64) -> Vec<History> {
    let one = History { rounds: 20, seconds: 5.0, direct_method: Some(reward - 0.25), ..history(reward) };
    let other = History { rounds: 10, short_of_the_decrease: 3, above_the_bound: 2, ..one.clone() };
    vec![one, other]
}

#[test]
fn rewards_are_beside_the_papers_and_violations_are_summed() {
    let of = |method, reward| measured(Tmc, method, trials(reward));
    let mut runs = vec![of(Method::Logging, 0.25), of(Method::BrrGb, 0.5), of(Method::BoplRegr, 0.7375)];
    runs.insert(2, measured(Tmc, Method::BrrXgb, Vec::new()));
    let weighed = |history: History| History { memory: Some(12_600_000), ..history };
    let sharp = measured(Tmc, Method::SharpSteps, trials(0.75).into_iter().map(weighed).collect());
    runs.extend([of(Method::BoplSRegr, 0.7433), sharp]);
    runs.insert(3, measured(Tmc, Method::Drr, Vec::new()));
    let xgboost = State::Missing("here".to_owned());
    let found = rewards(&runs, false, &Peers { xgboost, ..Peers::default() }).unwrap()[0].cells();
    let ours = |reward: &str| format!("{reward} ± 0.0000");
    let row = |name: &str, reward: &str, rest: [&str; 7]| {
        let mut row = vec![name.to_owned(), ours(reward)];
        row.extend(rest.map(str::to_owned));
        row
    };
    let expected = [
        row("Logging", "0.2500", ["0.3187 ± 0.0029", "below (2 trials)", "2", "–", "–", "–", "–"]),
        // No theorem states the decrease of BRR-gb.
        row("BRR-gb", "0.5000", ["0.7288 ± 0.0046", "below (2 trials)", "2", "15", "5.0", "–", "–"]),
        ["BRR-xgb", "missing: here", "0.7742 ± 0.0034", "–", "0", "–", "–", "–", "–"]
            .map(str::to_owned)
            .to_vec(),
        ["DRR", "missing: needs --peers", "0.7787 ± 0.0038", "–", "0", "–", "–", "–", "–"]
            .map(str::to_owned)
            .to_vec(),
        row("BOPL-regr", "0.7375", ["0.7361 ± 0.0047", "within (2 trials)", "2", "15", "5.0", "–", "5"]),
        row("BOPL-S-regr", "0.7433", ["0.7399 ± 0.0030", "above (2 trials)", "2", "15", "5.0", "–", "5"]),
        row("ours: S-regr, sharp", "0.7500", ["–", "–", "2", "15", "5.0", "13", "5"]),
    ];
    assert_eq!(found, expected);
}

/// A real log has one trial, with the normal interval of its rows.
#[test]
fn an_estimated_reward_has_the_interval_of_its_rows() {
    let of = |standard_error, trials| {
        let one = History { standard_error, ..history(0.25) };
        let one = measured(TaskName::OpenBandit, Method::BrrGb, vec![one; trials]);
        rewards(&[one], false, &Peers::default()).unwrap()[0].cells()[0][1].clone()
    };
    assert_eq!(of(Some(0.125), 1), "0.2500 ± 0.2450");
    assert_eq!(of(None, 1), "0.2500");
    assert_eq!(of(Some(0.125), 2), "0.2500 ± 0.0000", "the interval of the trials");
}

/// Quick runs and stand-ins are not compared with the paper; three trials need no remark.
#[test]
fn only_full_runs_on_official_data_are_compared_with_the_paper() {
    let verdict = |quick, provenance, trials: usize| {
        let mut one = measured(Scene, Method::BoplRegr, vec![history(0.7700); trials]);
        one.provenance = provenance;
        rewards(&[one], quick, &Peers::default()).unwrap()[0].cells()[0][3].clone()
    };
    assert_eq!(verdict(false, Provenance::Official, 3), "within");
    assert_eq!(verdict(false, Provenance::Official, 1), "within (1 trial)");
    assert_eq!(verdict(true, Provenance::Official, 3), "–");
    assert_eq!(verdict(false, Provenance::StandIn, 3), "–");
    assert_eq!(verdict(false, Provenance::Altered, 3), "–");
}

#[test]
fn the_direct_method_is_beside_the_truth_and_the_papers() {
    let of = |method, reward| measured(Scene, method, trials(reward));
    let runs = [
        of(Method::Logging, 0.25),
        of(Method::BrrGb, 0.75),
        of(Method::BoplRegr, 0.5),
        of(Method::BoplClass, 0.5),
    ];
    let found = direct_method(&runs).unwrap()[0].cells();
    let [said, truth, less] = ["0.2500 ± 0.0000", "0.5000 ± 0.0000", "-0.2500 ± 0.0000"];
    assert_eq!(
        found,
        [
            ["BRR-gb", "0.5000 ± 0.0000", "0.7500 ± 0.0000", less, "–", "–"],
            ["BOPL-regr", said, truth, less, "0.4972 ± 0.0099", "0.7778 ± 0.0105"],
        ]
    );
    assert!(direct_method(&[measured(TaskName::Fashion, Method::BrrGb, trials(0.5))]).unwrap().is_empty());
}

#[test]
fn a_logging_policy_has_its_validation_and_test_rewards() {
    let mut trials = trials(0.5);
    trials[0].logging = of_logging(0.75, 0.0625);
    trials[1].logging = of_logging(0.75, 0.03125);
    let runs =
        [measured(Tmc, Method::Logging, trials), measured(Tmc, Method::BrrGb, vec![history(0.125); 2])];
    let found = logging(&runs).unwrap()[0].cells();
    let expected = ["tmc", "0.24", "0.1", "0.7500 ± 0.0000", "0.5000 ± 0.0000", "0.3187 ± 0.0029", "0.0312"];
    assert_eq!(found, [expected]);
}

#[test]
fn hyper_parameters_are_in_their_columns() {
    let runs =
        [Method::Logging, Method::BrrGb, Method::BoplRegr].map(|method| measured(Scene, method, Vec::new()));
    let found = parameters(&runs).unwrap()[0].cells();
    assert_eq!(
        found,
        [
            ["BRR-gb", "1000", "12", "20", "0.0100", "–", "0.0100"],
            ["BOPL-regr", "500", "12", "60", "0.0100", "-0.200", "–"],
        ]
    );
}
