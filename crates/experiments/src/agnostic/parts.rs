//! The parts of the experiment: their sizes, their streams, and the numbers of one trial.

use super::streams::{LabelFlips, Source};
use super::{Point, growth, methods, other_learners, statistical, streams};
use crate::runner::ExperimentError;
use datasets::{Dataset, Name};
use serde::Serialize;

/// A part of the experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Progressive accuracy of every method.
    Accuracy,
    /// Gain of Algorithm 1 as T grows.
    Rounds,
    /// Gain of Algorithm 1 as N grows.
    Learners,
    /// Progressive accuracy over other online learners.
    Others,
    /// Training correlation of Algorithm 2 as T grows.
    Statistical,
}

/// The size of a run.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Size {
    /// The most scored rounds of a stream.
    pub(super) rounds: usize,
    /// N, for the comparison of methods.
    learners: usize,
    /// Rounds of the gain as T grows, as a power of two, and the N of that curve.
    growth: (u32, usize),
    /// Rounds of the gain as N grows, and each N.
    #[serde(rename = "crowd")]
    learner_counts: (usize, Vec<usize>),
    /// Rounds and N over other online learners.
    others: (usize, usize),
    /// m, and the longest run of Algorithm 2 as a power of two.
    sample: (usize, u32),
}

impl Size {
    pub(super) fn of(quick: bool) -> Self {
        if quick {
            Self {
                rounds: 400,
                learners: 10,
                growth: (9, 20),
                learner_counts: (300, vec![1, 5, 20]),
                others: (300, 5),
                sample: (200, 5),
            }
        } else {
            let learner_counts = vec![1, 2, 5, 10, 20, 50, 100, 200];
            Self {
                rounds: 10_000,
                learners: 20,
                growth: (14, 100),
                learner_counts: (4_000, learner_counts),
                others: (3_000, 10),
                sample: (1_000, 9),
            }
        }
    }
}

impl Part {
    pub(super) const ALL: [Self; 5] =
        [Self::Accuracy, Self::Rounds, Self::Learners, Self::Others, Self::Statistical];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Rounds => "gain against T",
            Self::Learners => "gain against N",
            Self::Others => "other learners",
            Self::Statistical => "Algorithm 2",
        }
    }

    /// The kinds of label noise for a source in this part.
    pub(super) fn label_flips(self, source: Source) -> &'static [LabelFlips] {
        use Name::{Adult, BreastCancer, Letter, Spambase};
        match (self, source) {
            (Self::Accuracy, _) => LabelFlips::about(source),
            (Self::Rounds, _) => &[LabelFlips::Noise(0.2)],
            (Self::Learners, Source::Jumps | Source::Turns | Source::OneStump) => &[],
            (Self::Learners, _) => &[LabelFlips::Noise(0.2)],
            (Self::Others, Source::Real(Adult | Letter | Spambase | BreastCancer))
            | (Self::Others, Source::FiveStumps | Source::HalfSpace)
            | (Self::Statistical, Source::FiveStumps) => &[LabelFlips::Noise(0.0), LabelFlips::Noise(0.2)],
            (Self::Statistical, Source::Real(Letter | Spambase | BreastCancer)) => &[LabelFlips::Noise(0.2)],
            (Self::Others | Self::Statistical, _) => &[],
        }
    }

    /// The metric name of this part in the record.
    pub(super) fn metric(self, x: u64) -> String {
        match self {
            Self::Accuracy | Self::Others => "progressive accuracy".to_owned(),
            Self::Rounds => format!("gain a round, T = {x}"),
            Self::Learners => format!("gain a round, N = {x}"),
            Self::Statistical => format!("training correlation, T = {x}"),
        }
    }
}

