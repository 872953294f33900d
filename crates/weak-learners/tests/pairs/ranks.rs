//! A training whose rows are those of several ranks: the bits of one process.

use crate::simulated::Simulated;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use ranks::on_threads;
use rows::RowMatrix;
use std::num::NonZero;
use std::ops::Range;
use std::time::Duration;
use weak_learners::batch::Sample;
use weak_learners::pairs::{
    BinnedContexts, ColumnSampling, GradientSampling, HistogramPairTree, PairGrowth, PairLearner, PairNode,
    PairRound, PairTree, PairWeights, RowSampling,
};
use weak_learners::{LearnerError, RankError, Ranks, Shard, Traffic};

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The work of every rank, inside a pool of so many threads or none.
fn run<T: Send>(
    size: usize,
    threads: Option<NonZero<usize>>,
    limit: Duration,
    work: impl Fn(Ranks) -> T + Sync,
) -> Vec<Option<T>> {
    on_threads(size, limit, |ranks| match threads {
        None => work(ranks),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get()).build().unwrap();
            pool.install(|| work(ranks))
        }
    })
}

/// What a rank gives its learner.
struct Part {
    matrix: RowMatrix,
    g: Vec<f64>,
    /// Of the examples, or of the pairs.
    h: Vec<f64>,
}

impl Part {
    fn of(whole: &Simulated, matrix: &RowMatrix, rows: Range<usize>) -> Self {
        let chosen = whole.chosen(&rows.clone().collect::<Vec<_>>());
        let h = whole.h.chunks(whole.n()).flat_map(|h| &h[rows.clone()]).copied().collect();
        Self { matrix: matrix.select(rows).unwrap(), g: chosen.g, h }
    }

    fn round(&self) -> PairRound<'_> {
        let (n, pairs) = (self.matrix.len(), self.g.len());
        let is_of_pairs = self.h.len() > n;
        let h = if is_of_pairs { PairWeights::OfPairs(&self.h) } else { PairWeights::OfExamples(&self.h) };
        PairRound::of_rank(n, pairs / n.max(1), &self.g, h).unwrap()
    }
}

/// Rows of a rank: uneven, and those of the first rank are few.
fn dealt(n: usize, rank: usize, size: usize) -> Range<usize> {
    let begin = |rank: usize| if rank == 0 { 0 } else { (n * rank / size).saturating_sub(n / size / 2 - 1) };
    begin(rank)..if rank + 1 == size { n } else { begin(rank + 1) }
}

/// The same trees, values and cuts as of one process, and the same learner after them.
fn assert_same<L>(
    what: &str,
    (whole, matrix): (&Simulated, &RowMatrix),
    (bins, indicators): (u16, &[(usize, usize)]),
    learner: &L,
) where
    L: PairLearner<Contexts = BinnedContexts, Hypothesis = PairTree> + Clone + Send + Sync,
    L: serde::Serialize,
{
    let n = whole.n();
    let actions = whole.g.len() / n;
    let train = |contexts: &BinnedContexts, part: &Part| {
        let (mut learner, mut values) = (learner.clone(), vec![f64::NAN; part.g.len()]);
        // Twice, so that what a training leaves behind counts.
        let trees = [0, 1].map(|_| learner.train(contexts, &part.round(), &mut values).unwrap());
        (serde_json::to_string(&(&trees, &learner)).unwrap(), values)
    };
    let part = Part::of(whole, matrix, 0..n);
    let contexts = BinnedContexts::with_bins(matrix.clone(), bins).unwrap();
    let contexts = contexts.with_indicators(indicators).unwrap();
    let (expected, values) = train(&contexts, &part);
    assert!(expected.contains("context"), "{what} has no split on x");
    for size in [1, 2, 3, 7] {
        for threads in [None, NonZero::new(2)] {
            let found = run(size, threads, LIMIT, |ranks: Ranks| {
                let part = Part::of(whole, matrix, dealt(n, ranks.rank(), size));
                let here = BinnedContexts::of_rank(part.matrix.clone(), bins, ranks).unwrap();
                let here = here.with_indicators(indicators).unwrap();
                assert!((0..here.inputs()).all(|j| here.cuts(j) == contexts.cuts(j)));
                let layout = (here.bytes_a_row(), here.shard().unwrap().total());
                assert_eq!(layout, (contexts.bytes_a_row(), n));
                train(&here, &part)
            });
            for (rank, found) in found.into_iter().enumerate() {
                let (tree, of_rank) = found.unwrap();
                assert!(tree == expected, "{what}: rank {rank} of {size}, {threads:?} threads");
                let rows = dealt(n, rank, size);
                let here = (0..actions).flat_map(|a| &values[a * n..][rows.clone()]);
                assert!(here.eq(&of_rank), "{what}: values of rank {rank} of {size}");
            }
        }
    }
}

