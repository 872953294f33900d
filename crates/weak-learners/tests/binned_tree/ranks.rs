//! Columns whose rows are those of several ranks.

use crate::Random;
use ranks::on_threads;
use rows::RowMatrix;
use std::time::Duration;
use weak_learners::batch::{BinnedColumns, BinnedStump, BinnedTree, LeafAnswer, Sample, Tree, WeakLearner};
use weak_learners::pairs::{PairGrowth, PairLearner, PairRound, PairWeights, VectorLeafLearner};
use weak_learners::{Label, LearnerError, RankError, Ranks, Shard, batch::Stump};

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

const M: usize = 3 * Shard::BLOCK + 77;

fn of_rank(matrix: &RowMatrix, ranks: &Ranks) -> RowMatrix {
    matrix.select(Shard::rows(matrix.len(), ranks.rank(), ranks.size())).unwrap()
}

/// Targets of four values that some of the columns decide, so that nodes of equal targets lie at several
/// depths; the rows are in the order of the targets, so that a rank often has one value where others have
/// another. 0 has both signs.
fn examples() -> (RowMatrix, Vec<f64>, Vec<f64>) {
    let mut random = Random::new(3, M, 5, 20.0);
    let target = |x: &[f64]| -> f64 {
        match (x[1] > 0.0, x[3] > 5.0, (x[0] > 2.0) != (x[2] > 1.0)) {
            (true, ..) => 1.0,
            (false, true, _) => 0.25,
            (false, false, true) => -0.5,
            (false, false, false) => 0.0,
        }
    };
    random.rows.sort_by(|x, y| target(x).total_cmp(&target(y)));
    let signed = |(i, x): (usize, &Vec<f64>)| match target(x) {
        0.0 if i % 2 == 0 => -0.0,
        a => a,
    };
    let targets = random.rows.iter().enumerate().map(signed).collect();
    (random.matrix(), targets, random.weights)
}

/// A tree and its votes.
fn grown(
    learner: &BinnedTree,
    (matrix, targets, weights): (&RowMatrix, &[f64], &[f64]),
    ranks: &Ranks,
) -> Result<(Tree, Vec<f64>), LearnerError> {
    let sample = BinnedColumns::of_rank(of_rank(matrix, ranks), 256, ranks.clone())?;
    let mut learner = learner.clone();
    let tree = learner.train(&sample, targets, weights)?;
    let mut votes = vec![f64::NAN; targets.len()];
    learner.evaluate(&tree, &sample, &mut votes)?;
    Ok((tree, votes))
}

/// Also where there are fewer blocks than ranks, and one has no row.
#[test]
fn trees_and_votes_of_ranks_are_those_of_one_process() {
    let (matrix, targets, weights) = examples();
    let labels: Vec<f64> = targets.iter().map(|a| if *a > 0.1 { 1.0 } else { -1.0 }).collect();
    let one_target = vec![0.25; M];
    for targets in [&targets, &labels, &one_target, &Random::new(4, M, 1, 2.0).targets] {
        for (depth, answer) in [(0, LeafAnswer::Mean), (1, LeafAnswer::Sign), (6, LeafAnswer::Mean)] {
            let (learner, examples) =
                (BinnedTree::new(depth, answer, 0.0).unwrap(), (&matrix, &targets[..], &weights[..]));
            let expected = grown(&learner, examples, &Ranks::alone());
            assert!(
                targets == &one_target || expected.as_ref().unwrap().0.leaves() > usize::from(depth).min(2)
            );
            for size in [1, 2, 3, 5, 7] {
                let found = on_threads(size, LIMIT, |ranks: Ranks| grown(&learner, examples, &ranks));
                assert!(found.into_iter().all(|found| found.as_ref() == Some(&expected)), "{size} ranks");
            }
        }
    }
}

/// Labels that no stump sees, so that every node is split.
#[test]
fn messages_and_bytes_are_those_stated() {
    let random = Random::new(5, M, 3, 8.0);
    let (matrix, targets) = (random.matrix(), &random.targets);
    let labels: Vec<f64> = targets.iter().map(|a| a.signum()).collect();
    let widths: usize = {
        let sample = BinnedColumns::new(matrix.clone()).unwrap();
        (0..3).map(|j| sample.cuts(j).len() + 1).sum()
    };
    // The root; the smaller child of each of the splits at the depths 0 and 1; nothing of the last splits.
    let histograms = 4 * 16 * widths as u64;
    for (targets, messages, bytes) in
        [(&labels, 4 + 3, histograms + 3 * 8), (targets, 4 + 3 + 4, histograms + 3 * 8 + 16 + 3 * 32)]
    {
        let found = on_threads(3, LIMIT, |ranks: Ranks| {
            let sample = BinnedColumns::of_rank(of_rank(&matrix, &ranks), 256, ranks.clone()).unwrap();
            let mut learner = BinnedTree::new(3, LeafAnswer::Sign, 0.0).unwrap();
            let before = ranks.traffic();
            let tree = learner.train(&sample, targets, &random.weights).unwrap();
            let trained = ranks.traffic();
            assert_eq!(tree.leaves(), 8);
            learner.evaluate(&tree, &sample, &mut vec![0.0; M]).unwrap();
            let evaluated = ranks.traffic();
            let bits = sample.matrix().len() as u64;
            assert_eq!(evaluated.messages - trained.messages, 1);
            assert_eq!(evaluated.bytes - trained.bytes, bits.div_ceil(8));
            (trained.messages - before.messages, trained.bytes - before.bytes)
        });
        assert_eq!(found, vec![Some((messages, bytes)); 3]);
    }
}

