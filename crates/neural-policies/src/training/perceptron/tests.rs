//! Gradients against finite differences, folded layers against those in training, steps against the rule.

use super::*;
use crate::training::NetObjective;
use crate::training::batches::Batches;
use off_policy::policies::Scores;
use off_policy::{ActionSets, Log, Rewards};
use rand::SeedableRng;
use rows::RowMatrix;

const ROWS: usize = 7;
const INPUTS: usize = 2;
const ACTIONS: usize = 3;

fn rng(stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    rng.set_stream(stream);
    rng
}

fn log() -> Log {
    let mut rng = rng(0);
    let x = (0..ROWS * INPUTS).map(|_| rng.random_range(-1.0..1.0)).collect();
    let actions = vec![0, 1, 2, 0, 1, 2, 0];
    let propensities = (0..ROWS).map(|_| rng.random_range(0.2..0.9)).collect();
    let rewards = (0..ROWS).map(|_| rng.random_range(-0.5..1.0)).collect();
    let contexts = RowMatrix::dense(INPUTS, x).unwrap();
    Log::new(contexts, ACTIONS, actions, propensities, Rewards(rewards)).unwrap()
}

/// The same log with one action less on offer in some rows.
fn with_sets() -> Log {
    let on_offer = |i: u32| (0..3).filter(move |a| i.is_multiple_of(2) || *a != (i + 1) % 3);
    let sets = (0..7).map(|i| on_offer(i).collect::<Vec<u32>>());
    log().with_action_sets(ActionSets::new(ACTIONS, sets).unwrap()).unwrap()
}

fn plain() -> (Vec<f64>, Vec<f64>) {
    (vec![0.0; INPUTS], vec![1.0; INPUTS])
}

fn batch(log: &Log, objective: NetObjective) -> Batch {
    Batches::new(log, &plain(), objective).of(&(0..ROWS).collect::<Vec<_>>())
}

fn double() -> Arithmetic {
    Arithmetic { device: Device::flex().autodiff(), precision: DType::F64 }
}

/// A perceptron of two hidden layers.
fn perceptron(arithmetic: &Arithmetic) -> Perceptron {
    perceptron_of(&[5, 4], arithmetic)
}

/// A perceptron whose offsets are none of the numbers that training starts from.
fn perceptron_of(widths: &[usize], arithmetic: &Arithmetic) -> Perceptron {
    let mut found = Perceptron::draw(INPUTS + ACTIONS, widths, arithmetic, &mut rng(1)).unwrap();
    let mut rng = rng(2);
    for offsets in &mut found.offsets {
        let width = offsets.dims()[0];
        let drawn: Vec<f32> = (0..width).map(|_| rng.random_range(0.3..0.9)).collect();
        *offsets = arithmetic.tensor(drawn, [width]);
    }
    found
}

const OBJECTIVES: [NetObjective; 2] =
    [NetObjective::RewardRegression, NetObjective::BanditNet { translation: -0.3 }];

fn values<const D: usize>(tensor: Tensor<D>) -> Vec<f64> {
    tensor.into_data().iter::<f64>().collect()
}

/// `tensor` with `change` added to its k-th number.
fn moved<const D: usize>(tensor: &Tensor<D>, k: usize, change: f64, arithmetic: &Arithmetic) -> Tensor<D> {
    let shape = tensor.dims();
    let mut unit = vec![0.0; shape.iter().product()];
    unit[k] = 1.0;
    tensor.clone() + arithmetic.tensor(unit, shape).mul_scalar(change)
}