fn growth(depth: u32) -> PairGrowth {
    PairGrowth::builder().max_depth(depth).min_child_weight(2.0).reg_lambda(0.5).build().unwrap()
}

fn rng() -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    // A number of 64 bits then straddles blocks of the generator.
    rng.set_word_pos(15);
    rng
}

/// Columns without equal values, of few values, and a category one-hot, whose columns share a byte; the last
/// two are a column and its indicator.
fn mixed(n: usize, actions: usize) -> (Simulated, [(usize, usize); 1]) {
    let mut whole = Simulated::new(3, n, 4, actions);
    for (i, x) in whole.rows.iter_mut().enumerate() {
        x[1] = (2.0 * x[1]).round();
        let category = (x[2].abs() * 2.0).floor();
        x.extend([0.0, 1.0, 2.0, 3.0].map(|k| f64::from(u8::from(k == category))));
        let is_missing = i % 3 == 0;
        let value = x[0] + x[3];
        x.extend(if is_missing { [0.0, 1.0] } else { [value, 0.0] });
    }
    whole.inputs = 10;
    (whole, [(8, 9)])
}

#[test]
fn ranks_and_threads_change_nothing() {
    // More pairs than the threshold for threads, on two ranks as well.
    let (whole, indicators) = mixed(18_000, 8);
    let matrix = whole.matrix();
    assert_same("dense", (&whole, &matrix), (256, &indicators), &HistogramPairTree::new(growth(5)));
}

#[test]
fn ranks_change_nothing_for_samples_and_best_first_trees() {
    let (whole, indicators) = mixed(1500, 3);
    let matrix = whole.matrix();
    let (data, bins) = ((&whole, &matrix), (64, &indicators[..]));
    let few = growth(8).with_max_leaves(NonZero::new(9).unwrap());
    assert_same("best first", data, bins, &HistogramPairTree::new(few));
    let columns = ColumnSampling::new(HistogramPairTree::new(growth(6)), 0.5, rng()).unwrap();
    assert_same("columns", data, bins, &columns);
    assert_same("rows", data, bins, &RowSampling::new(columns, 0.4, rng()).unwrap());
    let by_size =
        |share: f64| GradientSampling::new(HistogramPairTree::new(growth(6)), share, rng()).unwrap();
    assert_same("sizes of gradients", data, bins, &by_size(0.3));
    // Most ranks draw no row of these few.
    assert_same("few rows", data, bins, &by_size(0.01));
    assert_same("no row by its size", data, bins, &by_size(1e-9));
    // So small a share draws no row, and then all count.
    let none = RowSampling::new(HistogramPairTree::new(growth(3)), 1e-9, rng()).unwrap();
    assert_same("no row", data, bins, &none);
    let signs = HistogramPairTree::new(growth(6).of_signs());
    assert_same("signs", data, bins, &signs);
}

#[test]
fn ranks_change_nothing_for_sparse_rows_and_many_bins() {
    let whole = Simulated::new(8, 1200, 40, 2);
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for x in &whole.rows {
        for (j, x_j) in (0..).zip(x) {
            // The first columns are listed or share bytes, the last one is nearly full.
            if x_j.abs() > if j == 39 { 0.1 } else { 1.9 - 0.02 * f64::from(j) } {
                indices.push(j);
                values.push(*x_j);
            }
        }
        offsets.push(indices.len());
    }
    let matrix = RowMatrix::sparse(40, offsets, indices, values).unwrap();
    assert_same("sparse", (&whole, &matrix), (256, &[]), &HistogramPairTree::new(growth(6)));
    assert_same("many bins", (&whole, &matrix), (5000, &[]), &HistogramPairTree::new(growth(6)));
    let few = GradientSampling::new(HistogramPairTree::new(growth(4)), 0.02, rng()).unwrap();
    assert_same("few sparse rows", (&whole, &matrix), (256, &[]), &few);
}

