//! Nets learn from real rows, end as they say, and are policies that are saved, loaded and evaluated.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a refusal where none is expected is a failure of the test"
)]

use datasets::{Name, SearchPath, StandIn, Targets, load, permutation};
use neural_policies::{Epoch, Net, NetError, NetFit, NetObjective, NetTraining, NetTrainingBuilder, Scaling};
use off_policy::policies::{Argmax, Policy, Scores, Softmax, Uniform};
use off_policy::{
    ActionNames, ActionSet, ActionSets, ContextColumn, LabelSets, Log, RewardStructure, Rewards, Schema,
    expected_reward, to_bandit,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use std::ops::ControlFlow;
use std::path::Path;

/// Mails in a seeded order, `from` to `to`, with their labels: spam or not.
fn mails(from: usize, to: usize) -> (RowMatrix, LabelSets) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/data");
    let search = SearchPath::from_environment(Some(&folder)).unwrap();
    let found = load(Name::Spambase, &search, StandIn { seed: 1, rows: None }).unwrap();
    assert_eq!(found.provenance.to_string(), "official files");
    let Targets::Classes { indices, .. } = found.targets else { panic!("mails have classes") };
    let order = permutation(indices.len(), 1, 0).unwrap();
    let classes: Vec<u32> = order[from..to].iter().map(|i| indices[*i]).collect();
    let contexts = found.features.select(order[from..to].iter().copied()).unwrap();
    (contexts, LabelSets::single(2, &classes).unwrap())
}

/// The log of a policy that tosses a coin, and is paid where it is right.
fn log() -> Log {
    let (contexts, labels) = mails(0, 2_500);
    let structure = RewardStructure::one_of_the_labels(2).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    to_bandit(contexts, &labels, &structure, &Uniform::new(2).unwrap(), &mut rng).unwrap()
}

fn small() -> NetTrainingBuilder {
    NetTraining::builder().first_layer_width(64).epochs(14).seed(4)
}

fn go_on(_: &Epoch) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn on_other_rows(policy: &impl Policy) -> f64 {
    let (contexts, labels) = mails(2_500, 4_601);
    let structure = RewardStructure::one_of_the_labels(2).unwrap();
    expected_reward(policy, &contexts, &labels, &structure).unwrap()
}

/// The log is right in half of its rows.
#[test]
fn nets_know_spam_better_than_the_log() {
    let log = log();
    let regression = small().build().unwrap().fit(&log, go_on).unwrap();
    let objective = NetObjective::BanditNet { translation: -0.5 };
    let bandit_net = small().objective(objective).build().unwrap().fit(&log, go_on).unwrap();
    let rewards = [
        on_other_rows(&Argmax::new(regression.net)),
        on_other_rows(&Argmax::new(bandit_net.net.clone())),
        on_other_rows(&Softmax::new(bandit_net.net, 1.0).unwrap()),
    ];
    assert!(rewards.iter().all(|reward| *reward > 0.85), "{rewards:?}");
}

/// The right action is the sign of x; the log is of an even policy.
fn signs() -> Log {
    let contexts = RowMatrix::dense(1, (0..300).map(|i| f64::from(i % 20) / 10.0 - 0.95).collect()).unwrap();
    let actions: Vec<u32> = (0..300).map(|i| (i / 20) % 2).collect();
    let right = |i: u32| u32::from(i % 20 >= 10);
    let rewards = (0..300).map(|i| f64::from(u8::from(right(i) == actions[i as usize]))).collect();
    Log::new(contexts, 2, actions, vec![0.5; 300], Rewards(rewards)).unwrap()
}

fn tiny() -> NetTrainingBuilder {
    NetTraining::builder().hidden_layers(1).first_layer_width(8).epochs(40).batch_size(30).seed(1)
}

