//! Logs, the policies behind them, and the model of rewards.

use super::*;
use off_policy::estimators::{EstimatorSettings, OffPolicyEvaluation};
use off_policy::policies::Uniform;

#[test]
fn a_log_has_the_value_of_its_own_frequencies_and_a_model_is_fitted_on_the_other_half() {
    // Two items, two rows each half; the first half clicks, the second does not.
    let rows = [(0, 0, 0.5, 1.0), (0, 0, 0.5, 0.0), (1, 0, 0.5, 1.0), (1, 0, 0.5, 0.0)];
    let log = on_positions(&rows, 2).unwrap();
    let model = ClickRates::of(&log);
    let mut q = [0.0; 2];
    model.rewards(log.contexts().row(0).unwrap(), &mut q).unwrap();
    assert_eq!(q, [0.0; 2], "the model of even rows is fitted on odd rows, without a click");
    model.rewards(log.contexts().row(1).unwrap(), &mut q).unwrap();
    assert_eq!(q, [1.0; 2]);

    let settings = EstimatorSettings::default();
    let frequencies = Frequencies::of(&log);
    let own = OffPolicyEvaluation::of(&log, &frequencies, Some(&model), settings).unwrap();
    let even = OffPolicyEvaluation::of(&log, &Uniform::new(2).unwrap(), Some(&model), settings).unwrap();
    assert_eq!(own, even);
    assert_eq!(own.ips.value, 0.5);
}

#[test]
fn a_position_without_rows_shows_items_uniformly() {
    let rows = [(1, 0, 0.5, 1.0), (1, 0, 0.5, 0.0), (1, 1, 0.5, 0.0), (0, 1, 0.5, 0.0), (0, 1, 0.5, 0.0)];
    let log = on_positions(&rows, 2).unwrap();
    let frequencies = Frequencies::of(&log);
    let mut pi = [0.0; 2];
    for (position, want) in [[0.0, 1.0], [2.0 / 3.0, 1.0 / 3.0], [0.5, 0.5]].into_iter().enumerate() {
        let mut x = [0.0; POSITIONS + 1];
        x[position] = 1.0;
        let x = Row::dense(&x).unwrap();
        frequencies.probabilities(x, ActionSet::all(2).unwrap(), &mut pi).unwrap();
        assert_eq!(pi, want, "position {position}");
    }
}

fn positions(log: &Log) -> Vec<usize> {
    log.iter().map(|row| position(row.context)).collect()
}

/// Every row of a file keeps its action, position, propensity and click; rows alternate between the halves.
#[test]
fn contexts_of_a_file_hold_position_and_half() {
    let header = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,user_feature_2,\
                  user_feature_3,user-item_affinity_0,user-item_affinity_1\n";
    let random = format!(
        "{header}0,noon,0,1,0,0.5,a,b,c,d,0,0\n1,noon,1,3,1,0.5,a,b,c,d,0,0\n2,noon,1,2,0,0.5,a,b,c,d,0,0\n"
    );
    let bts = format!("{header}0,noon,1,2,1,0.75,a,b,c,e,0,0\n");
    let [random, bts] = of_files([random.as_bytes(), bts.as_bytes()]).unwrap();
    assert_eq!(
        (random.provenance, random.log.logged_actions(), random.log.rewards()),
        (Provenance::Official, &[0, 1, 1][..], &[0.0, 1.0, 0.0][..])
    );
    assert_eq!((random.log.propensities(), positions(&random.log)), (&[0.5; 3][..], vec![0, 2, 1]));
    let rows: Vec<Vec<f64>> = random.log.contexts().iter().map(|row| row.to_dense()).collect();
    assert_eq!(rows, [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 0.0, 0.0]]);
    assert_eq!(
        (bts.log.logged_actions(), bts.log.propensities(), positions(&bts.log)),
        (&[1][..], &[0.75][..], vec![1])
    );
}