/// Rows without a weight on one rank, and gradients that are equal up to rounding: splits are judged by the
/// sums of what was not rounded.
#[test]
fn ranks_change_nothing_where_a_rank_has_no_weight_or_gains_are_rounding() {
    let mut whole = Simulated::new(2, 900, 2, 1);
    for (i, x) in whole.rows.iter_mut().enumerate() {
        whole.h[i] = if i < 100 { 0.0 } else { 1.0 };
        // Quanta are 2^−20. The others round to a quantum each, and the sum of their roundings is as large as
        // theirs.
        let size = if i == 899 { 1.0 } else { 0.6 * 2_f64.powi(-20) };
        x[1] = if i == 899 { 5.0 } else { 0.0 };
        whole.g[i] = whole.h[i] * if x[0] > 0.0 { size } else { -size };
    }
    let matrix = whole.matrix();
    let growth = PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
    let contexts = BinnedContexts::new(matrix.clone()).unwrap();
    let (tree, _) = whole.train(&mut HistogramPairTree::new(growth), &contexts);
    assert_eq!(tree.leaves(), 3, "{:?}", tree.nodes());
    assert_same("small", (&whole, &matrix), (256, &[]), &HistogramPairTree::new(growth));
}

/// One side has a row of weight 1, and the other a thousand of 2^−120 or less: sums of the light ones are
/// judged at their own scale, by doubles where there is one process, or as whole numbers.
#[test]
fn ranks_change_nothing_where_one_side_is_far_lighter() {
    for exponent in [-120, -130] {
        let mut whole = Simulated::new(3, 1001, 2, 1);
        for (i, x) in whole.rows.iter_mut().enumerate() {
            *x = vec![f64::from(u8::from(i > 0)), 0.0];
            whole.h[i] = if i > 0 { 2_f64.powi(exponent) } else { 1.0 };
            whole.g[i] = whole.h[i] * if i > 0 { 1.5 } else { 1.0 };
        }
        let matrix = whole.matrix();
        let growth =
            PairGrowth::builder().max_depth(2).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
        let contexts = BinnedContexts::new(matrix.clone()).unwrap();
        let (tree, _) = whole.train(&mut HistogramPairTree::new(growth), &contexts);
        assert_eq!(tree.leaves(), 2, "{:?}", tree.nodes());
        assert_same("light", (&whole, &matrix), (256, &[]), &HistogramPairTree::new(growth));
    }
}

/// Gains of rounding in a node that one rank grows: it has the quanta alone at first.
#[test]
fn ranks_change_nothing_where_a_small_node_needs_g_and_h() {
    const N: usize = 4000;
    for (actions, is_of_pairs) in [(1, false), (2, false), (2, true)] {
        let mut whole = Simulated::new(2, N, 3, actions);
        whole.h = vec![1.0; if is_of_pairs { actions * N } else { N }];
        for (i, x) in whole.rows.iter_mut().enumerate() {
            let is_small = i % 10 == 3;
            x[2] = f64::from(u8::from(is_small));
            for a in 0..actions {
                // One or two quanta: the sum of 400 is between 10·√400 and 400, which may be rounding or not.
                let mut quanta = 1.2 + (i / 10 % 2) as f64 * 0.6;
                quanta = if x[0] > 0.0 { quanta } else { -quanta };
                // The weights alone tell these pairs apart.
                if is_small && is_of_pairs && a == 1 {
                    whole.h[N + i] = if x[0] > 0.0 { 1.0 } else { 100.0 };
                    quanta = 1.6;
                }
                let size = if is_small { quanta * 2_f64.powi(-20) * actions as f64 } else { 1.0 };
                whole.g[a * N + i] = if a == 0 { size } else { -size };
            }
        }
        let matrix = whole.matrix();
        let growth =
            PairGrowth::builder().max_depth(4).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
        let contexts = BinnedContexts::new(matrix.clone()).unwrap();
        let mut values = vec![0.0; whole.g.len()];
        let part = Part::of(&whole, &matrix, 0..N);
        let tree = HistogramPairTree::new(growth).train(&contexts, &part.round(), &mut values).unwrap();
        let asks = |node: &PairNode| matches!(node, PairNode::Context { feature: 0, .. });
        assert!(tree.nodes().iter().any(asks), "{:?}", tree.nodes());
        let what = format!("{actions} actions, weights of pairs: {is_of_pairs}");
        assert_same(&what, (&whole, &matrix), (256, &[]), &HistogramPairTree::new(growth));
    }
}

