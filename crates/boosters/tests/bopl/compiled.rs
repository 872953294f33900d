//! The compiled form of an ensemble has the bits of the ensemble.

#![allow(clippy::cast_possible_truncation, reason = "the trees are small")]

use crate::logs::{Reward, Task, random_log};
use boosters::Threads;
use boosters::bopl::{
    BoplS, CompiledEnsemble, Member, PolicyBoosting, PolicyEnsemble, Settings, Smoothness, Step,
};
use off_policy::policies::{Argmax, EpsilonGreedy, Policy, Scores, Softmax};
use off_policy::{ActionSets, Log, PolicyError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rows::{Row, RowMatrix};
use weak_learners::pairs::{BinnedContexts, HistogramPairTree, PairGrowth, PairNode, PairTree};

/// Thresholds and coordinates are among these, so that many are equal.
const GRID: [f64; 6] = [-1.5, -0.25, 0.0, 0.25, 1.0, 1e140];

/// A tree of random questions, about actions with this probability, an action asked for twice now and then.
fn random_tree(
    inputs: usize,
    actions: usize,
    most: usize,
    of_actions: f64,
    rng: &mut ChaCha8Rng,
) -> PairTree {
    let mut nodes = vec![PairNode::Leaf { value: 0.0 }];
    let mut open = vec![0];
    while !open.is_empty() {
        let node = open.swap_remove(rng.random_range(0..open.len()));
        if nodes.len() + 2 > most || rng.random::<f64>() < 0.1 {
            nodes[node] = PairNode::Leaf { value: rng.random_range(-1.0..1.0) };
            continue;
        }
        let (first, second) = (nodes.len() as u32, nodes.len() as u32 + 1);
        nodes[node] = if rng.random::<f64>() < of_actions {
            PairNode::Action { action: rng.random_range(0..actions as u32), others: first, this: second }
        } else {
            let feature = rng.random_range(0..inputs as u32);
            let threshold = GRID[rng.random_range(0..GRID.len())];
            // Indicators are any other coordinates, whose values are not 0 and 1 alone.
            let indicator = (feature + rng.random_range(1..inputs.max(2) as u32)) % inputs as u32;
            if indicator == feature || rng.random_bool(0.6) {
                PairNode::Context { feature, threshold, below: first, rest: second }
            } else {
                let (missing_below, below, rest) = (rng.random(), first, second);
                PairNode::ContextOrMissing { feature, threshold, indicator, missing_below, below, rest }
            }
        };
        nodes.extend([PairNode::Leaf { value: 0.0 }; 2]);
        open.extend([first as usize, second as usize]);
    }
    PairTree::new(inputs, actions, nodes).unwrap()
}

fn random_ensemble(
    (inputs, actions, trees, most): (usize, usize, usize, usize),
    of_actions: f64,
    rng: &mut ChaCha8Rng,
) -> PolicyEnsemble<PairTree> {
    let members = (0..trees).map(|_| Member {
        alpha: rng.random_range(-0.5..2.0),
        predictor: random_tree(inputs, actions, most, of_actions, rng),
    });
    PolicyEnsemble::of(inputs, actions, members.collect()).unwrap()
}

/// Rows with many zeros, dense and sparse; some coordinates are stored although they are 0.
fn random_rows(n: usize, inputs: usize, rng: &mut ChaCha8Rng) -> [RowMatrix; 2] {
    let (mut offsets, mut indices, mut stored, mut values) = (vec![0], vec![], vec![], vec![]);
    for _ in 0..n {
        let share = rng.random::<f64>();
        for j in 0..inputs as u32 {
            let is_there = rng.random::<f64>() < share;
            let x_j = if is_there { GRID[rng.random_range(0..GRID.len())] } else { 0.0 };
            values.push(x_j);
            if is_there {
                indices.push(j);
                stored.push(x_j);
            }
        }
        offsets.push(indices.len());
    }
    [RowMatrix::dense(inputs, values).unwrap(), RowMatrix::sparse(inputs, offsets, indices, stored).unwrap()]
}

fn bits(scores: &[f64]) -> Vec<u64> {
    scores.iter().map(|score| score.to_bits()).collect()
}

/// Row by row and together, from a row on, on one thread and in a pool.
fn assert_same_bits(ensemble: &PolicyEnsemble<PairTree>, contexts: &RowMatrix, what: &str) {
    let compiled = CompiledEnsemble::new(ensemble).unwrap();
    let (n, actions) = (contexts.len(), ensemble.actions());
    let (mut expected, mut found) = (Vec::new(), vec![f64::MAX; actions]);
    for x in contexts.iter() {
        let mut own = vec![0.0; actions];
        ensemble.scores(x, &mut own).unwrap();
        compiled.scores(x, &mut found).unwrap();
        assert_eq!(bits(&found), bits(&own), "{what}, row by row");
        expected.extend(own);
    }
    for from in [0, n / 3, n.saturating_sub(1)] {
        let together = || {
            let mut found = vec![f64::MAX; (n - from) * actions];
            compiled.scores_of_rows(contexts, from, &mut found).unwrap();
            bits(&found)
        };
        let expected = bits(&expected[from * actions..]);
        assert_eq!(together(), expected, "{what}, from row {from} on");
        assert_eq!(Threads::exactly(3).unwrap().run(together).unwrap(), expected, "{what}, in a pool");
    }
}

#[test]
fn random_trees_with_random_questions_about_actions() {
    let mut rng = ChaCha8Rng::seed_from_u64(11);
    let mut tried = 0;
    for actions in [1, 2, 7, 32, 33, 150, 1000] {
        for (trees, most) in [(0, 1), (1, 1), (1, 40), (7, 9), (8, 60), (19, 200), (3, 900)] {
            for of_actions in [0.0, 0.3, 0.8, 1.0] {
                let inputs = [1, 3, 40][tried % 3];
                let ensemble = random_ensemble((inputs, actions, trees, most), of_actions, &mut rng);
                let rows = if actions < 100 { 70 } else { 40 };
                for (contexts, stored) in random_rows(rows, inputs, &mut rng).iter().zip(["dense", "sparse"])
                {
                    let what =
                        format!("{trees} trees of {most} nodes, {actions} actions, {of_actions}, {stored}");
                    assert_same_bits(&ensemble, contexts, &what);
                }
                tried += 1;
            }
        }
    }
    assert_eq!(tried, 7 * 7 * 4);
}

/// The work of one call is shared among threads here.
#[test]
fn many_rows_in_a_pool() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for actions in [5, 400] {
        let ensemble = random_ensemble((4, actions, 10, 80), 0.4, &mut rng);
        let n = (1 << 17) / actions;
        for contexts in random_rows(n, 4, &mut rng) {
            assert_same_bits(&ensemble, &contexts, "many rows");
        }
    }
}