#[test]
fn training_ends_after_its_patience_with_the_net_of_the_best_epoch() {
    let log = signs();
    let NetFit { net, best_epoch, epochs } = tiny().patience(3).build().unwrap().fit(&log, go_on).unwrap();
    assert!(epochs.len() < 40 && epochs.len() == best_epoch + 3, "{best_epoch} of {}", epochs.len());
    let numbers: Vec<usize> = epochs.iter().map(|epoch| epoch.epoch).collect();
    assert_eq!(numbers, (1..=epochs.len()).collect::<Vec<_>>());
    let best = epochs[best_epoch - 1].snips.unwrap();
    assert!(epochs[..best_epoch - 1].iter().all(|epoch| epoch.snips.unwrap_or(-1.0) < best));
    assert!(epochs[best_epoch..].iter().all(|epoch| epoch.snips.unwrap_or(-1.0) <= best));
    // Training that ends with that epoch has the same net.
    let shorter = tiny().patience(3).epochs(best_epoch).build().unwrap().fit(&log, go_on).unwrap();
    assert_eq!((&shorter.net, shorter.best_epoch), (&net, best_epoch));
    let policy = Argmax::new(net);
    let (mut sums, mut pi) = ([0.0; 2], [0.0; 2]);
    for row in log.iter() {
        policy.probabilities(row.context, row.on_offer, &mut pi).unwrap();
        sums[0] += pi[row.action] / row.propensity;
        sums[1] += pi[row.action] / row.propensity * row.reward;
    }
    assert!((sums[1] / sums[0] - best).abs() < 1e-12);
    assert!(best > 0.95, "{best}");
    assert!(epochs.last().unwrap().loss < 0.5 * epochs[0].loss);
}

#[test]
fn a_watcher_can_end_it() {
    let stop =
        |epoch: &Epoch| if epoch.epoch == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert_eq!(tiny().build().unwrap().fit(&signs(), stop).unwrap().epochs.len(), 2);
}

#[test]
fn a_seed_is_a_net() {
    let log = signs();
    let of = |seed| tiny().epochs(3).seed(seed).build().unwrap().fit(&log, go_on).unwrap();
    assert_eq!(of(1), of(1));
    assert_ne!(of(1).net, of(2).net);
    let with = |builder: NetTrainingBuilder| builder.build().unwrap().fit(&log, go_on).unwrap().net;
    for other in [tiny().batch_size(100), tiny().dropout(0.5), tiny().weight_decay(0.1)] {
        assert_ne!(with(other.epochs(3)), of(1).net);
    }
}

#[test]
fn actions_that_are_not_on_offer_are_never_played() {
    let sets = (0..300).map(|i| if i % 3 == 0 { vec![(i / 20) % 2] } else { vec![0_u32, 1] });
    let log = signs().with_action_sets(ActionSets::new(2, sets).unwrap()).unwrap();
    let objective = NetObjective::BanditNet { translation: -0.5 };
    let fit = tiny().objective(objective).build().unwrap().fit(&log, go_on).unwrap();
    let (mut pi, mut sums) = ([0.0; 2], [0.0; 2]);
    let policy = Softmax::new(fit.net, 1.0).unwrap();
    for row in log.iter() {
        policy.probabilities(row.context, row.on_offer, &mut pi).unwrap();
        assert!((0..2).all(|a| row.on_offer.contains(a) || pi[a] == 0.0));
        sums[0] += pi[row.action] / row.propensity;
        sums[1] += pi[row.action] / row.propensity * row.reward;
    }
    // An epoch is valued by the softmax policy among the actions on offer.
    let best = fit.epochs[fit.best_epoch - 1].snips.unwrap();
    assert!((sums[1] / sums[0] - best).abs() < 1e-9, "{sums:?}, {best}");
    assert!(fit.epochs.iter().all(|epoch| epoch.snips.is_some()));
}

