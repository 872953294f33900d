//! Every method is that of its name, and the direct method evaluates the right policy.

use super::super::fixtures::{MOST, task};
use super::super::logging_policy::Explorer;
use super::*;
use datasets::{Contexts, Labels};
use off_policy::Rewards;
use rows::RowMatrix;

fn parameters(rounds: u32, max_depth: u32) -> Parameters {
    Parameters {
        rounds,
        max_depth,
        min_child_weight: 2.0,
        reg_lambda: 0.0,
        translation: -0.25,
        learning_rate: 0.5,
        net: None,
        clip: None,
    }
}

fn trial() -> Trial {
    task().trial(Explorer::of(TaskName::Scene), Some(MOST), 3, 1).unwrap()
}

fn trees(of: &Parameters) -> HistogramPairTree {
    HistogramPairTree::new(
        PairGrowth::builder()
            .max_depth(of.max_depth)
            .min_child_weight(of.min_child_weight)
            .reg_lambda(of.reg_lambda)
            .build()
            .unwrap(),
    )
}

/// The model's value of the argmax policy: not of the softmax policy, not of the model's own choice, and not
/// on other rows.
#[test]
fn the_direct_method_evaluates_the_argmax_policy() {
    // One column determines the right one of six actions, so that a model can distinguish actions.
    let (mut task, name) = (task(), TaskName::Scene);
    let right = |i: u32| i * i % 7 % 6;
    task.labelled_mut().unwrap().data.contexts =
        Contexts::Rows(RowMatrix::dense(1, (0..400).map(|i| f64::from(right(i))).collect()).unwrap());
    task.labelled_mut().unwrap().data.labels = Labels::multiclass(6, (0..400).map(right).collect()).unwrap();
    let trial = task.trial(Explorer::of(name), Some(MOST), 3, 1).unwrap();
    let (own, model) = (parameters(4, 2), parameters(20, 8));
    let rows = &trial.test;
    let run = Run { trial: &trial, parameters: &own, rows, tick: &|_| () };
    let (_, scores) = run.boost::<Bopl, _>(trees(&own), &trial.contexts, PAPER).unwrap();
    let said_by = |model| {
        let run = Run { parameters: model, ..run };
        run.reward_regression(trees(model)).unwrap().1
    };
    let predicted = said_by(&model);
    let actions = trial.log.actions();
    let rows_of = |scores: &[f64], predicted: &[f64], pi: &dyn Fn(&[f64]) -> Vec<f64>| {
        let of_row = |(scores, predicted): (&[f64], &[f64])| {
            pi(scores).iter().zip(predicted).map(|(p, r)| p * r).sum::<f64>()
        };
        let rows = scores.chunks(actions).zip(predicted.chunks(actions));
        rows.map(of_row).sum::<f64>() / (scores.len() / actions) as f64
    };
    let argmax = |scores: &[f64]| {
        let best = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let first = scores.iter().position(|score| score.total_cmp(&best).is_eq());
        (0..scores.len()).map(|a| f64::from(u8::from(Some(a) == first))).collect::<Vec<_>>()
    };
    let softmax = |scores: &[f64]| {
        let sum: f64 = scores.iter().map(|score| score.exp()).sum();
        scores.iter().map(|score| score.exp() / sum).collect::<Vec<_>>()
    };
    let said = |method: Method| {
        let history = method.train(name, &trial, (&own, &model), rows, (None, &|_| ())).unwrap();
        history.direct_method.unwrap()
    };
    let found = said(Method::BoplRegr);
    assert!((found - rows_of(&scores, &predicted, &argmax)).abs() < 1e-12, "{found}");
    for other in [
        rows_of(&scores, &predicted, &softmax),
        rows_of(&predicted, &predicted, &argmax),
        rows_of(&scores, &said_by(&own), &argmax),
    ] {
        assert!((found - other).abs() > 1e-6, "{found}, {other}: the policies do not differ");
    }
    // BRR-gb is its own model.
    let brr_gb = said_by(&own);
    assert!((said(Method::BrrGb) - rows_of(&brr_gb, &brr_gb, &argmax)).abs() < 1e-12);
    // Other methods have no estimate, as in the paper's table.
    let none = Method::BoplClass.train(name, &trial, (&own, &model), rows, (None, &|_| ())).unwrap();
    assert_eq!(none.direct_method, None);
}

fn histories() -> impl Fn(Method) -> History {
    let (trial, own) = (trial(), parameters(4, 3));
    move |method| {
        let name = TaskName::Covertype;
        without_times(method.train(name, &trial, (&own, &own), &trial.test, (None, &|_| ())).unwrap())
    }
}

fn without_times(mut history: History) -> History {
    history.seconds = 0.0;
    history.snapshots.iter_mut().for_each(|snapshot| snapshot.seconds = None);
    history
}

