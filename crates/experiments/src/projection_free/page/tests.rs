//! Every number is under its own name: known exponents come back under their methods.

use super::*;
use crate::projection_free::hindsight::Best;
use report::table::significant;

const PROBLEM: Problem = Problem::L1Coins;
/// The exponents of the regret with exact and with noisy gradients, and of the gradients per round.
const EXPONENTS: [(f64, f64, f64); 5] =
    [(0.5, 0.55, 0.0), (0.75, 0.7, 0.1), (0.4, 0.45, 1.5), (0.6, 0.65, 1.0), (0.3, 0.35, 0.25)];

/// Trials whose regrets are powers of T, times a factor of the trial. Only the seconds of trial 0 are
/// undisturbed.
fn outcomes(factors: &[f64]) -> Vec<Arc<Outcome>> {
    let horizons = (4..=10).map(|power| 1_u32 << power);
    let of_trial = |(trial, factor): (usize, &f64)| {
        let bests =
            horizons.clone().map(|rounds| Best { rounds, loss: -f64::from(rounds), gap: 0.0 }).collect();
        let mut runs = Vec::new();
        for rounds in horizons.clone() {
            let t = f64::from(rounds);
            for noise in [0.0, 1.0] {
                for (method, (exact, noisy, cost)) in Method::ALL.into_iter().zip(EXPONENTS) {
                    let power = if noise > 0.0 { noisy } else { exact };
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "made up")]
                    let gradients = (1e3 * t * t.powf(cost)) as u64;
                    runs.push(Run {
                        method,
                        noise,
                        rounds,
                        loss: factor * t.powf(power) - t,
                        gradients,
                        minimisations: 2 * u64::from(rounds),
                        projections: 3 * u64::from(rounds),
                        // Proportional to the gradients in the first trial, and much slower in the others.
                        seconds: if trial == 0 { 1e-6 * t * t.powf(cost) } else { 100.0 * t },
                    });
                }
            }
        }
        Arc::new(Outcome { provenance: Provenance::Synthetic, bests, runs, seconds: 0.0 })
    };
    factors.iter().enumerate().map(of_trial).collect()
}

#[test]
fn exponents_are_under_their_methods_in_the_row_of_their_gradients() {
    let found = [(PROBLEM, outcomes(&[1.0, 2.0, 4.0]))];
    let table = regrets(&found, 1).unwrap();
    let printed = ["–", "0.75", "0.5", "0.5", "0.5"];
    assert_eq!(table.row("BH20, Table 1").unwrap(), printed);
    for (label, of) in [("exact", 0), ("noisy", 1)] {
        let label = format!("coins, ℓ1 ball, {label} gradients (synthetic)");
        for (method, exponents) in Method::ALL.into_iter().zip(EXPONENTS) {
            let slope = if of == 0 { exponents.0 } else { exponents.1 };
            assert_eq!(
                table.cell(&label, method.name()).unwrap(),
                format!("{slope:.2} [{slope:.2}, {slope:.2}]")
            );
        }
    }
}

#[test]
fn costs_are_per_round_and_of_the_fastest_trial() {
    let found = [(PROBLEM, outcomes(&[1.0, 2.0, 4.0]))];
    let table = costs(&found, 1).unwrap();
    assert_eq!(table.row("BH20, Table 1").unwrap(), ["–", "0", "1.5", "1", "0.5"]);
    for (method, (.., cost)) in Method::ALL.into_iter().zip(EXPONENTS) {
        assert_eq!(
            table.cell("coins, ℓ1 ball, gradients (synthetic)", method.name()).unwrap(),
            format!("{cost:.2}")
        );
        let seconds = table.cell("coins, ℓ1 ball, seconds (synthetic)", method.name()).unwrap();
        assert!(seconds.starts_with(&format!("{cost:.2} [")), "{seconds}");
    }
}