/// What a training leaves that another rank has ended is no part of the next one.
#[test]
fn a_learner_that_other_ranks_have_left_trains_anew() {
    let random = Random::new(6, 2 * Shard::BLOCK, 3, 8.0);
    let (matrix, few) = (random.matrix(), Random::new(7, 40, 3, 8.0));
    let found = on_threads(2, LIMIT, |ranks: Ranks| {
        // One rank has enough after the second level.
        let tree = |depth: u16| BinnedTree::new(depth, LeafAnswer::Mean, 0.0).unwrap();
        let rank = ranks.rank();
        let mut learner = tree(if rank == 0 { 4 } else { 2 });
        let sample = BinnedColumns::of_rank(of_rank(&matrix, &ranks), 256, ranks).unwrap();
        let found = learner.train(&sample, &random.targets, &random.weights);
        if rank == 0 {
            assert_eq!(found.unwrap_err(), LearnerError::Ranks(RankError::Gone { rank: 1 }));
            let anew = learner.train(&few.sample(), &few.targets, &few.weights);
            assert_eq!(anew, tree(4).train(&few.sample(), &few.targets, &few.weights));
        }
    });
    assert!(found.iter().all(Option::is_some));
}

fn error_of<T: std::fmt::Debug>(found: &Option<Result<T, LearnerError>>) -> &LearnerError {
    found.as_ref().unwrap().as_ref().unwrap_err()
}

/// Every rank returns an error at once, and none waits for one that has left.
#[test]
fn what_one_rank_refuses_all_refuse() {
    let matrix = |rows: usize, columns: usize| RowMatrix::dense(columns, vec![1.0; rows * columns]).unwrap();
    let failed = |rank: usize, own: &LearnerError| {
        LearnerError::Ranks(RankError::Failed { rank, reason: own.to_string() })
    };
    // A rank with too few bins.
    let found = on_threads(2, LIMIT, |ranks: Ranks| {
        let bins = if ranks.rank() == 0 { 1 } else { 64 };
        BinnedColumns::of_rank(matrix(1024, 1), bins, ranks)
    });
    assert!(matches!(error_of(&found[0]), LearnerError::BadParameter { name: "bins", .. }));
    assert_eq!(error_of(&found[1]), &failed(0, error_of(&found[0])));
    // Other bins, other columns.
    for other in [(64, 3), (32, 2)] {
        let found = on_threads(2, LIMIT, |ranks: Ranks| {
            let (bins, columns) = if ranks.rank() == 0 { (64, 2) } else { other };
            BinnedColumns::of_rank(matrix(1024, columns), bins, ranks)
        });
        for found in &found {
            assert!(matches!(error_of(found), LearnerError::Ranks(RankError::Lengths { .. })));
        }
    }
    // Rows that do not begin at a block.
    let found =
        on_threads(2, LIMIT, |ranks: Ranks| BinnedColumns::of_rank(matrix(1000, 1), 64, ranks.clone()));
    let unaligned = RankError::Unaligned { rank: 1, first: 1000 };
    found.iter().for_each(|found| assert_eq!(error_of(found), &unaligned.clone().into()));
    // No row at all.
    let found = on_threads(2, LIMIT, |ranks: Ranks| BinnedColumns::of_rank(matrix(0, 1), 64, ranks));
    found.iter().for_each(|found| assert_eq!(error_of(found), &LearnerError::Empty { argument: "sample" }));
    // Other rows of another dimension, on one rank.
    let found = on_threads(2, LIMIT, |ranks: Ranks| {
        let sample = BinnedColumns::of_rank(matrix(1024, 2), 64, ranks.clone()).unwrap();
        sample.binned_like(matrix(1024, 2 + ranks.rank()))
    });
    assert_eq!(error_of(&found[0]), &failed(1, error_of(&found[1])));
    assert_eq!(error_of(&found[1]), &LearnerError::InputDimension { expected: 2, got: 3 });
}

#[test]
fn what_does_not_know_of_ranks_refuses_them() {
    let (matrix, targets, weights) = examples();
    let found = on_threads(2, LIMIT, |ranks: Ranks| {
        let sample = BinnedColumns::of_rank(of_rank(&matrix, &ranks), 256, ranks).unwrap();
        assert_eq!((sample.size(), sample.bins(0).len()), (M, sample.matrix().len()));
        assert!(serde_json::to_string(&sample).is_err());
        let is_refused = |error: Option<LearnerError>| {
            matches!(error, Some(LearnerError::Ranks(RankError::OneRankOnly { .. })))
        };
        let (mut stumps, mut votes) = (BinnedStump::default(), vec![0.0; M]);
        assert!(is_refused(stumps.train(&sample, &targets, &weights).err()));
        let stump = Stump::constant(5, Label::Plus).unwrap();
        assert!(is_refused(stumps.evaluate(&stump, &sample, &mut votes).err()));
        assert!(is_refused(sample.try_for_each(&mut |_, _| Ok(())).err()));
        let round = PairRound::new(M, 1, &targets, PairWeights::OfExamples(&weights)).unwrap();
        let growth = PairGrowth::builder().max_depth(2).build().unwrap();
        assert!(is_refused(VectorLeafLearner::new(growth).train(&sample, &round, &mut votes).err()));
        // Targets and weights are those of all ranks.
        let mut trees = BinnedTree::new(2, LeafAnswer::Mean, 0.0).unwrap();
        let own = sample.matrix().len();
        let refused = trees.train(&sample, &targets[..own], &weights[..own]).unwrap_err();
        assert_eq!(refused, LearnerError::LengthMismatch { argument: "targets", expected: M, got: own });
        let refused = trees.train(&sample, &targets, &vec![0.0; M]).unwrap_err();
        assert_eq!(refused, LearnerError::ZeroWeights);
    });
    assert!(found.iter().all(Option::is_some));
}