/// The same cut in two columns, the first of which shares a byte, so that another rank searches it than the
/// second one, and a rank before.
#[test]
fn ranks_change_nothing_where_two_columns_have_the_same_cut() {
    let mut whole = Simulated::new(6, 3000, 5, 2);
    for (i, x) in whole.rows.iter_mut().enumerate() {
        let category = i * 7 % 4;
        *x = [0, 1, 2].map(|k| f64::from(u8::from(k == category))).to_vec();
        x.extend([1.0 + f64::from(u8::from(category == 0)), (i as f64).sin()]);
        for action in 0..2 {
            let sign = if (category == 0) == (action == 0) { 1.0 } else { -1.0 };
            whole.g[action * 3000 + i] = whole.h[i] * sign;
        }
    }
    let matrix = whole.matrix();
    let contexts = BinnedContexts::new(matrix.clone()).unwrap();
    let (tree, _) = whole.train(&mut HistogramPairTree::new(growth(2)), &contexts);
    let asks = |feature: u32| {
        tree.nodes()
            .iter()
            .any(|node| matches!(node, PairNode::Context { feature: own, .. } if *own == feature))
    };
    assert!(contexts.bytes_a_row() < 5 && asks(0) && !asks(3), "{:?}", tree.nodes());
    assert_same("equal cuts", (&whole, &matrix), (256, &[]), &HistogramPairTree::new(growth(2)));
}

/// What the ranks exchange for the top of a tree, by its nodes and their rows: what docs and code say of it.
#[derive(Debug, Default)]
struct Exchanged {
    histograms: u64,
    searches: u64,
    cuts: u64,
    lists: u64,
    of_actions: u64,
    /// The rows and the pairs of the nodes that one rank grows.
    subtrees: Vec<(u64, u64)>,
}

impl Exchanged {
    /// Below a node that has so many actions, and perhaps a histogram.
    fn below(
        &mut self,
        (nodes, rows): (&[PairNode], &[&Vec<f64>]),
        (k, depth): (u32, u32),
        (actions, is_counted): (u64, bool),
        (deepest, small): (u32, u64),
    ) {
        let pairs = |rows: &[&Vec<f64>], actions: u64| rows.len() as u64 * actions;
        if depth > 0 && depth < deepest && pairs(rows, actions) <= small {
            self.subtrees.push((rows.len() as u64, pairs(rows, actions)));
            return;
        }
        self.searches += u64::from(is_counted && depth < deepest);
        let needs = |rows: &[&Vec<f64>], actions: u64| depth + 1 < deepest && pairs(rows, actions) > small;
        let children = match nodes[k as usize] {
            PairNode::Leaf { .. } => return,
            PairNode::Action { others, this, .. } => {
                [(others, rows.to_vec(), actions - 1), (this, rows.to_vec(), 1)]
            }
            PairNode::Context { feature, threshold, below, rest }
            | PairNode::ContextOrMissing { feature, threshold, below, rest, .. } => {
                self.cuts += 1;
                if actions > 1 {
                    (self.lists, self.of_actions) = (self.lists + 1, self.of_actions + actions - 1);
                }
                let (first, second) = rows.iter().partition(|x| x[feature as usize] < threshold);
                [(below, first, actions), (rest, second, actions)]
            }
        };
        let needed = children.iter().filter(|(_, rows, actions)| needs(rows, *actions)).count() as u64;
        let is_action = matches!(nodes[k as usize], PairNode::Action { .. });
        // One child is counted, and the other one is the rest, if the node was counted.
        self.histograms += if is_counted { needed.min(1) } else { needed * u64::from(is_action) };
        for (child, rows, actions) in children {
            let is_counted = needs(&rows, actions) && (is_counted || is_action);
            self.below((nodes, &rows), (child, depth + 1), (actions, is_counted), (deepest, small));
        }
    }
}