/// The numbers of one trial.
pub(super) fn points(
    part: Part,
    source: Source,
    real: Option<&Dataset>,
    label_flips: LabelFlips,
    size: &Size,
    seed: u64,
    trial: u64,
) -> Result<Vec<Point>, ExperimentError> {
    let stream = |longest: usize| source.stream(real, label_flips, longest, seed, trial);
    match part {
        Part::Accuracy => {
            let stream = stream(size.rounds)?;
            let (_, best) = streams::best_stump(&stream.rows, &stream.labels, &stream.class)?;
            let best = 0.5 + 0.5 * best as f64 / stream.labels.len() as f64;
            let of = |votes: methods::Votes| Point::new(votes.method, 0, votes.accuracy(&stream.labels));
            let mut points = vec![Point::new(growth::BEST, 0, best)];
            points.extend(methods::votes(&stream, size.learners, seed, trial)?.into_iter().map(of));
            Ok(points)
        }
        Part::Rounds => {
            let (last, n) = size.growth;
            let horizons: Vec<usize> = (4..=last).map(|power| 1 << power).collect();
            growth::against_rounds(&stream(1 << last)?, n, &horizons, seed, trial)
        }
        Part::Learners => {
            growth::against_learners(&stream(size.learner_counts.0)?, &size.learner_counts.1, seed, trial)
        }
        Part::Others => other_learners::accuracies(&stream(size.others.0)?, size.others.1, seed, trial),
        Part::Statistical => {
            let (m, last) = size.sample;
            let horizons: Vec<u32> = (2..=last).map(|power| 1 << power).collect();
            statistical::correlations(&stream(m)?, label_flips, &horizons, seed, trial)
        }
    }
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "the same arithmetic gives the same bits")]
mod tests {
    use super::*;
    use weak_learners::Label;

    const SOURCE: Source = Source::FiveStumps;

    fn small() -> Size {
        Size {
            rounds: 80,
            learners: 3,
            growth: (6, 4),
            learner_counts: (70, vec![1, 3]),
            others: (60, 2),
            sample: (50, 3),
        }
    }

    fn numbers(part: Part, label_flips: LabelFlips) -> Vec<Point> {
        points(part, SOURCE, None, label_flips, &small(), 3, 1).unwrap()
    }

    /// The accuracy of every method and of the best of all stumps of the class, found one by one.
    #[test]
    fn accuracies_are_shares_of_the_rounds_and_no_stump_is_better_than_the_best() {
        let label_flips = LabelFlips::Noise(0.2);
        let stream = SOURCE.stream(None, label_flips, 80, 3, 1).unwrap();
        let found = numbers(Part::Accuracy, label_flips);
        let mut best = 0;
        let right = |vote: &dyn Fn(rows::Row<'_>) -> Label| {
            stream.rows.iter().zip(&stream.labels).filter(|(x, y)| vote(*x) == **y).count()
        };
        for label in [Label::Plus, Label::Minus] {
            best = best.max(right(&|_| label));
            for j in 0..stream.rows.dimension() {
                for &theta in stream.class.of(j) {
                    let above = |x: rows::Row<'_>| x.get(j).unwrap_or(0.0) >= theta;
                    best = best.max(right(&|x| if above(x) { label } else { -label }));
                }
            }
        }
        assert_eq!((found[0].series.as_str(), found[0].value), (growth::BEST, best as f64 / 80.0));
        let votes = methods::votes(&stream, 3, 3, 1).unwrap();
        assert_eq!(found.len(), votes.len() + 1);
        for (point, votes) in found[1..].iter().zip(votes) {
            let right = votes.votes.iter().zip(&stream.labels).filter(|(vote, y)| vote == y).count();
            assert_eq!((point.series.as_str(), point.x, point.value), (votes.method, 0, right as f64 / 80.0));
        }
    }

    #[test]
    fn every_part_has_the_length_of_its_size() {
        let places = |part| {
            let mut places: Vec<u64> =
                numbers(part, LabelFlips::Noise(0.2)).iter().map(|point| point.x).collect();
            places.dedup();
            places
        };
        assert_eq!(places(Part::Rounds), [16, 32, 64]);
        assert_eq!(places(Part::Learners), [1, 3]);
        assert_eq!(places(Part::Statistical), [4, 8]);
        assert_eq!(places(Part::Others), [0]);
        // The gain of N learners is after all rounds of their stream.
        let stream = SOURCE.stream(None, LabelFlips::Noise(0.2), 70, 3, 1).unwrap();
        let (_, gain) = streams::best_stump(&stream.rows, &stream.labels, &stream.class).unwrap();
        assert_eq!(numbers(Part::Learners, LabelFlips::Noise(0.2))[0].value, gain as f64 / 70.0);
    }

    #[test]
    fn metrics_name_the_growing_quantity() {
        let of = |part: Part| part.metric(8);
        assert_eq!(
            Part::ALL.map(of),
            [
                "progressive accuracy",
                "gain a round, T = 8",
                "gain a round, N = 8",
                "progressive accuracy",
                "training correlation, T = 8",
            ]
        );
    }
}