/// 1/p at most 1.5 is p at least ⅔.
#[test]
fn a_clip_cuts_the_weights() {
    let (mut trial, whole) = (trial(), parameters(4, 3));
    let rewards = |trial: &Trial, own: &Parameters| {
        let run = Run { trial, parameters: own, rows: &trial.test, tick: &|_| () };
        let trees = trees(own);
        let (history, _) = run.boost::<BoplS, _>(trees, &trial.contexts, PAPER).unwrap();
        history.snapshots.iter().filter_map(|snapshot| snapshot.objective).collect::<Vec<_>>()
    };
    let unclipped = rewards(&trial, &whole);
    let clipped = rewards(&trial, &Parameters { clip: Some(1.5), ..whole });
    let log = &trial.log;
    let propensities = log.propensities().iter().map(|p| p.max(1.0 / 1.5)).collect();
    let (contexts, actions) = (log.contexts().clone(), log.logged_actions().to_vec());
    let rewarded = Rewards(log.rewards().to_vec());
    trial.log = Log::new(contexts, log.actions(), actions, propensities, rewarded).unwrap();
    assert_ne!(clipped, unclipped);
    for (one, other) in clipped.iter().zip(rewards(&trial, &whole)) {
        assert!((one - other).abs() < 1e-9, "{one}, {other}");
    }
}

/// Every method has the objective, the base learner and the steps of its name.
#[test]
fn every_method_has_the_objective_learner_and_steps_of_its_name() {
    let (trial, own) = (trial(), parameters(4, 3));
    let run = Run { trial: &trial, parameters: &own, rows: &trial.test, tick: &|_| () };
    let signs = || {
        let growth = PairGrowth::builder()
            .max_depth(own.max_depth)
            .min_child_weight(own.min_child_weight)
            .reg_lambda(own.reg_lambda)
            .build()
            .unwrap();
        Classification::new(HistogramPairTree::new(growth.of_signs()))
    };
    let (regr, x, of) = (|| trees(&own), &trial.contexts, histories());
    // A leaf of six actions needs six times the weight.
    let growth = PairGrowth::builder()
        .max_depth(own.max_depth)
        .min_child_weight(6.0 * own.min_child_weight)
        .reg_lambda(own.reg_lambda)
        .build()
        .unwrap();
    let (leaves, rows) = (VectorLeafLearner::new(growth), BinnedColumns::new(x.matrix().clone()).unwrap());
    for (method, history) in [
        (Method::BrrGb, run.reward_regression(regr())),
        (Method::BoplRegr, run.boost::<Bopl, _>(regr(), x, Step::Closed(Smoothness::Paper))),
        (Method::BoplClass, run.boost::<Bopl, _>(signs(), x, Step::Closed(Smoothness::Paper))),
        (Method::BoplSRegr, run.boost::<BoplS, _>(regr(), x, Step::Closed(Smoothness::Paper))),
        (Method::BoplCsRegr, run.boost::<BoplS, _>(regr(), x, Step::Closed(Smoothness::Paper))),
        (Method::BoplSClass, run.boost::<BoplS, _>(signs(), x, Step::Closed(Smoothness::Paper))),
        (Method::SharpRegr, run.boost::<Bopl, _>(regr(), x, Step::Closed(Smoothness::Sharp))),
        (Method::SharpClass, run.boost::<Bopl, _>(signs(), x, Step::Closed(Smoothness::Sharp))),
        (Method::SharpSteps, run.boost::<BoplS, _>(regr(), x, Step::Closed(Smoothness::Sharp))),
        (Method::SharpSClass, run.boost::<BoplS, _>(signs(), x, Step::Closed(Smoothness::Sharp))),
        (Method::LineSearch, run.boost::<BoplS, _>(regr(), x, Step::LineSearch)),
        (
            Method::SecondOrder,
            run.boost::<BoplS, _>(regr(), x, Step::SecondOrder { learning_rate: own.learning_rate }),
        ),
        (Method::VectorLeaves, run.boost::<BoplS, _>(leaves, &rows, Step::Closed(Smoothness::Paper))),
    ] {
        assert_eq!(of(method), without_times(history.unwrap().0), "{method}");
    }
}

/// In the first round the gradients are equal: the sharp constants have the lower bound, and a line search
/// the largest decrease.
#[test]
fn sharp_steps_have_a_lower_bound_after_the_first_round() {
    let of = histories();
    let first = |method: Method| of(method).snapshots[0];
    for (sharp, paper) in [
        (Method::SharpRegr, Method::BoplRegr),
        (Method::SharpClass, Method::BoplClass),
        (Method::SharpSteps, Method::BoplSRegr),
        (Method::SharpSClass, Method::BoplSClass),
    ] {
        let (sharp, paper) = (first(sharp), first(paper));
        assert_eq!(sharp.gradient_norm.to_bits(), paper.gradient_norm.to_bits());
        assert!(sharp.bound < paper.bound, "{sharp:?}, {paper:?}");
    }
    let [searched, sharp, paper] =
        [Method::LineSearch, Method::SharpSteps, Method::BoplSRegr].map(|method| first(method).objective);
    assert!(searched < sharp && sharp < paper, "{searched:?}, {sharp:?}, {paper:?}");
}

