//! Jobs whose rows are those of several ranks: the model of one process, to the byte.

#![allow(clippy::unwrap_used, reason = "a test may")]

use super::{Event, TrainCheckpoint, TrainJob, TrainJobBuilder};
use crate::any_order;
use crate::copies::times_of_every_row;
use crate::error::JobError;
use crate::judge::{BreakdownSettings, JudgeJob, JudgeJobBuilder, Target};
use crate::model::{Model, Seconds};
use crate::propensities::EstimatedPropensities;
use crate::split::Split;
use boosters::Threads;
use boosters::auto_policy::{Objective, Progress};
use off_policy::policies::{Argmax, Tabular, Uniform};
use off_policy::{ActionSets, Log, Rewards};
use ranks::{RankError, Ranks, Shard, on_threads};
use rows::RowMatrix;
use std::ops::{ControlFlow, Range};
use std::time::Duration;

/// Long enough for a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// Numbers that look random, the same ones always.
fn noise(i: usize, of: usize) -> f64 {
    let mut v =
        (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (of as u64).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    v = (v ^ (v >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((v ^ (v >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// One of the whole numbers below a limit.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number")]
fn below(limit: u32, i: usize, of: usize) -> u32 {
    (f64::from(limit) * noise(i, of)) as u32
}

/// Three actions, the second of which pays where the first column is large.
fn log(n: usize, is_sparse: bool, has_sets: bool) -> Log {
    let x: Vec<f64> = (0..n).flat_map(|i| [noise(i, 0), (8.0 * noise(i, 1)).floor(), noise(i, 2)]).collect();
    let actions: Vec<u32> = (0..n).map(|i| [0, 1, 2, 0][below(4, i, 3) as usize]).collect();
    let propensities = actions.iter().map(|a| [0.5, 0.25, 0.25][*a as usize]).collect();
    let reward =
        |(i, a): (usize, &u32)| f64::from(u8::from((x[3 * i] > 0.6) == (*a == 1))) + noise(i, 4) - 0.5;
    let rewards = Rewards(actions.iter().enumerate().map(reward).collect());
    let contexts = if is_sparse {
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in x.chunks(3) {
            let kept = (0..3).zip(row).filter(|(_, v)| **v >= 0.3);
            kept.for_each(|(j, v)| {
                indices.push(j);
                values.push(*v);
            });
            offsets.push(values.len());
        }
        RowMatrix::sparse(3, offsets, indices, values)
    } else {
        RowMatrix::dense(3, x.clone())
    };
    let log = Log::new(contexts.unwrap(), 3, actions, propensities, rewards).unwrap();
    if !has_sets {
        return log;
    }
    let sets = log.logged_actions().iter().enumerate().map(|(i, a)| vec![*a, below(3, i, 9)]);
    let sets = ActionSets::new(3, sets.collect::<Vec<_>>()).unwrap();
    log.with_action_sets(sets).unwrap()
}

/// Uneven runs of rows, which begin at no block.
fn rows(n: usize, ranks: &Ranks) -> Range<usize> {
    let begin = |rank: usize| (n * rank / ranks.size() + 37 * rank.min(1)).min(n);
    begin(ranks.rank())..if ranks.rank() + 1 == ranks.size() { n } else { begin(ranks.rank() + 1) }
}

fn bytes(model: &Model) -> Vec<u8> {
    model.to_bytes().unwrap()
}

fn seconds(model: &Model) -> [f64; 3] {
    let Seconds { search, training, judging } = model.record.seconds;
    [search, training, judging]
}

fn go_on(_: Event<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The work of every rank, with so many threads.
fn on_ranks<T: Send>(size: usize, threads: usize, work: impl Fn(Ranks) -> T + Sync) -> Vec<Option<T>> {
    on_threads(size, LIMIT, |ranks| Threads::exactly(threads).unwrap().run(|| work(ranks)).unwrap())
}

/// Numbers of ranks, and of the threads of each.
fn ways() -> impl Iterator<Item = (usize, usize)> {
    [1, 2, 3, 7].into_iter().flat_map(|size| [1, 2].map(|threads| (size, threads)))
}

/// The model of one process, and of several ranks and threads. The job is told the columns of its rows.
fn assert_same(what: &str, log: &Log, job: impl Fn(Range<usize>) -> TrainJobBuilder + Sync) -> Model {
    let n = log.len();
    let whole = job(0..n).build().unwrap().fit(log, go_on).unwrap();
    assert!(whole.was_trained_on(log) && whole.provenance.row_digest.is_some());
    for (size, threads) in ways() {
        let found = on_ranks(size, threads, |ranks| {
            let rows = rows(n, &ranks);
            let here = log.select(rows.clone()).unwrap();
            job(rows).ranks(ranks).build().unwrap().fit(&here, go_on).unwrap()
        });
        let found: Vec<Model> = found.into_iter().map(Option::unwrap).collect();
        for (rank, model) in found.iter().enumerate() {
            assert_eq!(seconds(model), seconds(&found[0]), "{what}: rank {rank} of {size}");
            assert!(bytes(model) == bytes(&whole), "{what}: rank {rank} of {size}, {threads} threads");
        }
    }
    whole
}

fn short(objective: Objective) -> TrainJobBuilder {
    let job = TrainJob::builder().budget(Duration::from_secs(10_000)).seed(3).objective(objective);
    job.candidates(1).rounds(6).search_rows(500)
}

#[test]
fn ranks_change_no_byte_of_a_model() {
    let log = log(4 * Shard::BLOCK, false, false);
    let model = assert_same("by lot", &log, |_| short(Objective::Surrogate));
    assert_eq!((model.record.trees, model.provenance.learning_rows), (16, 3096));
}

/// The rows of a search are as many as asked for, and the training is on all.
#[test]
fn a_search_takes_some_rows_by_lot() {
    let log = log(1000, false, false);
    let rows = |search_rows: usize| {
        let (mut of_search, mut of_training) = (0, 0);
        let job = short(Objective::Surrogate).search_rows(search_rows).rounds(2).build().unwrap();
        let see = |event: Event<'_>| {
            match event {
                Event::Progress(Progress::Search { rows, .. }) => of_search = rows,
                Event::Progress(Progress::Training { rows, .. }) => of_training = rows,
                _ => {}
            }
            ControlFlow::Continue(())
        };
        let model = job.fit(&log, see).unwrap();
        (of_search, of_training, model.provenance.learning_rows)
    };
    // Five folds, each of which leaves out a fifth.
    assert_eq!([rows(500), rows(750), rows(751)], [(2000, 750, 750), (3000, 750, 750), (3000, 750, 750)]);
    assert!(TrainJob::builder().search_rows(9).build().is_err());
}

#[test]
fn ranks_change_no_byte_of_a_model_of_late_rows_and_action_sets() {
    let log = log(3 * Shard::BLOCK + 900, false, true);
    let times: Vec<f64> = (0..log.len()).map(|i| (i / 7) as f64).collect();
    // The last rank has all rows that judge.
    assert_same("by time", &log, |rows| {
        short(Objective::Ips).validation(Split::ByTime(times[rows].to_vec()))
    });
}

#[test]
fn ranks_change_no_byte_of_a_model_of_groups_and_sparse_contexts() {
    let log = log(3 * Shard::BLOCK + 900, true, false);
    let groups: Vec<u64> = (0..log.len()).map(|i| u64::from(below(300, i, 5))).collect();
    assert_same("by groups", &log, |rows| {
        short(Objective::RewardRegression).validation(Split::ByGroup(groups[rows].to_vec()))
    });
}

/// The search is on all rows, and the propensities are estimates.
#[test]
fn ranks_change_no_byte_of_a_model_of_estimates_and_all_rows() {
    let log = log(2600, false, false);
    let judged: Vec<bool> = (0..log.len()).map(|i| i % 11 == 3).collect();
    let estimated = estimated(&log);
    assert_same("given", &log, |rows| {
        let own: Vec<usize> = rows.clone().collect();
        let job = short(Objective::DoublyRobust).search_rows(1_000_000).rounds(2);
        job.validation(Split::Given(judged[rows].to_vec())).estimated(estimated.select(&own).unwrap())
    });
}

/// There are fewer blocks of rows than ranks.
#[test]
fn a_few_rows_are_trained_on_by_every_rank() {
    assert_same("a few", &log(700, false, false), |_| short(Objective::Surrogate));
}

fn estimated(log: &Log) -> EstimatedPropensities {
    let refit = |of: usize| {
        let p = log.propensities().iter().enumerate();
        p.map(|(i, p)| p * (0.9 + 0.1 * noise(i, of))).collect()
    };
    EstimatedPropensities {
        propensities: log.propensities().to_vec(),
        refits: vec![refit(6), refit(7), refit(8)],
        temperature: 1.0,
        cross_entropy: 1.0,
        cross_entropy_of_shares: 1.0,
        at_floor: 0,
    }
}

/// A training of three ranks that is stopped goes on with two of them, and with one process.
#[test]
fn a_training_goes_on_with_another_number_of_ranks() {
    let log = log(4 * Shard::BLOCK, false, false);
    let job = |ranks: Ranks| short(Objective::Surrogate).ranks(ranks).build().unwrap();
    let whole = bytes(&job(Ranks::alone()).fit(&log, go_on).unwrap());
    let is_here = |progress: &Progress<'_>, is_in_search: bool| match *progress {
        Progress::Search { round, .. } => is_in_search && round == 3,
        Progress::Training { done, .. } => !is_in_search && done == 9,
        _ => false,
    };
    for is_in_search in [true, false] {
        let saved = on_threads(3, LIMIT, |ranks| {
            let here = log.select(rows(log.len(), &ranks)).unwrap();
            let (mut saved, is_first) = (None, ranks.rank() == 0);
            let model = job(ranks).fit_resumable(&here, None, |event, moment| {
                if let Event::Progress(Progress::Training { rows, .. }) = event {
                    assert_eq!(rows, 3096, "those of all ranks");
                }
                if let (Event::Progress(progress), Some(moment), true) = (&event, moment, is_first)
                    && is_here(progress, is_in_search)
                    && saved.is_none()
                {
                    saved = Some(serde_json::to_string(&moment.checkpoint()).unwrap());
                }
                ControlFlow::Continue(())
            });
            assert!(bytes(&model.unwrap()) == whole);
            saved
        });
        let saved = saved[0].clone().unwrap().unwrap();
        let from = || serde_json::from_str::<TrainCheckpoint>(&saved).unwrap();
        let mut rounds = Vec::new();
        let alone = job(Ranks::alone()).fit_resumable(&log, Some(from()), |event, _| {
            if let Event::Progress(Progress::Training { done, .. }) = event {
                rounds.push(done);
            }
            ControlFlow::Continue(())
        });
        assert!(bytes(&alone.unwrap()) == whole);
        assert_eq!(rounds.first(), Some(&if is_in_search { 1 } else { 10 }));
        let found = on_threads(2, LIMIT, |ranks| {
            let here = log.select(rows(log.len(), &ranks)).unwrap();
            job(ranks)
                .fit_resumable(&here, Some(from()), |_, _| ControlFlow::Continue(()))
                .map(|model| bytes(&model))
        });
        assert!(found.into_iter().all(|found| found.unwrap().unwrap() == whole));
    }
}

/// A watcher of one rank ends the search, or the training, of all, where that of one process does.
#[test]
fn a_watcher_of_one_rank_ends_all() {
    let log = log(3 * Shard::BLOCK, false, false);
    let ended = |log: &Log, ranks: &Ranks, in_search: bool| {
        let job = short(Objective::Surrogate).ranks(ranks.clone()).build().unwrap();
        let ends = ranks.rank() + 1 == ranks.size();
        job.fit(log, |event| match event {
            Event::Progress(Progress::Search { round: 2, .. }) if ends && in_search => ControlFlow::Break(()),
            Event::Progress(Progress::Training { done: 3, .. }) if ends && !in_search => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        })
    };
    for in_search in [true, false] {
        let whole = ended(&log, &Ranks::alone(), in_search).unwrap();
        assert_eq!((whole.record.cuts.search, whole.record.cuts.training), (in_search, !in_search));
        let found = on_threads(3, LIMIT, |ranks| {
            let here = log.select(rows(log.len(), &ranks)).unwrap();
            ended(&here, &ranks, in_search).map(|model| bytes(&model))
        });
        assert!(found.into_iter().all(|found| found.unwrap().unwrap() == bytes(&whole)));
    }
}

/// No rank waits for one that has refused its rows.
#[test]
fn what_one_rank_refuses_ends_all() {
    let log = log(3 * Shard::BLOCK, false, false);
    let refused = |job: &(dyn Fn(&Ranks, usize) -> TrainJobBuilder + Sync)| {
        let found = on_threads(3, LIMIT, |ranks| {
            let here = log.select(rows(log.len(), &ranks)).unwrap();
            job(&ranks, here.len()).ranks(ranks).build().unwrap().fit(&here, go_on).unwrap_err()
        });
        found.into_iter().map(Option::unwrap).collect::<Vec<JobError>>()
    };
    // A column of another length on the second rank.
    let found = refused(&|ranks, n| {
        let n = if ranks.rank() == 1 { n - 1 } else { n };
        short(Objective::Ips).validation(Split::ByTime(vec![1.0; n]))
    });
    assert!(matches!(found[1], JobError::Length { column: "the times", .. }), "{found:?}");
    for rank in [0, 2] {
        assert!(matches!(found[rank], JobError::Ranks(RankError::Failed { rank: 1, .. })), "{found:?}");
    }
    // Estimates of other rows on the last one.
    let found = refused(&|ranks, n| {
        let all = estimated(&log);
        let first = if ranks.rank() == 2 { 0 } else { rows(log.len(), ranks).start };
        short(Objective::Ips).estimated(all.select(&(first..first + n).collect::<Vec<_>>()).unwrap())
    });
    assert!(matches!(found[2], JobError::OtherPropensities { .. }), "{found:?}");
    assert!(matches!(found[0], JobError::Ranks(RankError::Failed { rank: 2, .. })), "{found:?}");
    // A reward outside the range that is stated.
    let most = log.rewards().iter().copied().fold(f64::MIN, f64::max);
    let found = refused(&|_, _| short(Objective::Ips).reward_range([-1.0, most - 1e-9]));
    let of = log.rewards().iter().position(|r| *r == most).unwrap();
    for (rank, error) in found.iter().enumerate() {
        let owns = [0..1061, 1061..2085, 2085..3072][rank].contains(&of);
        let is_own = matches!(error, JobError::Estimate(_));
        assert!(is_own == owns && (is_own || matches!(error, JobError::Ranks(_))), "{rank}: {error:?}");
    }
    // A time that is no number, of a row of the last rank.
    let found = refused(&|ranks, n| {
        let mut times = vec![1.0; n];
        times[5] = if ranks.rank() == 2 { f64::NAN } else { 1.0 };
        short(Objective::Ips).validation(Split::ByTime(times))
    });
    assert!(found.iter().all(|error| matches!(error, JobError::BadTime { row: 2090, .. })), "{found:?}");
}

/// A rank that was told something else would train another model.
#[test]
fn another_setting_of_one_rank_is_refused() {
    let log = log(300, false, false);
    let refused = |job: &(dyn Fn(TrainJobBuilder) -> TrainJobBuilder + Sync)| {
        let found = on_threads(3, LIMIT, |ranks| {
            let (here, is_other) = (log.select(rows(300, &ranks)).unwrap(), ranks.rank() == 1);
            let own = short(Objective::Ips);
            let own = if is_other { job(own) } else { own };
            own.ranks(ranks).build().unwrap().fit(&here, go_on).unwrap_err()
        });
        let found: Vec<String> = found.into_iter().map(|error| error.unwrap().to_string()).collect();
        assert!(found.iter().all(|error| *error == found[0]), "{found:?}");
        found[0].clone()
    };
    let of = |words: &str| format!("{words} on rank 0: every rank needs the same settings");
    assert_eq!(refused(&|job| job.seed(4)), of("seed is 4 on rank 1, and 3"));
    let share = refused(&|job| job.holdout_share(0.5));
    assert_eq!(share, of("holdout_share is Some(0.5) on rank 1, and None"));
    assert_eq!(refused(&|job| job.max_depth(2)), of("max_depth is 2 on rank 1, and null"));
    assert_eq!(refused(&|job| job.search_rows(200)), of("search_rows is Some(200) on rank 1, and Some(500)"));
    assert_eq!(refused(&|job| job.delta(0.1)), of("delta is 0.1 on rank 1, and 0.05"));
    let times = Split::ByTime(vec![0.0; 100]);
    assert_eq!(
        refused(&|job| job.validation(times.clone())),
        of("split is by time on rank 1, and at random")
    );
    assert_eq!(
        refused(&|job| job.format(serde_json::json!(["x"]))),
        of("format is [\"x\"] on rank 1, and null")
    );
    assert_eq!(refused(&|job| job.budget(Duration::from_secs(5))), of("budget is 5s on rank 1, and 10000s"));
}

/// Copies of a checkpoint on the disks of two machines, one of which is older.
#[test]
fn another_checkpoint_of_one_rank_is_refused() {
    let log = log(300, false, false);
    let job = || short(Objective::Ips).rounds(4);
    let mut saved = Vec::new();
    let see = |_: Event<'_>, moment: Option<&super::Moment<'_>>| {
        saved.extend(moment.map(super::Moment::checkpoint));
        ControlFlow::Continue(())
    };
    job().build().unwrap().fit_resumable(&log, None, see).unwrap();
    // Several moments may lie in one round.
    let first = &saved[2];
    let second = saved.iter().find(|other| other.digest() != first.digest()).unwrap();
    let resumed = |of_ranks: [Option<&TrainCheckpoint>; 2]| {
        let found = on_threads(2, LIMIT, |ranks| {
            let (here, from) = (log.select(rows(300, &ranks)).unwrap(), of_ranks[ranks.rank()].cloned());
            let job = job().ranks(ranks).build().unwrap();
            job.fit_resumable(&here, from, |_, _| ControlFlow::Continue(()))
        });
        found.into_iter().map(|found| found.unwrap().map(|model| bytes(&model))).collect::<Vec<_>>()
    };
    let same = resumed([Some(first), Some(first)]);
    assert!(same[0].is_ok() && same[0] == same[1]);
    for other in [[Some(first), Some(second)], [Some(first), None]] {
        for found in resumed(other) {
            let error = found.unwrap_err();
            let is_named = matches!(&error, JobError::Ranks(RankError::Settings(other)) if other.rank == 1 && other.name == "checkpoint");
            assert!(is_named, "{error:?}");
        }
    }
}

/// The judgements of the tables and policies, their differences, and what lies behind one of them.
fn judged(job: JudgeJobBuilder, log: &Log, table: &[f64]) -> String {
    let job = job.build().unwrap();
    let first = Argmax::new(Tabular::new(3, vec![0.0, 0.0, 1.0]).unwrap());
    let uniform = Uniform::new(3).unwrap();
    let targets = [Target::Policy(&first), Target::Policy(&uniform), Target::Logged, Target::Table(table)];
    let compared = job.compare(log, &targets).unwrap();
    let one = job.evaluate(log, targets[1]).unwrap();
    let settings = BreakdownSettings::default();
    let behind = job.break_down(log, targets[3], &settings).unwrap();
    let changes = job.break_down(log, targets[1], &settings).unwrap();
    format!("{compared:?} {one:?} {behind:?} {changes:?}")
}

#[test]
fn ranks_change_no_bit_of_a_judgement() {
    for (has_model, has_sets, is_estimated) in [(true, false, true), (false, true, false)] {
        let log = log(1000, false, has_sets);
        let table: Vec<f64> = (0..1000)
            .flat_map(|i| {
                let on_offer: Vec<usize> = log.on_offer(i).iter().collect();
                let chosen = on_offer[i % on_offer.len()];
                [0, 1, 2].map(|a| if a == chosen { 1.0 } else { 0.0 })
            })
            .collect();
        let job = |rows: Range<usize>, ranks: Ranks| {
            let job = JudgeJob::builder().seed(5).reward_model(has_model).ranks(ranks);
            let own: Vec<usize> = rows.collect();
            if is_estimated { job.estimated(estimated(&log).select(&own).unwrap()) } else { job }
        };
        let whole = judged(job(0..1000, Ranks::alone()), &log, &table);
        for (size, threads) in ways() {
            let found = on_ranks(size, threads, |ranks| {
                let rows = rows(1000, &ranks);
                let here = log.select(rows.clone()).unwrap();
                judged(job(rows.clone(), ranks), &here, &table[3 * rows.start..3 * rows.end])
            });
            assert!(
                found.into_iter().all(|found| found.unwrap() == whole),
                "{size} ranks, {threads} threads, {has_model}"
            );
        }
    }
}

/// Three copies of every row, spread over the ranks.
#[test]
fn copies_are_counted_over_all_ranks() {
    let own = log(60, false, false);
    let whole = own.select((0..180).map(|i| i % 60)).unwrap();
    let found = on_threads(3, LIMIT, |ranks| {
        let here = whole.select(rows(180, &ranks)).unwrap();
        let [few, some] = [own.select(0..5), own.select(7 * ranks.rank()..7 * ranks.rank() + 7)];
        let (few, some) = (few.unwrap(), some.unwrap());
        let times = |log: &Log| times_of_every_row(log, &ranks).unwrap();
        let digest = |log: &Log| any_order::of_rows_of_ranks(log, &ranks).unwrap();
        ((times(&here), times(&few)), (digest(&few), digest(&some)))
    });
    let digests = (None, any_order::of_rows(&own.select(0..21).unwrap()));
    assert!(digests.1.is_some());
    // The counts of a few rows are even by chance.
    assert!(found.into_iter().all(|found| found == Some(((3, 1), digests.clone()))));
}