#[test]
fn a_saved_net_scores_as_before() {
    let NetFit { net, .. } = tiny().epochs(3).build().unwrap().fit(&signs(), go_on).unwrap();
    let saved = serde_json::to_string(&net).unwrap();
    let again: Net = serde_json::from_str(&saved).unwrap();
    assert_eq!(again, net);
    let x = signs();
    assert_eq!(again.scores_of_rows(x.contexts()).unwrap(), net.scores_of_rows(x.contexts()).unwrap());
}

/// What is changed in a saved net, and a part of the message.
#[test]
fn files_that_no_training_leaves_are_refused() {
    let NetFit { net, .. } = tiny().epochs(1).build().unwrap().fit(&signs(), go_on).unwrap();
    let saved = serde_json::to_value(&net).unwrap();
    let refused = |at: &str, value: serde_json::Value| {
        let mut changed = saved.clone();
        *changed.pointer_mut(at).unwrap() = value;
        serde_json::from_value::<Net>(changed).unwrap_err().to_string()
    };
    let none = || serde_json::json!([]);
    for (at, value, message) in [
        ("/inputs", 0.into(), "inputs = 0 is outside"),
        ("/actions", 0.into(), "actions = 0 is outside"),
        ("/actions", u64::MAX.into(), "more than 2^28"),
        ("/inputs", 2.into(), "the shift has 1 coordinates, expected 2"),
        ("/actions", 3.into(), "layer 0 has 24 weights, expected 32"),
        ("/factor", none(), "the factor has 0 coordinates, expected 1"),
        ("/layers", none(), "layers = 0 is outside"),
        ("/layers/0/offsets", none(), "layer 0 has 0 units, expected 1"),
        ("/layers/1/offsets", serde_json::json!([1.0, 2.0]), "layer 1 has 2 units, expected 1"),
        ("/layers/1/weights", none(), "layer 1 has 0 weights, expected 8"),
        // Beyond single precision.
        ("/layers/1/weights/3", serde_json::json!(1e300), "number 3 of layer 1 is inf"),
    ] {
        let found = refused(at, value);
        assert!(found.contains(message), "{at}: {found}");
    }
    // A layer of many units behind one of a single unit has few weights, and many units for all actions.
    let layers = |width: usize| {
        let layer = |weights: usize, units: usize| serde_json::json!({ "weights": vec![1.0; weights], "offsets": vec![0.0; units] });
        [layer(1 + (1 << 15), 1), layer(width, width), layer(width, 1)]
    };
    let net = |width: usize| {
        let parts = serde_json::json!({
            "inputs": 1, "actions": 1 << 15, "shift": [0.0], "factor": [1.0], "layers": layers(width)
        });
        serde_json::from_value::<Net>(parts).map_err(|error| error.to_string())
    };
    assert!(net(1 << 13).is_ok());
    assert!(net((1 << 13) + 1).unwrap_err().contains("more than 2^28 units for a block of pairs"));
}