/// The norm of BRR-gb's first gradient is that of the rewards themselves, and the evaluation rows are the
/// given rows.
#[test]
fn a_history_is_evaluated_on_the_given_rows() {
    let (trial, own) = (trial(), parameters(3, 3));
    let name = TaskName::Scene;
    let of = |method: Method, rows| method.train(name, &trial, (&own, &own), rows, (None, &|_| ())).unwrap();
    let brr_gb = of(Method::BrrGb, &trial.test);
    let norm = trial.log.rewards().iter().map(|r| r * r).sum::<f64>().sqrt();
    assert!((brr_gb.snapshots[0].gradient_norm - norm).abs() < 1e-9);
    for rows in [&trial.validation, &trial.test] {
        let logs = of(Method::Logging, rows);
        assert_eq!(logs.reward.to_bits(), rows.logging.to_bits());
        let known = logs.logging.unwrap();
        assert_eq!(known.on_validation.to_bits(), trial.validation.logging.to_bits());
        assert_eq!(known.least_propensity.to_bits(), trial.least_propensity.to_bits());
    }
}

/// Every fifth row stops the run, and the rounds after the best one do not count.
#[test]
fn regression_is_stopped_by_a_fifth_of_the_log() {
    let (trial, own) = (trial(), Parameters { min_child_weight: 0.1, ..parameters(60, 6) });
    let part = |is_held_out: bool| {
        let rows: Vec<usize> = (0..trial.log.len()).filter(|row| (row % 5 == 4) == is_held_out).collect();
        trial.log.select(rows).unwrap()
    };
    let (train, held_out) = (part(false), part(true));
    let contexts = BinnedContexts::with_bins(train.contexts().clone(), trial.bins).unwrap();
    let stopping = EarlyStopping::builder(&held_out).rounds(60).patience(20).build().unwrap();
    let rows = [&trial.validation, &trial.test];
    let mut rewards = Vec::new();
    for (method, mut run) in [
        (Method::BrrSquared, RewardRegression::new(&train, trees(&own), 0.5).unwrap()),
        (Method::BrrLogistic, RewardRegression::logistic(&train, trees(&own), 0.5).unwrap()),
    ] {
        let end = run.fit(&contexts, &stopping).unwrap();
        assert!(end.best_round + 20 == run.ensemble().len(), "{method}: {end:?}");
        for rows in rows {
            let expected = |rounds: usize| {
                let mut scores = rows.no_scores();
                for Member { alpha, predictor } in run.ensemble().prefix(rounds).members() {
                    rows.add(predictor, *alpha, &mut scores).unwrap();
                }
                scores
            };
            let start = match method {
                Method::BrrSquared => RewardRegression::new,
                _ => RewardRegression::logistic,
            };
            let of = Run { trial: &trial, parameters: &own, rows, tick: &|_| () };
            let (history, scores) = of.stopped_early(trees(&own), start).unwrap();
            assert_eq!(scores, expected(end.best_round), "{method}");
            assert_ne!(scores, expected(run.ensemble().len()), "{method}");
            assert_eq!(history.rounds as usize, end.best_round);
            let by_name = method.train(TaskName::Scene, &trial, (&own, &own), rows, (None, &|_| ())).unwrap();
            assert_eq!(without_times(by_name), without_times(history), "{method}");
            rewards.push(scores);
        }
    }
    assert_ne!(rewards[0], rewards[2], "the losses do not differ");
}

/// Inputs are scaled task by task \[L23, Appendix F.1\], and a net has the seed of its trial.
#[test]
fn a_net_is_asked_for_with_the_scaling_of_its_task() {
    let trial = trial();
    let asked = |task: TaskName| {
        let own = Parameters::table_5(Method::BanditNet, task);
        let run = Run { trial: &trial, parameters: &own, rows: &trial.test, tick: &|_| () };
        serde_json::to_value(run.net(task, serde_json::json!("reward_regression")).unwrap()).unwrap()
    };
    for task in TaskName::ALL {
        let scaling = match task {
            TaskName::Fashion | TaskName::FashionPooled => serde_json::json!({ "divided": 255.0 }),
            TaskName::Scene | TaskName::Tmc | TaskName::TmcRepeated => serde_json::json!("none"),
            _ => serde_json::json!("standard"),
        };
        assert_eq!(asked(task)["training"]["scaling"], scaling, "{task}");
    }
    let fashion = asked(TaskName::Fashion);
    let expected = serde_json::json!({ "training": {
        "objective": "reward_regression", "hidden_layers": 4, "first_layer_width": 512, "dropout": 0.1,
        "weight_decay": 1e-5, "learning_rate": 0.01, "epochs": 1000, "batch_size": 100,
        "scaling": { "divided": 255.0 }, "seed": 1,
    } });
    assert_eq!(fashion, expected);
}