/// The ensemble after some rounds on a log.
fn trained(log: &Log, depth: u32) -> PolicyEnsemble<PairTree> {
    let contexts = BinnedContexts::new(log.contexts().clone()).unwrap();
    let growth = PairGrowth::builder().max_depth(depth).min_child_weight(1.0).build().unwrap();
    let settings =
        Settings::builder().translation(-0.1).step(Step::Closed(Smoothness::Sharp)).build().unwrap();
    let mut run = PolicyBoosting::<BoplS, _>::new(log, HistogramPairTree::new(growth), settings).unwrap();
    (0..20).for_each(|_| assert!(run.round(&contexts).unwrap().is_continue()));
    run.into_ensemble()
}

#[test]
fn trained_ensembles() {
    for (log, what) in [
        (Task::letters(1500).log(Reward::Partial, 1), "letter"),
        (random_log(800, 6, 40, 5), "40 actions"),
        (random_log(300, 3, 2, 6), "2 actions"),
    ] {
        let ensemble = trained(&log, 6);
        let leaves: usize = ensemble.members().iter().map(|member| member.predictor.leaves()).sum();
        assert!(leaves > 100, "{what}: {leaves} leaves");
        assert_same_bits(&ensemble, log.contexts(), what);
    }
}

/// Policies of the compiled form and of the ensemble have the same probabilities and draw the same actions,
/// where all actions are on offer and where some are.
#[test]
fn policies_of_sets_of_actions() {
    let log = random_log(500, 4, 6, 9);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let sets = (0..log.len()).map(|i| {
        let logged = log.logged_actions()[i];
        (0..6).filter(|a| *a == logged || rng.random::<bool>()).collect::<Vec<u32>>()
    });
    let offered =
        log.clone().with_action_sets(ActionSets::new(6, sets.collect::<Vec<_>>()).unwrap()).unwrap();
    let ensemble = trained(&log, 4);
    let compiled = || CompiledEnsemble::new(&ensemble).unwrap();
    for log in [&log, &offered] {
        assert_same_policy(log, &Argmax::new(ensemble.clone()), &Argmax::new(compiled()));
        let of = |beta| (Softmax::new(ensemble.clone(), beta), Softmax::new(compiled(), beta));
        let (expected, found) = of(1.5);
        assert_same_policy(log, &expected.unwrap(), &found.unwrap());
        let expected = EpsilonGreedy::new(Argmax::new(ensemble.clone()), 0.2).unwrap();
        assert_same_policy(log, &expected, &EpsilonGreedy::new(Argmax::new(compiled()), 0.2).unwrap());
    }
}

fn assert_same_policy(log: &Log, expected: &impl Policy, found: &impl Policy) {
    let all = |policy: &dyn Fn(&mut [f64])| {
        let mut probabilities = vec![0.0; log.len() * log.actions()];
        policy(&mut probabilities);
        bits(&probabilities)
    };
    assert_eq!(
        all(&|pi| found.probabilities_of_rows(log, 0, pi).unwrap()),
        all(&|pi| expected.probabilities_of_rows(log, 0, pi).unwrap())
    );
    let mut rngs = [1, 1].map(ChaCha8Rng::seed_from_u64);
    let mut pi = vec![0.0; log.actions()];
    for row in log.iter() {
        let expected = expected.sample(row.context, row.on_offer, &mut pi, &mut rngs[0]).unwrap();
        let (action, propensity) = found.sample(row.context, row.on_offer, &mut pi, &mut rngs[1]).unwrap();
        assert_eq!((action, propensity.to_bits()), (expected.0, expected.1.to_bits()));
        assert!(row.on_offer.contains(action));
    }
}