#[test]
fn messages_and_bytes_of_a_tree_are_those_of_its_nodes() {
    const ROWS: usize = 6000;
    for actions in [1, 5] {
        let mut whole = Simulated::new(4, ROWS, 6, actions);
        // Equal weights, so that a word holds the sums of all.
        whole.g.iter_mut().enumerate().for_each(|(pair, g)| *g /= whole.h[pair % ROWS]);
        whole.h.fill(1.0);
        if actions == 1 {
            whole.g.iter_mut().zip(&whole.rows).for_each(|(g, x)| *g = (x[0] - x[1] * x[2]) / 8.0);
        }
        let matrix = whole.matrix();
        let growth =
            PairGrowth::builder().max_depth(5).min_child_weight(0.0).reg_lambda(0.0).build().unwrap();
        let found = run(3, None, LIMIT, |ranks: Ranks| {
            let part = Part::of(&whole, &matrix, dealt(ROWS, ranks.rank(), 3));
            let contexts = BinnedContexts::of_rank(part.matrix.clone(), 64, ranks.clone()).unwrap();
            let before = ranks.traffic();
            let mut values = vec![0.0; part.g.len()];
            let tree = HistogramPairTree::new(growth).train(&contexts, &part.round(), &mut values).unwrap();
            let after = ranks.traffic();
            let (messages, bytes) = (after.messages - before.messages, after.bytes - before.bytes);
            (tree, contexts.bytes_a_row() as u64, Traffic { messages, bytes })
        });
        for found in found {
            let (tree, groups, found) = found.unwrap();
            assert!(groups == 6 && tree.leaves() > 8, "{groups} groups, {} leaves", tree.leaves());
            let mut top = Exchanged::default();
            let rows: Vec<&Vec<f64>> = whole.rows.iter().collect();
            // A round of several actions is flat: its root is not counted.
            let root = (actions as u64, actions == 1);
            top.histograms = u64::from(actions == 1);
            top.below((tree.nodes(), &rows), (0, 0), root, (growth.max_depth(), small(ROWS * actions, 3)));
            assert!(top.histograms > 1 && top.subtrees.len() > 2, "{top:?}");
            // The largest numbers, the sums of the actions; then the rows of the subtrees, and their nodes.
            let of_nodes = top.histograms + top.searches + top.cuts + top.lists;
            assert_eq!(found.messages, 3 + of_nodes + 2, "{actions} actions");
            let [rows, pairs] = [0, 1].map(|of| {
                let own = |(rows, pairs): &(u64, u64)| if of == 0 { *rows } else { *pairs };
                top.subtrees.iter().map(own).sum::<u64>()
            });
            let of_top = |of_a_cell: u64| {
                (16 + 16 + 16 * actions as u64)
                    + of_a_cell * 64 * groups * top.histograms
                    + 80 * top.searches
                    + 8 * top.cuts
                    + 16 * top.of_actions
            };
            // The bins of a row, the quanta and the value of a pair; for each of the other ranks the nodes
            // and their number; the numbers of rows.
            let nodes = 2 * (25 * tree.nodes().len() as u64 + 24 * top.subtrees.len() as u64);
            let of_subtrees = rows * groups + 16 * pairs + nodes;
            let bounds = of_top(8)..=of_top(16) + of_subtrees;
            assert!(bounds.contains(&found.bytes), "{found:?}, not {bounds:?}");
        }
    }
}

/// The pairs of a node, at most, that one of so many ranks grows.
fn small(pairs: usize, ranks: usize) -> u64 {
    assert!(ranks <= 4);
    (pairs / (16 * ranks)).max(512) as u64
}

/// Trains on the rows of a rank, whatever they are.
fn train_on(matrix: RowMatrix, ranks: Ranks) -> Result<PairTree, LearnerError> {
    let n = matrix.len();
    let g: Vec<f64> = matrix.iter().map(|x| x.get(0).unwrap_or_default()).collect();
    let contexts = BinnedContexts::of_rank(matrix, 256, ranks)?;
    let h = vec![1.0; n];
    let round = PairRound::of_rank(n, 1, &g, PairWeights::OfExamples(&h))?;
    HistogramPairTree::new(growth(4)).train(&contexts, &round, &mut vec![0.0; n])
}