#[test]
fn gradients_are_those_of_finite_differences() {
    let arithmetic = double();
    let start = perceptron(&arithmetic);
    let h = 1e-6;
    for (log, objective) in [log(), with_sets()].iter().flat_map(|log| OBJECTIVES.map(|of| (log, of))) {
        let batch = batch(log, objective);
        let loss_at = |of: Perceptron| of.loss(&batch, &arithmetic, None).value();
        let loss = start.loss(&batch, &arithmetic, None);
        let mut gradients = loss.gradients();
        let (mut compared, mut largest) = (0, 0.0_f64);
        let mut compare = |slope: f64, found: f64| {
            assert!((slope - found).abs() < 1e-7 + 1e-6 * slope.abs(), "{objective:?}: {slope} and {found}");
            compared += 1;
            largest = largest.max(slope.abs());
        };
        for (l, leaf) in loss.of.weights.iter().enumerate() {
            for (k, found) in values(leaf.grad_remove(&mut gradients).unwrap()).into_iter().enumerate() {
                let at = |change: f64| {
                    let mut of = start.clone();
                    of.weights[l] = moved(&start.weights[l], k, change, &arithmetic);
                    loss_at(of)
                };
                compare((at(h) - at(-h)) / (2.0 * h), found);
            }
        }
        for (l, leaf) in loss.of.offsets.iter().enumerate() {
            for (k, found) in values(leaf.grad_remove(&mut gradients).unwrap()).into_iter().enumerate() {
                let at = |change: f64| {
                    let mut of = start.clone();
                    of.offsets[l] = moved(&start.offsets[l], k, change, &arithmetic);
                    loss_at(of)
                };
                compare((at(h) - at(-h)) / (2.0 * h), found);
            }
        }
        assert_eq!(compared, 5 * 5 + 5 * 4 + 4 + 2 * 5 + 2 * 4 + 1);
        assert!(largest > 0.05, "{objective:?}: all slopes are small");
    }
}

/// After many looks at one batch the running moments are those of the batch, so that the net scores as the
/// layers in training did.
#[test]
fn the_net_is_the_perceptron_in_training() {
    let arithmetic = Arithmetic::single(Device::flex().autodiff());
    for (log, objective) in [log(), with_sets()].iter().flat_map(|log| OBJECTIVES.map(|of| (log, of))) {
        let batch = batch(log, objective);
        let mut of = perceptron(&arithmetic);
        let mut value = 0.0;
        for _ in 0..300 {
            let loss = of.loss(&batch, &arithmetic, None);
            value = loss.value();
            of = loss.of;
        }
        let net = crate::Net::of(log, plain(), of.layers()).unwrap();
        assert_eq!(net.widths(), [5, 4]);
        let scores = net.scores_of_rows(log.contexts()).unwrap();
        let mut one_by_one = [0.0; ACTIONS];
        let mut expected = 0.0;
        for (row, scores) in log.iter().zip(scores.chunks_exact(ACTIONS)) {
            net.scores(row.context, &mut one_by_one).unwrap();
            let apart = one_by_one.iter().zip(scores).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-6, "{apart}");
            expected += match objective {
                NetObjective::RewardRegression => (scores[row.action] - row.reward).powi(2),
                NetObjective::BanditNet { translation } => {
                    let on_offer = |a: &usize| row.on_offer.contains(*a);
                    let sum: f64 = (0..ACTIONS).filter(on_offer).map(|a| scores[a].exp()).sum();
                    -scores[row.action].exp() / sum * (row.reward + translation) / row.propensity
                }
            };
        }
        expected /= ROWS as f64;
        assert!((value - expected).abs() < 1e-5, "{objective:?}: {value} and {expected}");
    }
}

#[test]
fn running_moments_are_those_of_all_units_of_the_batch() {
    let arithmetic = double();
    let log = log();
    for objective in OBJECTIVES {
        let start = perceptron(&arithmetic);
        let of = start.loss(&batch(&log, objective), &arithmetic, None).of;
        let weights = values(start.weights[0].clone());
        let unit = |x: &[f64], a: usize, o: usize| {
            x.iter().enumerate().map(|(i, x)| x * weights[i * 5 + o]).sum::<f64>()
                + weights[(INPUTS + a) * 5 + o]
        };
        for o in 0..5 {
            let mut units = Vec::new();
            for row in log.iter() {
                // Inputs are in single precision.
                #[allow(clippy::cast_possible_truncation, reason = "as the batches do")]
                let x: Vec<f64> = row.context.to_dense().iter().map(|x| f64::from(*x as f32)).collect();
                match objective {
                    NetObjective::RewardRegression => units.push(unit(&x, row.action, o)),
                    NetObjective::BanditNet { .. } => units.extend((0..ACTIONS).map(|a| unit(&x, a, o))),
                }
            }
            let n = units.len() as f64;
            let mean = units.iter().sum::<f64>() / n;
            let variance = units.iter().map(|unit| (unit - mean).powi(2)).sum::<f64>() / n;
            let [running_mean, running_variance] = of.moments[0].clone().map(|tensor| values(tensor)[o]);
            assert!((running_mean - 0.1 * mean).abs() < 1e-9);
            assert!((running_variance - (0.9 + 0.1 * variance)).abs() < 1e-9);
        }
    }
}