#[test]
fn the_longest_horizon_is_summarised_per_round() {
    let found = [(PROBLEM, outcomes(&[1.0, 2.0, 6.0]))];
    let table = longest(&found).unwrap();
    for (method, (_, noisy, cost)) in Method::ALL.into_iter().zip(EXPONENTS) {
        let label = format!("coins, ℓ1 ball, {} (synthetic)", method.name());
        // The mean of 1, 2, 6 is 3, and their standard deviation √7, with divisor n − 1.
        let unit = 1024.0_f64.powf(noisy);
        let (mean, std) = (significant(3.0 * unit, 4), significant(7.0_f64.sqrt() * unit, 2));
        let cells = table.row(&label).unwrap();
        assert_eq!((cells[0].as_str(), cells[1].as_str()), ("1024", format!("{mean} ± {std}").as_str()));
        assert_eq!(cells[2], significant(1e3 * 1024.0_f64.powf(cost), 4));
        assert_eq!((cells[3].as_str(), cells[4].as_str()), ("2.000", "3.000"));
        assert_eq!(cells[5], significant(1024.0_f64.powf(cost), 4));
    }
}

#[test]
fn a_record_holds_the_regret_and_the_cost_of_a_run() {
    let outcomes = outcomes(&[1.0, 2.0]);
    let rows = trials(PROBLEM, 1, 77, &outcomes[1]);
    assert_eq!(rows.len(), 7 * 2 * 5 * 2);
    assert!(rows.iter().all(|row| (row.trial, row.seed, row.provenance) == (1, 77, Provenance::Synthetic)));
    for (method, (exact, noisy, _)) in Method::ALL.into_iter().zip(EXPONENTS) {
        for (gradients, power) in [("exact", exact), ("noisy", noisy)] {
            let of = |metric: &str| {
                let dataset = format!("coins, ℓ1 ball, {gradients} gradients");
                let mut found =
                    rows.iter().filter(|row| row.dataset == dataset && row.method == method.name());
                found.find(|row| row.metric == metric).unwrap()
            };
            let regret = of("regret, T = 64");
            assert!((regret.value - 2.0 * 64.0_f64.powf(power)).abs() < 1e-9, "{regret:?}");
            assert_eq!(regret.settings["minimisations"], 128);
            assert_eq!(regret.settings["projections"], 192);
            assert_eq!(of("seconds a round, T = 64").value, 100.0);
        }
    }
}

#[test]
fn the_papers_figures_are_recorded_under_its_names() {
    let rows = printed();
    let of = |method: Method, metric: &str| {
        rows.iter().find(|row| row.method == method.name() && row.metric == metric).map(|row| row.mean)
    };
    // [BH20, Table 1]: T^{3/4} at one optimiser per round, √T at T^{3/2}, T and √T.
    for (method, regret, cost) in [
        (Method::OnlineFw, 0.75, 0.0),
        (Method::MetaFw, 0.5, 1.5),
        (Method::Morgfw, 0.5, 1.0),
        (Method::Algorithm1, 0.5, 0.5),
    ] {
        assert_eq!((of(method, REGRET), of(method, COST)), (Some(regret), Some(cost)));
    }
    assert_eq!(of(Method::Ogd, REGRET), None);
}

#[test]
fn curves_are_means_of_the_noisy_runs() {
    let options = Options {
        trials: 2,
        seed: 1,
        threads: None,
        quick: true,
        plan: vec![PROBLEM],
        out: std::path::PathBuf::new(),
        search: datasets::SearchPath::nowhere(),
        quiet: true,
    };
    let found = [(PROBLEM, outcomes(&[1.0, 3.0]))];
    let growth = growth_plot(&found, &options);
    let seconds = seconds_plot(&found, &options);
    for (k, (method, (_, noisy, cost))) in Method::ALL.into_iter().zip(EXPONENTS).enumerate() {
        let curve = &growth.panels[0].series[k];
        assert_eq!((curve.name.as_str(), curve.x[0], curve.x.len()), (method.name(), 16.0, 7));
        assert!((curve.y[0] - 2.0 * 16.0_f64.powf(noisy)).abs() < 1e-9);
        assert_eq!(curve.stroke == Stroke::Dashed, method == Method::Ogd);
        let curve = &seconds.panels[0].series[k];
        assert!((curve.x[0] - 1e-6 * 16.0 * 16.0_f64.powf(cost)).abs() < 1e-12, "of the fastest trial");
        assert!((curve.y[0] - 2.0 * 16.0_f64.powf(noisy) / 16.0).abs() < 1e-9, "a round");
    }
    // A mean that is not positive is left out of the axis.
    let drawn = curve(Method::Ogd, [(1.0, 2.0), (2.0, -1.0), (3.0, 4.0)].into_iter()).unwrap();
    assert_eq!((drawn.x, drawn.y), (vec![1.0, 3.0], vec![2.0, 4.0]));
}