/// The first log is that of the uniform policy, on the official files and on synthetic logs.
#[test]
fn the_random_policy_comes_first() {
    for search in [SearchPath::from_environment(None).unwrap(), SearchPath::nowhere()] {
        let [random, bts] = both(&search, 3).unwrap();
        let even = 1.0 / random.log.actions() as f64;
        let is_even = |log: &Log| log.propensities().iter().all(|p| (p - even).abs() < 1e-6);
        assert!(is_even(&random.log) && !is_even(&bts.log));
    }
}

/// Synthetic rows are shown and clicked with the stated probabilities; each log has its own draws.
#[test]
fn synthetic_logs_have_the_stated_probabilities() {
    let [random, bts] = synthetic_logs(3).unwrap();
    let clicks = |a: u32| 0.01 + 0.02 * f64::from(a);
    let even = |_| 0.1;
    for (shown, pi) in [(&random, &even as &dyn Fn(u32) -> f64), (&bts, &clicks)] {
        assert_eq!((shown.log.len(), shown.log.actions(), shown.provenance), (4000, 10, Provenance::StandIn));
        for a in 0..10 {
            let rows: Vec<_> = shown.log.iter().filter(|row| row.action == a as usize).collect();
            assert!(rows.iter().all(|row| (row.propensity - pi(a)).abs() < 1e-12));
            // Four standard deviations.
            let near = |found: f64, p: f64, n: f64| (found - p).abs() < 4.0 * (p * (1.0 - p) / n).sqrt();
            assert!(near(rows.len() as f64 / 4000.0, pi(a), 4000.0), "{a}: {}", rows.len());
            let clicked = rows.iter().map(|row| row.reward).sum::<f64>() / rows.len() as f64;
            assert!(near(clicked, clicks(a), rows.len() as f64), "{a}: {clicked}");
        }
        assert!(positions(&shown.log).iter().enumerate().all(|(i, position)| *position == i % 3));
    }
    // With equal draws, the last tenth of one log would be within the last fifth of the other.
    let mut pairs = random.log.logged_actions().iter().zip(bts.log.logged_actions());
    assert!(pairs.any(|(by_random, by_bts)| *by_random == 9 && *by_bts < 5));
    assert_ne!(synthetic_logs(4).unwrap()[0].log, random.log);
}

#[test]
fn click_rates_are_shrunk_to_the_mean_of_their_half() {
    // Of the even rows item 0 is clicked in 60 of 100 and item 1 in none of 100; odd rows are never clicked.
    let rows: Vec<_> =
        (0..400).map(|i| (i / 2 % 2, i % 3, 0.5, f64::from(u8::from(i % 4 == 0 && i < 240)))).collect();
    let model = ClickRates::of(&on_positions(&rows, 2).unwrap());
    let mut q = [0.0; 2];
    // For odd rows: shrunk to the mean 0.3 with 100 pseudo-observations.
    let odd = Row::dense(&[1.0, 0.0, 0.0, 1.0]).unwrap();
    model.rewards(odd, &mut q).unwrap();
    assert!((q[0] - 90.0 / 200.0).abs() < 1e-12 && (q[1] - 30.0 / 200.0).abs() < 1e-12, "{q:?}");
    model.rewards(Row::dense(&[1.0, 0.0, 0.0, 0.0]).unwrap(), &mut q).unwrap();
    assert_eq!(q, [0.0; 2]);
}

#[test]
fn the_largest_frequency_is_over_all_positions() {
    let rows = [
        (0, 0, 0.5, 0.0),
        (1, 0, 0.5, 0.0),
        (1, 2, 0.5, 0.0),
        (1, 2, 0.5, 0.0),
        (1, 2, 0.5, 0.0),
        (0, 2, 0.5, 0.0),
    ];
    let two = [rows.as_slice(), &[(0, 1, 0.5, 0.0), (1, 1, 0.5, 0.0)]].concat();
    assert_eq!(Frequencies::of(&on_positions(&two, 2).unwrap()).largest(), 0.75);
}