/// All numbers of all parameters: weights, then γ, β and the last offset.
fn numbers_of(of: &Perceptron) -> Vec<Vec<f64>> {
    let weights = of.weights.iter().map(|tensor| values(tensor.clone()));
    weights.chain(of.offsets.iter().map(|tensor| values(tensor.clone()))).collect()
}

/// Whatever the width of a layer.
#[test]
fn first_weights_are_as_large_as_those_of_mxnet() {
    let of = Perceptron::draw(900, &[40, 30], &double(), &mut rng(4)).unwrap();
    for weights in numbers_of(&of).iter().take(3) {
        let largest = weights.iter().map(|weight| weight.abs()).fold(0.0, f64::max);
        assert!(largest > 0.06 && largest < 0.07 + 1e-7, "{largest}");
        let square = weights.iter().map(|weight| weight * weight).sum::<f64>() / weights.len() as f64;
        assert!((square.sqrt() - 0.07 / 3.0_f64.sqrt()).abs() < 0.01, "{square}");
    }
}

#[test]
fn steps_are_those_of_adagrad() {
    let arithmetic = double();
    let (eta, decay) = (0.05, 0.125);
    let batch = batch(&log(), OBJECTIVES[1]);
    let mut of = perceptron(&arithmetic);
    let mut adagrad = Adagrad::new(&of, eta, decay);
    let mut squares: Vec<Vec<f64>> = numbers_of(&of).iter().map(|part| vec![0.0; part.len()]).collect();
    for step in 0..3 {
        let loss = of.loss(&batch, &arithmetic, None);
        let found = loss.gradients();
        let weights = loss.of.weights.iter().map(|leaf| values(leaf.grad(&found).unwrap()));
        let offsets = loss.of.offsets.iter().map(|leaf| values(leaf.grad(&found).unwrap()));
        let gradients: Vec<Vec<f64>> = weights.chain(offsets).collect();
        let before = numbers_of(&of);
        let after = adagrad.step(of.loss(&batch, &arithmetic, None));
        for (part, found) in numbers_of(&after).into_iter().enumerate() {
            for (k, found) in found.into_iter().enumerate() {
                let (g, theta) = (gradients[part][k], before[part][k]);
                squares[part][k] += g * g;
                let expected = theta - eta * (g / (squares[part][k] + 1e-7).sqrt() + decay * theta);
                assert!((found - expected).abs() < 1e-9, "step {step}: {found} and {expected}");
            }
        }
        of = after;
    }
}

/// A loss in which all units are left out knows the last offset alone. With one hidden layer it shows that
/// those of the first are left out.
#[test]
fn steps_leave_out_units() {
    let arithmetic = double();
    let all = 1.0 - 1e-12;
    for (log, widths) in [(log(), &[5, 4][..]), (with_sets(), &[5, 4]), (log(), &[5])] {
        let start = perceptron_of(widths, &arithmetic);
        let offset = values(start.offsets[2 * widths.len()].clone())[0];
        let loss = |objective, dropout: Option<&mut Dropout>| {
            start.loss(&batch(&log, objective), &arithmetic, dropout).value()
        };
        let found = OBJECTIVES.map(|objective| loss(objective, Some(&mut Dropout::new(all, rng(3)))));
        let (mut squares, mut costs) = (0.0, 0.0);
        for row in log.iter() {
            squares += (offset - row.reward).powi(2) / ROWS as f64;
            costs -= (row.reward - 0.3) / row.propensity / row.on_offer.len() as f64 / ROWS as f64;
        }
        let apart = [found[0] - squares, found[1] - costs];
        assert!(apart.iter().all(|apart| apart.abs() < 1e-5), "{found:?}, expected {squares} and {costs}");
        assert!(OBJECTIVES.iter().zip(found).all(|(of, found)| (loss(*of, None) - found).abs() > 1e-3));
    }
}