#[test]
fn a_rank_that_fails_ends_the_training_of_all() {
    let matrix = |columns: usize| {
        let rows = (0..600 * columns).map(|k| (k as f64).sin()).collect();
        RowMatrix::dense(columns, rows).unwrap()
    };
    let ranks_error = |found: Option<Result<PairTree, LearnerError>>| match found {
        Some(Err(LearnerError::Ranks(error))) => error,
        other => panic!("{other:?}"),
    };
    // A panic in the middle.
    let found = run(3, None, LIMIT, |ranks: Ranks| {
        if ranks.rank() == 1 {
            ranks.any(false).unwrap();
            panic!("a rank of a test that is to fail");
        }
        ranks.any(false).unwrap();
        train_on(matrix(2), ranks)
    });
    let [first, second, third] = found.try_into().unwrap();
    assert!(second.is_none());
    assert_eq!([first, third].map(ranks_error), [(); 2].map(|()| RankError::Gone { rank: 1 }));
    // An error of its own.
    let found = run(3, None, LIMIT, |ranks: Ranks| match ranks.rank() {
        2 => Err(LearnerError::Empty { argument: "rows" }),
        _ => train_on(matrix(2), ranks),
    });
    let [first, second, third] = found.try_into().unwrap();
    assert_eq!(third, Some(Err(LearnerError::Empty { argument: "rows" })));
    assert_eq!([first, second].map(ranks_error), [(); 2].map(|()| RankError::Gone { rank: 2 }));
    // Other columns: the ranks have other lists of counts.
    let found = run(2, None, LIMIT, |ranks: Ranks| train_on(matrix(1 + ranks.rank()), ranks));
    assert!(found.into_iter().all(|found| matches!(ranks_error(found), RankError::Lengths { .. })));
    // Other work.
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        if ranks.rank() == 0 {
            ranks.sum(&mut [1])?;
        }
        train_on(matrix(1), ranks)
    });
    assert!(found.into_iter().all(|found| matches!(ranks_error(found), RankError::Operations { .. })));
    // No answer in time. The late rank hears of it.
    let limit = Duration::from_millis(100);
    let found = run(3, None, limit, |ranks: Ranks| {
        if ranks.rank() == 0 {
            std::thread::sleep(20 * limit);
        }
        train_on(matrix(1), ranks)
    });
    let errors = found.into_iter().map(ranks_error);
    assert!(errors.into_iter().all(|error| error == RankError::TimedOut { seconds: 0 }));
}

/// The reason is told to the others, and nobody waits for the rank that has it.
#[test]
fn contexts_that_one_rank_refuses_all_refuse() {
    let rows = |values: Vec<f64>| RowMatrix::dense(2, values).unwrap();
    let refused = |of_last: &RowMatrix, indicators: &[(usize, usize)]| {
        let found = run(3, None, LIMIT, |ranks: Ranks| {
            let is_last = ranks.rank() == 2;
            let matrix = if is_last { of_last.clone() } else { rows(vec![1.0, 0.0, 0.0, 1.0]) };
            BinnedContexts::of_rank(matrix, 64, ranks)?.with_indicators(indicators)
        });
        found.into_iter().map(|found| found.unwrap().unwrap_err()).collect::<Vec<_>>()
    };
    let expected = |own: LearnerError| {
        let other = LearnerError::Ranks(RankError::Failed { rank: 2, reason: own.to_string() });
        [other.clone(), other, own]
    };
    assert_eq!(refused(&rows(Vec::new()), &[]), expected(LearnerError::Empty { argument: "sample" }));
    // A value beside its indicator.
    let found = refused(&rows(vec![3.0, 1.0]), &[(0, 1)]);
    assert!(matches!(found[2], LearnerError::BadIndicator { .. }), "{found:?}");
    assert_eq!(found, expected(found[2].clone()));
}

#[test]
fn contexts_of_a_rank_are_not_saved_and_no_weight_on_any_rank_is_refused() {
    let whole = Simulated::new(1, 60, 2, 2);
    let matrix = whole.matrix();
    let found = run(2, None, LIMIT, |ranks: Ranks| {
        let part = Part::of(&whole, &matrix, dealt(60, ranks.rank(), 2));
        let contexts = BinnedContexts::of_rank(part.matrix.clone(), 256, ranks).unwrap();
        assert!(serde_json::to_string(&contexts).is_err());
        let mut values = vec![0.0; part.g.len()];
        let trees = HistogramPairTree::new(growth(2));
        // No rank has a weight.
        let nothing = vec![0.0; part.g.len()];
        let round =
            PairRound::of_rank(part.h.len(), 2, &nothing, PairWeights::OfExamples(&nothing[..part.h.len()]));
        let refused = trees.clone().train(&contexts, &round.unwrap(), &mut values);
        assert_eq!(refused, Err(LearnerError::ZeroWeights));
    });
    assert!(found.iter().all(Option::is_some));
}

#[test]
fn rows_are_dealt_in_whole_blocks() {
    for n in [1, 1023, 1024, 1025, 10_000, 1 << 40] {
        for size in [1, 2, 3, 7, 64] {
            let mut next = 0;
            for rank in 0..size {
                let rows = Shard::rows(n, rank, size);
                assert_eq!(rows.start, next);
                assert!(rows.is_empty() || rows.start.is_multiple_of(Shard::BLOCK));
                assert!(rows.len() <= (n.div_ceil(Shard::BLOCK)).div_ceil(size) * Shard::BLOCK);
                next = rows.end;
            }
            assert_eq!(next, n);
            assert!(Shard::rows(n, size, size).is_empty());
        }
    }
}