/// What the ensemble refuses is refused with the same words.
#[test]
fn refused_input() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for actions in [3, 50] {
        let ensemble = random_ensemble((4, actions, 2, 20), 0.3, &mut rng);
        let compiled = CompiledEnsemble::new(&ensemble).unwrap();
        assert_eq!((compiled.inputs(), compiled.actions()), (4, actions));
        let mut scores = vec![7.0; actions];
        let narrow = [0.0; 3];
        let narrow = Row::dense(&narrow).unwrap();
        let refused = compiled.scores(narrow, &mut scores);
        assert_eq!(refused, Err(PolicyError::InputDimension { expected: 4, got: 3 }));
        assert_eq!(refused, ensemble.scores(narrow, &mut scores));
        let wide = Row::sparse(1 << 31, &[], &[]).unwrap();
        assert_eq!(compiled.scores(wide, &mut scores), ensemble.scores(wide, &mut scores));
        let x = [0.0; 4];
        let x = Row::dense(&x).unwrap();
        for length in [0, actions - 1, actions + 1] {
            let mut other = vec![7.0; length];
            let refused = compiled.scores(x, &mut other);
            let (argument, expected) = ("scores", actions);
            assert_eq!(refused, Err(PolicyError::ActionCount { argument, expected, got: length }));
            assert!(other.iter().all(|score| *score == 7.0));
        }
        let rows = RowMatrix::dense(5, vec![0.0; 10]).unwrap();
        let refused = compiled.scores_of_rows(&rows, 0, &mut scores);
        assert_eq!(refused, Err(PolicyError::InputDimension { expected: 4, got: 5 }));
        assert!(scores.iter().all(|score| *score == 7.0));
    }
}

/// Room behind the last row, and room that is not a whole row, are as the ensemble leaves them.
#[test]
fn more_room_than_rows() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for actions in [3, 50] {
        let ensemble = random_ensemble((2, actions, 9, 30), 0.5, &mut rng);
        let compiled = CompiledEnsemble::new(&ensemble).unwrap();
        for contexts in random_rows(10, 2, &mut rng) {
            for (from, room) in
                [(0, 12 * actions), (4, 6 * actions + 1), (9, 5), (10, actions), (99, actions)]
            {
                let mut found = [vec![7.0; room], vec![7.0; room]];
                ensemble.scores_of_rows(&contexts, from, &mut found[0]).unwrap();
                compiled.scores_of_rows(&contexts, from, &mut found[1]).unwrap();
                assert_eq!(bits(&found[1]), bits(&found[0]), "{room} numbers from row {from} on");
            }
        }
    }
}

/// A tree as deep as it has questions, and thresholds beyond every row.
#[test]
fn deep_trees_and_large_thresholds() {
    const DEPTH: u32 = 100_000;
    for actions in [4_u32, 60] {
        let mut nodes = Vec::new();
        for k in 0..DEPTH {
            let (leaf, next) = (2 * k + 1, 2 * k + 2);
            nodes.push(match k % 4 {
                0 => PairNode::Action { action: k % (actions - 1), others: next, this: leaf },
                1 => PairNode::Context { feature: 0, threshold: 1e300, below: next, rest: leaf },
                2 => PairNode::Context { feature: 1, threshold: -f64::MAX, below: leaf, rest: next },
                _ => PairNode::Context { feature: 1, threshold: f64::from(k), below: leaf, rest: next },
            });
            nodes.push(PairNode::Leaf { value: f64::from(k) });
        }
        nodes.push(PairNode::Leaf { value: -1.0 });
        let predictor = PairTree::new(2, actions as usize, nodes).unwrap();
        let members = vec![Member { alpha: 0.1, predictor }];
        let ensemble = PolicyEnsemble::of(2, actions as usize, members).unwrap();
        let contexts = RowMatrix::dense(2, vec![1e140, 1e140, -1e140, 7.0, 0.0, 50_000.0]).unwrap();
        assert_same_bits(&ensemble, &contexts, "a chain");
    }
}

/// A schema goes along, so that logs of another coding are refused.
#[test]
fn the_schema_is_that_of_the_ensemble() {
    let text = "age,action,propensity,reward\n20,a,0.5,1\n60,b,0.5,0\n";
    let read = off_policy::readers::read_csv(text.as_bytes(), &Default::default()).unwrap();
    let schema = read.log.schema().unwrap().clone();
    let ensemble = PolicyEnsemble::<PairTree>::new(1, 2).unwrap().with_schema(schema.clone()).unwrap();
    assert_eq!(CompiledEnsemble::new(&ensemble).unwrap().schema(), Some(&schema));
}