#[test]
fn dropout_leaves_out_its_share_and_keeps_the_mean() {
    let arithmetic = Arithmetic::single(Device::flex().autodiff());
    // Rows that are all the same have no variance, so that the units are β.
    let all = |value: f32| arithmetic.tensor(vec![value; 200], [200]);
    let apply = |dropout: &mut Dropout| {
        let z = arithmetic.tensor(vec![3.0; 40_000], [200, 200]);
        HiddenUnits::of(z, all(2.0), all(1.0), EPSILON, dropout.draw([200, 200])).units
    };
    let mut dropout = Dropout::new(0.2, rng(3));
    let found = values(apply(&mut dropout));
    let left_out = found.iter().filter(|unit| **unit == 0.0).count() as f64 / 40_000.0;
    assert!((left_out - 0.2).abs() < 0.01, "{left_out}");
    assert!(found.iter().all(|unit| *unit == 0.0 || (unit - 1.25).abs() < 1e-6));
    assert_ne!(values(apply(&mut dropout)), found, "every step draws anew");
    assert_eq!(values(apply(&mut Dropout::new(0.2, rng(3)))), found);
    assert!(values(apply(&mut Dropout::new(0.0, rng(3)))).iter().all(|unit| *unit == 1.0));
}

/// The operation of a hidden layer against burn's own operations in double precision, from the same numbers:
/// the units, the moments, and the gradients of p, q, γ and β. Blocks of rows are whole and not whole.
#[test]
fn hidden_units_are_those_of_burns_operations() {
    use burn_core::tensor::{activation::relu, module::batch_norm_train};
    for (precision, within) in [(DType::F64, 1e-11), (DType::F32, 5e-5)] {
        let ours = Arithmetic { precision, ..double() };
        for (rows, actions, width) in [(9, 1, 2), (31, 1, 3), (64, 1, 17), (77, 1, 40), (5, 2, 3), (70, 4, 9)]
        {
            let (mut rng, pairs) = (rng(9), rows * actions);
            let mut drawn = |count: usize, from: f32| {
                (0..count).map(|_| rng.random_range(from..from + 2.0)).collect::<Vec<f32>>()
            };
            // Means that are large beside the deviations.
            let [p, q] = [(rows, 30.0), (actions, -20.0)].map(|(rows, from)| drawn(rows * width, from));
            let [gamma, beta] = [0.5, -1.0].map(|from| drawn(width, from));
            let slopes = drawn(pairs * width, -1.0);
            let kept = Dropout::new(0.25, self::rng(10)).draw([pairs, width]);
            let mask = kept.mask.as_ref().unwrap().iter().map(|kept| f32::from(*kept)).collect::<Vec<_>>();
            let leaves = |arithmetic: &Arithmetic, q: &[f32]| {
                let table = |numbers: &[f32]| arithmetic.tensor(numbers, [numbers.len() / width, width]);
                let scales = [&gamma, &beta].map(|scale| arithmetic.tensor(scale.as_slice(), [width]));
                ([table(&p), table(q)].map(Tensor::require_grad), scales.map(Tensor::require_grad))
            };
            type Leaves = ([Tensor<2>; 2], [Tensor<1>; 2]);
            let gradients = |arithmetic: &Arithmetic, (parts, scales): &Leaves, units: Tensor<2>| {
                let slopes = arithmetic.tensor(slopes.as_slice(), [pairs, width]);
                let mut gradients = (units * slopes).sum().backward();
                let of_parts = parts.clone().map(|leaf| leaf.grad_remove(&mut gradients).map(values));
                let of_scales = scales.clone().map(|leaf| leaf.grad_remove(&mut gradients).map(values));
                [of_parts, of_scales].concat()
            };
            let of_ours = |hidden: HiddenUnits, leaves: &Leaves| {
                let moments = values(hidden.moments);
                let [mean, variance] = [0, 1].map(|k| Some(moments[k * width..(k + 1) * width].to_vec()));
                let units = Some(values(hidden.units.clone()));
                [vec![mean, variance, units], gradients(&ours, leaves, hidden.units)].concat()
            };
            // A unit of nearly 0 may be above it in one precision and below in the other: gradients are those
            // through the units that are positive in ours.
            let of_burn = |q: &[f32], units_of_ours: &[f64]| {
                let (arithmetic, leaves) = (double(), leaves(&double(), q));
                let ([p, q], [gamma, beta]) = leaves.clone();
                let z = (p.unsqueeze_dim::<3>(1) + q.unsqueeze_dim::<3>(0)).reshape([pairs, width]);
                let normal = batch_norm_train(z, gamma, beta, EPSILON);
                let factors = |gate: Vec<f32>| arithmetic.tensor(gate, [pairs, width]).mul_scalar(1.0 / 0.75);
                let units = relu(normal.output.clone()) * factors(mask.clone());
                let is_positive = units_of_ours.iter().map(|unit| f32::from(u8::from(*unit > 0.0))).collect();
                let through = normal.output * factors(is_positive);
                let values = [normal.mean, normal.variance].map(|each| Some(values(each)));
                let values = [values.to_vec(), vec![Some(self::values(units))]].concat();
                [values, gradients(&arithmetic, &leaves, through)].concat()
            };
            let names = ["mean", "variance", "units", "of p", "of q", "of gamma", "of beta"];
            let same = |ours: Vec<Option<Vec<f64>>>, theirs: Vec<Option<Vec<f64>>>, compared: usize| {
                assert_eq!([ours.len(), theirs.len()], [names.len(); 2]);
                let both = ours.into_iter().zip(theirs).zip(names);
                let both = both.filter_map(|((ours, theirs), name)| Some((ours?, theirs?, name)));
                let counted = both.map(|(ours, theirs, name)| {
                    assert_eq!(ours.len(), theirs.len(), "{name}");
                    let apart = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                    let largest = theirs.iter().map(|number| number.abs()).fold(0.0, f64::max);
                    // The gradient of the only row of q is 0: moments take the row away.
                    assert!(largest > 0.1 || (name == "of q" && actions == 1), "{name}: nothing is compared");
                    let within = within * largest.max(1.0);
                    assert!(
                        apart <= within,
                        "{name} of {rows} × {actions} × {width}, {precision:?}: {apart}"
                    );
                });
                assert_eq!(counted.count(), compared);
            };
            let leaves_of_pairs = leaves(&ours, &q);
            let ([p, q_leaf], [gamma, beta]) = leaves_of_pairs.clone();
            let hidden = HiddenUnits::of_pairs(p, q_leaf, gamma, beta, EPSILON, kept.clone());
            let found = of_ours(hidden, &leaves_of_pairs);
            let theirs = of_burn(&q, found[2].as_deref().unwrap());
            same(found, theirs, 7);
            if actions == 1 {
                let zero = vec![0.0; width];
                let leaves = leaves(&ours, &zero);
                let ([p, _], [gamma, beta]) = leaves.clone();
                let found = of_ours(HiddenUnits::of(p, gamma, beta, EPSILON, kept), &leaves);
                let theirs = of_burn(&zero, found[2].as_deref().unwrap());
                same(found, theirs, 6);
            }
        }
    }
}

#[test]
fn too_many_weights_are_refused_before_they_are_allocated() {
    let arithmetic = Arithmetic::single(Device::flex().autodiff());
    for (inputs, widths) in
        [(1 << 13, vec![1 << 16]), (usize::MAX, vec![2]), (2, vec![1 << 15, 1 << 15]), (2, vec![1 << 21])]
    {
        let found = Perceptron::draw(inputs, &widths, &arithmetic, &mut rng(0));
        assert!(matches!(found, Err(NetError::TooLarge)));
    }
}