#[test]
fn settings_outside_their_ranges_are_refused_by_name() {
    let name = |builder: NetTrainingBuilder| match builder.build() {
        Err(NetError::BadParameter { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    let new = NetTraining::builder;
    assert_eq!(name(new().hidden_layers(0)), "hidden layers");
    assert_eq!(name(new().hidden_layers(65)), "hidden layers");
    assert_eq!(name(new().first_layer_width(0)), "width of the first layer");
    assert_eq!(name(new().epochs(0)), "epochs");
    assert_eq!(name(new().patience(0)), "patience");
    assert_eq!(name(new().batch_size(1)), "batch size");
    for bad in [-0.1, 1.0, f64::NAN] {
        assert_eq!(name(new().dropout(bad)), "dropout");
    }
    for bad in [-0.1, 1.1, f64::NAN] {
        assert_eq!(name(new().weight_decay(bad)), "weight decay");
    }
    for bad in [0.0, -1.0, 11.0, f64::NAN] {
        assert_eq!(name(new().learning_rate(bad)), "learning rate");
    }
    let turning = new().learning_rate(10.0).weight_decay(0.1);
    assert_eq!(name(turning), "learning rate × weight decay");
    assert!(turning.weight_decay(0.099).build().is_ok());
    for bad in [2e6, f64::NAN, f64::INFINITY] {
        let objective = NetObjective::BanditNet { translation: bad };
        assert_eq!(name(new().objective(objective)), "translation");
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(new().scaling(Scaling::Divided(bad))), "the divisor of inputs");
    }
}

#[test]
fn settings_are_read_as_they_are_built() {
    let text = r#"{"objective": {"bandit_net": {"translation": -0.4}}, "hidden_layers": 4,
        "first_layer_width": 512, "weight_decay": 1e-4, "scaling": {"divided": 255.0}, "seed": 3}"#;
    let built = NetTraining::builder()
        .objective(NetObjective::BanditNet { translation: -0.4 })
        .hidden_layers(4)
        .first_layer_width(512)
        .weight_decay(1e-4)
        .scaling(Scaling::Divided(255.0))
        .seed(3)
        .build()
        .unwrap();
    assert_eq!(serde_json::from_str::<NetTraining>(text).unwrap(), built);
    let again = serde_json::to_string(&built).unwrap();
    assert_eq!(serde_json::from_str::<NetTraining>(&again).unwrap(), built);
    for bad in [r#"{"dropout": 1.0}"#, r#"{"depth": 3}"#] {
        assert!(serde_json::from_str::<NetTraining>(bad).is_err());
    }
}

#[test]
fn contexts_are_scaled_by_mean_and_deviation_unless_they_are_indicators() {
    let rows = [[1e6, 0.0, 7.0, 1.0], [3e6, 1.0, 7.0, 2.0], [1e6, 1.0, 7.0, 0.0], [3e6, 0.0, 7.0, 1.0]];
    let log =
        |contexts| Log::new(contexts, 2, vec![0, 1, 0, 1], vec![0.5; 4], Rewards(vec![0.0; 4])).unwrap();
    let dense = log(RowMatrix::dense(4, rows.concat()).unwrap());
    let training = tiny().epochs(1).build().unwrap();
    let net = serde_json::to_value(training.fit(&dense, go_on).unwrap().net).unwrap();
    let deviation = 0.5_f64.sqrt();
    assert_eq!(net["shift"], serde_json::json!([2e6, 0.0, 7.0, 1.0]));
    let factor: Vec<f64> = serde_json::from_value(net["factor"].clone()).unwrap();
    let expected = [1e-6, 1.0, 0.0, 1.0 / deviation];
    assert!(factor.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{factor:?}");
    // The same rows, sparse.
    let entries: Vec<(u32, f64)> =
        rows.iter().flat_map(|row| (0..).zip(*row)).filter(|(_, x)| *x != 0.0).collect();
    let (indices, values) = entries.into_iter().unzip();
    let sparse = log(RowMatrix::sparse(4, vec![0, 3, 7, 10, 13], indices, values).unwrap());
    let of_sparse = serde_json::to_value(training.fit(&sparse, go_on).unwrap().net).unwrap();
    for name in ["shift", "factor"] {
        let of = |net: &serde_json::Value| serde_json::from_value::<Vec<f64>>(net[name].clone()).unwrap();
        let same = of(&net).iter().zip(of(&of_sparse)).all(|(a, b)| (a - b).abs() <= 1e-9 * a.abs());
        assert!(same, "{name}");
    }
}

#[test]
fn logs_and_contexts_beyond_the_range_are_refused() {
    let log = |x: Vec<f64>, rewards: Vec<f64>| {
        let n = x.len();
        let contexts = RowMatrix::dense(1, x).unwrap();
        Log::new(contexts, 2, vec![0; n], vec![0.5; n], Rewards(rewards)).unwrap()
    };
    let fit = |log: &Log| tiny().epochs(2).build().unwrap().fit(log, go_on);
    assert!(matches!(fit(&log(vec![1.0], vec![1.0])), Err(NetError::TooFewRows { rows: 1 })));
    let huge = log(vec![1.0, 2.0, 3.0, 5.0], vec![1e100, 0.0, 0.0, 1.0]);
    assert!(matches!(fit(&huge), Err(NetError::Diverged { epoch: 1 })));
    // A net that was trained on numbers near 1 is asked about a far one.
    let net = fit(&log(vec![1.0, 2.0, 3.0, 5.0], vec![1.0, 0.0, 0.0, 1.0])).unwrap().net;
    let mut scores = [0.0; 2];
    let found = net.scores(Row::dense(&[1e120]).unwrap(), &mut scores);
    assert!(found.is_err(), "{found:?}");
    let mut pi = [0.0; 2];
    let two = Row::dense(&[1.0, 2.0]).unwrap();
    assert!(Argmax::new(net.clone()).probabilities(two, ActionSet::all(2).unwrap(), &mut pi).is_err());
    assert!(net.scores(Row::dense(&[1.0]).unwrap(), &mut [0.0; 3]).is_err());
    assert!(net.scores_of_rows(&RowMatrix::dense(2, vec![0.0; 4]).unwrap()).is_err());
}

#[test]
fn layers_are_halved_down_to_32_units() {
    let widths = |first: usize, layers: usize| {
        let training = tiny().hidden_layers(layers).first_layer_width(first).epochs(1).build().unwrap();
        training.fit(&signs(), go_on).unwrap().net.widths()
    };
    assert_eq!(widths(100, 4), [100, 50, 32, 32]);
    assert_eq!(widths(20, 3), [20, 20, 20]);
}

#[test]
fn inputs_are_divided_or_left_as_they_are() {
    let scaled = |scaling| {
        let training = tiny().epochs(1).scaling(scaling).build().unwrap();
        let net = serde_json::to_value(training.fit(&signs(), go_on).unwrap().net).unwrap();
        (net["shift"].clone(), net["factor"].clone())
    };
    let numbers = |shift: f64, factor: f64| (serde_json::json!([shift]), serde_json::json!([factor]));
    assert_eq!(scaled(Scaling::Divided(250.0)), numbers(0.0, 0.004));
    assert_eq!(scaled(Scaling::None), numbers(0.0, 1.0));
}

/// More pairs than go through the layers together.
#[test]
fn rows_are_scored_together_as_they_are_alone() {
    // A log whose mean is not 0.
    let rows = (100..300).filter(|i| i % 20 >= 5);
    let NetFit { net, .. } =
        tiny().epochs(2).build().unwrap().fit(&signs().select(rows).unwrap(), go_on).unwrap();
    let x: Vec<f64> = (0..1_500).map(|i| f64::from(i * 37 % 1_501) / 750.0 - 1.0).collect();
    let together = net.scores_of_rows(&RowMatrix::dense(1, x.clone()).unwrap()).unwrap();
    // The same contexts without their zeros.
    let entries = (0..1_500).filter(|i| x[*i] != 0.0);
    let mut offsets = vec![0];
    offsets.extend(x.iter().scan(0, |sum, x| {
        *sum += usize::from(*x != 0.0);
        Some(*sum)
    }));
    let (indices, values) = entries.map(|i| (0_u32, x[i])).unzip();
    let sparse = RowMatrix::sparse(1, offsets, indices, values).unwrap();
    assert!(sparse.iter().any(|row| row.to_dense() == [0.0]));
    assert_eq!(net.scores_of_rows(&sparse).unwrap(), together);
    let mut alone = [0.0; 2];
    for (x, together) in x.iter().zip(together.chunks_exact(2)) {
        net.scores(Row::dense(&[*x]).unwrap(), &mut alone).unwrap();
        assert!(alone.iter().zip(together).all(|(a, b)| (a - b).abs() < 1e-5), "{alone:?}, {together:?}");
    }
}

/// A row that is left over has no part in the steps, nor in their mean loss.
#[test]
fn a_batch_of_one_row_is_left_out() {
    let contexts = RowMatrix::dense(1, vec![0.0, 1.0, 2.0]).unwrap();
    let rewards = Rewards(vec![1_000.0; 3]);
    let log = Log::new(contexts, 2, vec![0, 1, 0], vec![0.5; 3], rewards).unwrap();
    let fit = tiny().batch_size(2).epochs(1).build().unwrap().fit(&log, go_on).unwrap();
    // Predictions are near 0.
    assert!((fit.epochs[0].loss / 1e6 - 1.0).abs() < 0.1, "{:?}", fit.epochs);
}

#[test]
fn a_net_says_what_its_numbers_stand_for() {
    let number = |name: &str| ContextColumn::Number { name: name.into() };
    let schema = |inputs: &[&str], actions: &[&str]| {
        let actions = ActionNames::Labels(actions.iter().map(|name| (*name).into()).collect());
        Schema::new(inputs.iter().map(|name| number(name)).collect(), actions).unwrap()
    };
    let log = signs().with_schema(schema(&["x"], &["left", "right"])).unwrap();
    let NetFit { net, .. } = tiny().epochs(1).build().unwrap().fit(&log, go_on).unwrap();
    assert_eq!(net.schema(), log.schema());
    let saved = serde_json::to_value(&net).unwrap();
    assert_eq!(serde_json::from_value::<Net>(saved.clone()).unwrap(), net);
    for (other, message) in [
        (schema(&["x", "y"], &["left", "right"]), "the schema has 2 coordinates, expected 1"),
        (schema(&["x"], &["left", "right", "on"]), "the schema has 3 actions, expected 2"),
    ] {
        let mut changed = saved.clone();
        changed["schema"] = serde_json::to_value(other).unwrap();
        let found = serde_json::from_value::<Net>(changed).unwrap_err().to_string();
        assert!(found.contains(message), "{found}");
    }
}

/// One action, one reward for all, columns that never change, and numbers at the ends of their ranges: a net
/// or a refusal.
#[test]
fn strange_logs_do_no_harm() {
    let log = |x: [f64; 4], actions: usize, p: f64, r: [f64; 4]| {
        let contexts = RowMatrix::dense(1, x.to_vec()).unwrap();
        let logged = (0..4_u32).map(|i| i % u32::try_from(actions).unwrap()).collect();
        Log::new(contexts, actions, logged, vec![p; 4], Rewards(r.to_vec())).unwrap()
    };
    let (x, r) = ([1.0, 2.0, 3.0, 5.0], [0.0, 1.0, 1.0, 0.5]);
    let fine = [
        log(x, 1, 1.0, r),
        log(x, 3, 0.5, [0.7; 4]),
        log([4.0; 4], 2, 0.5, r),
        log(x, 2, 1e-30, r),
        log([-1e30, 1e30, 0.0, 2e30], 2, 0.5, r),
    ];
    let refused = [log(x, 2, 1e-130, r), log(x, 2, 0.5, [-1e130, 1e130, 0.0, 1.0])];
    for objective in [NetObjective::RewardRegression, NetObjective::BanditNet { translation: -0.5 }] {
        let training = tiny().epochs(3).batch_size(2).objective(objective).build().unwrap();
        for (k, log) in fine.iter().enumerate() {
            let fit = training.fit(log, go_on);
            assert!(fit.as_ref().is_ok_and(|fit| fit.epochs.len() == 3), "{objective:?}, {k}: {fit:?}");
        }
        let found = training.fit(&refused[1], go_on);
        assert!(matches!(found, Err(NetError::Diverged { .. } | NetError::NotFinite { .. })), "{found:?}");
        if objective != NetObjective::RewardRegression {
            let found = training.fit(&refused[0], go_on);
            assert!(
                matches!(found, Err(NetError::Diverged { .. } | NetError::NotFinite { .. })),
                "{found:?}"
            );
        }
    }
}
