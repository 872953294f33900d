//! Multinomial logistic regression against its objective, written down once more from the definition, on
//! letters.

use crate::reduced;
use datasets::{Name, SearchPath, StandIn, Targets, load};
use off_policy::LabelSets;
use off_policy::policies::{
    Columns, LogisticRecord, LogisticStop, LogisticTraining, MultinomialLogistic, Scores,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::RowMatrix;

const RIDGE: f64 = 0.01;

/// Rows, and the share of every class in each.
pub(crate) struct Task {
    rows: Vec<Vec<f64>>,
    labels: Vec<Vec<u32>>,
    classes: usize,
}

impl Task {
    /// Letters, their moments stretched apart, with a constant column; some rows are given a second letter.
    fn letters(n: usize) -> Self {
        let search = SearchPath::from_environment(None).unwrap();
        let set = load(Name::Letter, &search, StandIn { seed: 1, rows: Some(n) }).unwrap();
        if set.provenance.to_string() != "official files" {
            reduced::announce(&format!("letter is its {}", set.provenance));
        }
        let Targets::Classes { indices, .. } = &set.targets else { unreachable!("letters are classes") };
        let row = |i: usize| {
            let mut row = set.features.row(i).unwrap().to_dense();
            row[0] = 1000.0 * row[0] + 3000.0;
            row[1] *= 1e-4;
            row.push(0.7);
            row
        };
        let label = |i: usize| {
            if i.is_multiple_of(5) { vec![indices[i], (indices[i] + 1) % 26] } else { vec![indices[i]] }
        };
        Self { rows: (0..n).map(row).collect(), labels: (0..n).map(label).collect(), classes: 26 }
    }

    fn dense(&self) -> RowMatrix {
        RowMatrix::dense(self.rows[0].len(), self.rows.concat()).unwrap()
    }

    fn sparse(&self) -> RowMatrix {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in &self.rows {
            for (j, x) in (0..).zip(row).filter(|(_, x)| **x != 0.0) {
                indices.push(j);
                values.push(*x);
            }
            offsets.push(values.len());
        }
        RowMatrix::sparse(self.rows[0].len(), offsets, indices, values).unwrap()
    }

    fn label_sets(&self) -> LabelSets {
        LabelSets::new(self.classes, &self.labels).unwrap()
    }

    fn fit(&self, training: &LogisticTraining) -> (MultinomialLogistic, LogisticRecord) {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let trained = training.fit(&self.dense(), &self.label_sets(), &mut rng).unwrap();
        (trained.model, trained.record)
    }

    /// Means and deviations of the columns; 0 and 1 for raw ones.
    fn scales(&self, columns: Columns) -> Vec<(f64, f64)> {
        let n = self.rows.len() as f64;
        let of = |j: usize| {
            let mean = self.rows.iter().map(|x| x[j]).sum::<f64>() / n;
            let variance = self.rows.iter().map(|x| (x[j] - mean).powi(2)).sum::<f64>() / n;
            (mean, variance.sqrt())
        };
        let raw = columns == Columns::Raw;
        (0..self.rows[0].len()).map(|j| if raw { (0.0, 1.0) } else { of(j) }).collect()
    }

    /// θ of a model: an action a row, the intercept last. A column that does not vary has no weight.
    fn theta(&self, model: &MultinomialLogistic, scales: &[(f64, f64)]) -> Vec<Vec<f64>> {
        let action = |a: usize| {
            let w = model.weights(a).unwrap();
            let intercept =
                model.intercepts()[a] + w.iter().zip(scales).map(|(w, (mean, _))| w * mean).sum::<f64>();
            w.iter().zip(scales).map(|(w, (_, deviation))| w * deviation).chain([intercept]).collect()
        };
        (0..self.classes).map(action).collect()
    }

    /// J and ∇J, term by term, on standardised rows that are made for it.
    fn objective(&self, theta: &[Vec<f64>], scales: &[(f64, f64)], ridge: f64) -> (f64, Vec<Vec<f64>>) {
        let n = self.rows.len() as f64;
        let mut gradient: Vec<Vec<f64>> =
            theta.iter().map(|t| t.iter().map(|t| ridge * t).collect()).collect();
        let mut value = 0.5 * ridge * theta.iter().flatten().map(|t| t * t).sum::<f64>();
        for (x, labels) in self.rows.iter().zip(&self.labels) {
            let standard = |(x, (mean, d)): (&f64, &(f64, f64))| if *d < 1e-9 { 0.0 } else { (x - mean) / d };
            let z: Vec<f64> = x.iter().zip(scales).map(standard).chain([1.0]).collect();
            let scores: Vec<f64> =
                theta.iter().map(|t| t.iter().zip(&z).map(|(t, z)| t * z).sum::<f64>()).collect();
            let sum: f64 = scores.iter().map(|s| s.exp()).sum();
            for ((a, gradient), score) in (0..).zip(&mut gradient).zip(scores) {
                let share = if labels.contains(&a) { 1.0 / labels.len() as f64 } else { 0.0 };
                value += share * (sum.ln() - score) / n;
                let residual = score.exp() / sum - share;
                gradient.iter_mut().zip(&z).for_each(|(g, z)| *g += residual * z / n);
            }
        }
        (value, gradient)
    }
}

fn norm(gradient: &[Vec<f64>]) -> f64 {
    gradient.iter().flatten().map(|g| g * g).sum::<f64>().sqrt()
}

/// J and ∇J of every prefix of the run are those of the definition; the gradient is that of finite
/// differences.
#[test]
fn the_record_is_that_of_the_objective() {
    let task = Task::letters(300);
    for columns in [Columns::Standardised, Columns::Raw] {
        let scales = task.scales(columns);
        for epochs in [0, 1, 2, 7, 30] {
            let training = LogisticTraining::builder()
                .ridge(RIDGE)
                .max_epochs(epochs)
                .build()
                .unwrap()
                .with_columns(columns);
            let (model, record) = task.fit(&training);
            let theta = task.theta(&model, &scales);
            let (value, gradient) = task.objective(&theta, &scales, RIDGE);
            let last = record.objective[record.epoch];
            assert!(
                (value - last).abs() < 1e-10 * value.max(1.0),
                "{epochs} epochs: J is {value}, not {last}"
            );
            let last = record.gradient_norm[record.epoch];
            let error = (norm(&gradient) - last).abs();
            assert!(error < 1e-8 * last.max(1.0), "{epochs} epochs: ‖∇J‖ is {}, not {last}", norm(&gradient));
            assert_eq!(record.objective.len(), record.epoch + 1);
        }
    }
    // Central differences along a few coordinates, for the definition above.
    let scales = task.scales(Columns::Standardised);
    let (model, _) = task.fit(&LogisticTraining::builder().ridge(RIDGE).max_epochs(5).build().unwrap());
    let theta = task.theta(&model, &scales);
    let (_, gradient) = task.objective(&theta, &scales, RIDGE);
    for (a, j) in [(0, 0), (3, 5), (25, 17), (12, 1)] {
        let at = |h: f64| {
            let mut moved = theta.clone();
            moved[a][j] += h;
            task.objective(&moved, &scales, RIDGE).0
        };
        let slope = (at(1e-4) - at(-1e-4)) / 2e-4;
        assert!((slope - gradient[a][j]).abs() < 1e-7, "{slope} is not {}", gradient[a][j]);
    }
}

/// J falls every epoch; the first step, −∇J/L, lowers it by ‖∇J‖²/2L; and with J* the least value, λ-strong
/// convexity and L-smoothness say ‖∇J‖²/2L ≤ J − J* ≤ ‖∇J‖²/2λ, every epoch.
#[test]
fn every_epoch_keeps_the_bounds_of_a_smooth_and_strongly_convex_objective() {
    let task = Task::letters(400);
    for (ridge, columns) in
        [(1.0, Columns::Standardised), (RIDGE, Columns::Standardised), (RIDGE, Columns::Raw)]
    {
        let training =
            LogisticTraining::builder().ridge(ridge).max_epochs(2000).build().unwrap().with_columns(columns);
        let (_, record) = task.fit(&training.with_tolerance(1e-8).unwrap());
        if columns == Columns::Standardised {
            assert!(
                matches!(record.stop, LogisticStop::Gradient | LogisticStop::Rounding),
                "{:?}",
                record.stop
            );
            // 16 columns vary.
            assert_eq!(record.smoothness, 0.5 * 17.0 + ridge);
        }
        let least = record.objective.last().unwrap();
        let l = record.smoothness;
        let first = record.gradient_norm[0].powi(2) / (2.0 * l);
        assert!(record.objective[1] <= record.objective[0] - first, "the first step");
        assert!(record.objective.windows(2).all(|pair| pair[1] < pair[0]), "J falls");
        let slack = 1e-12;
        for (t, (value, norm)) in record.objective.iter().zip(&record.gradient_norm).enumerate() {
            let gap = value - least;
            assert!(gap <= norm * norm / (2.0 * ridge) + slack, "{t}: {gap} with ‖∇J‖ = {norm}");
            if columns == Columns::Standardised {
                assert!(gap + slack >= norm * norm / (2.0 * l), "{t}: {gap} with ‖∇J‖ = {norm}");
            }
        }
    }
}

/// The minimiser is found: its gradient vanishes, and no small change of it is better.
#[test]
fn the_ridge_solution_is_optimal() {
    let task = Task::letters(500);
    let scales = task.scales(Columns::Standardised);
    let (model, record) = task.fit(
        &LogisticTraining::builder()
            .ridge(RIDGE)
            .max_epochs(1000)
            .build()
            .unwrap()
            .with_tolerance(1e-7)
            .unwrap(),
    );
    assert_eq!(record.stop, LogisticStop::Gradient);
    let theta = task.theta(&model, &scales);
    let (value, gradient) = task.objective(&theta, &scales, RIDGE);
    assert!(norm(&gradient) < 2e-7, "‖∇J‖ = {}", norm(&gradient));
    for k in 0..20 {
        let mut moved = theta.clone();
        let shift = |a: usize, j: usize| 0.01 * ((a * 31 + j * 7 + k * 13) as f64).sin();
        moved
            .iter_mut()
            .enumerate()
            .for_each(|(a, t)| t.iter_mut().enumerate().for_each(|(j, t)| *t += shift(a, j)));
        assert!(task.objective(&moved, &scales, RIDGE).0 > value);
    }
    // The constant column has no weight, and every action keeps a finite score.
    assert!((0..26).all(|a| model.weights(a).unwrap()[16] == 0.0));
}

#[test]
fn neither_the_storage_nor_the_order_of_the_rows_shows() {
    let mut task = Task::letters(400);
    let training = LogisticTraining::builder()
        .ridge(RIDGE)
        .max_epochs(500)
        .build()
        .unwrap()
        .with_tolerance(1e-8)
        .unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (dense, _) = task.fit(&training);
    let sparse = training.fit(&task.sparse(), &task.label_sets(), &mut rng).unwrap().model;
    let scores = |model: &MultinomialLogistic, task: &Task| {
        let mut scores = vec![0.0; 26];
        let mut all = Vec::new();
        for row in task.sparse().iter() {
            model.scores(row, &mut scores).unwrap();
            all.extend_from_slice(&scores);
        }
        all
    };
    let near = |other: &MultinomialLogistic, task: &Task, what: &str| {
        for (a, b) in scores(&dense, task).iter().zip(scores(other, task)) {
            assert!((a - b).abs() < 1e-5, "{what}: {a} is not {b}");
        }
    };
    near(&sparse, &task, "sparse");
    task.rows.reverse();
    task.labels.reverse();
    near(&task.fit(&training).0, &task, "reversed");
    // Units do not show either: the ridge is on standardised columns.
    task.rows.iter_mut().for_each(|row| row[2] *= 1e6);
    let (scaled, _) = task.fit(&training);
    let weights = |model: &MultinomialLogistic, a: usize, j: usize| model.weights(a).unwrap()[j];
    for a in 0..26 {
        assert!((weights(&dense, a, 2) - 1e6 * weights(&scaled, a, 2)).abs() < 1e-5);
    }
}

/// An example of two labels teaches as two half examples do: three rows of weight ⅓ are the six of weight ⅙.
#[test]
fn several_labels_have_equal_shares() {
    let mut task = Task::letters(200);
    let training = LogisticTraining::builder()
        .ridge(RIDGE)
        .max_epochs(500)
        .build()
        .unwrap()
        .with_tolerance(1e-8)
        .unwrap();
    let (shared, _) = task.fit(&training);
    let doubled = task.labels.iter().flat_map(|l| [vec![l[0]], vec![*l.last().unwrap()]]).collect();
    task.rows = task.rows.iter().flat_map(|row| [row.clone(), row.clone()]).collect();
    task.labels = doubled;
    let (single, _) = task.fit(&training);
    for (a, b) in shared.intercepts().iter().zip(single.intercepts()) {
        assert!((a - b).abs() < 1e-5, "{a} is not {b}");
    }
}

/// With all rows but one held out, every column is constant; nearly all rows are of that one's class, so that
/// the step towards it is an improvement, but in all rows together the class goes with a column.
#[test]
fn nothing_is_learnt_from_the_rows_held_out() {
    let mut task = Task::letters(100);
    let mut column: Vec<f64> = task.rows.iter().map(|row| row[2]).collect();
    column.sort_by(f64::total_cmp);
    task.labels = task.rows.iter().map(|row| vec![u32::from(row[2] >= column[95])]).collect();
    let training = LogisticTraining::builder().ridge(RIDGE).max_epochs(1).build().unwrap();
    let (all, _) = task.fit(&training);
    assert!(all.weights(1).unwrap()[2] > 0.0);
    let (one, record) = task.fit(&training.with_early_stopping(0.999, 5).unwrap());
    assert!(one.intercepts()[0] > 0.0 && record.held_out[1] < record.held_out[0]);
    assert!((0..26).all(|a| one.weights(a).unwrap().iter().all(|w| *w == 0.0)));
}

/// The model is the one of the least held-out loss, and the run ends `patience` epochs behind it.
#[test]
fn early_stopping_returns_the_best_epoch() {
    let task = Task::letters(600);
    let (mut stopped, patience) = (0, 3);
    for seed in 0..20 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let training = LogisticTraining::builder()
            .ridge(1e-4)
            .max_epochs(300)
            .build()
            .unwrap()
            .with_early_stopping(0.25, patience)
            .unwrap();
        let trained = training.fit(&task.dense(), &task.label_sets(), &mut rng).unwrap();
        let record = trained.record;
        let best = record.held_out.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(record.held_out[record.epoch], best);
        assert_eq!(record.held_out.iter().position(|loss| *loss == best), Some(record.epoch));
        assert!(record.held_out.len() <= record.epoch + patience + 1);
        stopped += usize::from(record.stop == LogisticStop::HeldOut);
        // The same draws, stopped by count at that epoch: the same model.
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let training = LogisticTraining::builder()
            .ridge(1e-4)
            .max_epochs(record.epoch)
            .build()
            .unwrap()
            .with_early_stopping(0.25, 300)
            .unwrap();
        let again = training.fit(&task.dense(), &task.label_sets(), &mut rng).unwrap();
        assert_eq!(again.model, trained.model);
    }
    assert_eq!(stopped, 20, "every run overfits 450 letters in time");
}

/// A larger ridge keeps a policy nearer to the uniform one; 0 epochs are the uniform one.
#[test]
fn a_ridge_makes_a_policy_mediocre() {
    let task = Task::letters(400);
    let size = |ridge: f64, epochs: usize| {
        let (model, _) =
            task.fit(&LogisticTraining::builder().ridge(ridge).max_epochs(epochs).build().unwrap());
        let theta = task.theta(&model, &task.scales(Columns::Standardised));
        theta.iter().flatten().map(|t| t * t).sum::<f64>()
    };
    assert_eq!(size(RIDGE, 0), 0.0);
    let sizes = [10.0, 1.0, 0.1, 0.01].map(|ridge| size(ridge, 300));
    assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
}
