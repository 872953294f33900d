//! A run that is saved and loaded in the middle, against one that goes on.

use super::law;
use crate::draw::Draw;
use crate::target::Target;
use crate::verdict::{AnyError, Complaint};
use ocoboost::{
    JobError, RegressionBooster, RegressionSettings, StreamBooster, StreamJob, StreamLearner,
    StreamRegressor, StreamWeakLearner,
};
use off_policy::Value;

const BOOSTERS: [StreamBooster; 6] = [
    StreamBooster::Agnostic,
    StreamBooster::Realizable,
    StreamBooster::OsBoost,
    StreamBooster::OnlineBbm,
    StreamBooster::AdaBoostOl,
    StreamBooster::Alone,
];
const WEAK: [StreamWeakLearner; 3] =
    [StreamWeakLearner::NaiveBayes, StreamWeakLearner::Stumps, StreamWeakLearner::Logistic];
const LABELS: [&str; 3] = ["a", "b", "c"];

/// One row: its class or target, and its cells.
type Cells = Vec<(&'static str, Cell)>;

#[derive(Debug, Clone, Copy)]
enum Cell {
    Number(f64),
    Label(usize),
    Missing,
}

impl Cell {
    fn draw(draw: &mut Draw<'_>) -> Self {
        match draw.byte() % 8 {
            0 => Self::Missing,
            1 | 2 => Self::Label(draw.size(0, LABELS.len() - 1)),
            _ => Self::Number(draw.any()),
        }
    }

    fn value(self) -> Value<'static> {
        match self {
            Self::Number(x) => Value::Number(x),
            Self::Label(k) => Value::Text(LABELS.get(k).copied().unwrap_or_default()),
            Self::Missing => Value::Missing,
        }
    }
}

fn cells(draw: &mut Draw<'_>) -> Cells {
    ["x", "y", "z"].into_iter().map(|name| (name, Cell::draw(draw))).collect()
}

fn values(cells: &Cells) -> impl Iterator<Item = (&'static str, Value<'static>)> {
    cells.iter().map(|(name, cell)| (*name, cell.value()))
}

/// Both ends of `rows`, of which the second stops at `cut`: the words of the rounds, and the saved end.
fn compared<L>(
    what: &'static str,
    begin: impl Fn() -> Result<L, AnyError>,
    (rows, cut): (usize, usize),
    mut round: impl FnMut(&mut L, usize) -> String,
    save: impl Fn(&L) -> Result<Vec<u8>, AnyError>,
    load: impl Fn(&[u8]) -> Result<L, AnyError>,
) -> Result<Result<(), Complaint>, AnyError> {
    let (mut whole, mut stopped) = (begin()?, begin()?);
    for row in 0..rows {
        if row == cut {
            // A state that cannot be saved is refused where it is saved.
            let bytes = save(&stopped)?;
            stopped = match load(&bytes) {
                Ok(loaded) => loaded,
                Err(error) => return Ok(law(what, false, || format!("row {row}: {error}"))),
            };
        }
        let said = [round(&mut whole, row), round(&mut stopped, row)];
        if said[0] != said[1] {
            return Ok(law(what, false, || format!("row {row} of {rows}, cut at {cut}: {said:?}")));
        }
    }
    Ok(law(what, save(&whole)? == save(&stopped)?, || format!("the ends of {rows} rows, cut at {cut}")))
}

fn classifiers(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let booster = BOOSTERS[draw.size(0, BOOSTERS.len() - 1)];
    let weak = WEAK[draw.size(0, WEAK.len() - 1)];
    let (learners, bits, rows) = (draw.size(1, 3), draw.size(2, 4), draw.size(1, 10));
    let cut = draw.size(0, rows - 1);
    let classes = draw.list(rows, |draw| [None, Some("no"), Some("yes"), Some("third")][draw.size(0, 3)]);
    let rounds = draw.list(rows, cells);
    let job = StreamJob::builder().booster(booster).weak_learner(weak).learners(learners);
    let job = job.bits(u32::try_from(bits)?).seed(draw.byte().into()).build()?;
    compared(
        "a saved classifier goes on as if it had not stopped",
        || Ok(job.begin(3)?),
        (rows, cut),
        |learner: &mut StreamLearner, row| {
            let said: Result<_, JobError> = learner.predict(values(&rounds[row]));
            format!("{said:?} {:?}", learner.round(classes[row], values(&rounds[row])))
        },
        |learner| Ok(learner.to_bytes()?),
        |bytes| Ok(StreamLearner::from_bytes(bytes)?),
    )
}

fn regressors(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let booster =
        [RegressionBooster::GradientBoosting, RegressionBooster::SpanBoosting, RegressionBooster::Alone]
            [draw.size(0, 2)];
    let (learners, bits, rows) = (draw.size(1, 3), draw.size(2, 4), draw.size(1, 10));
    let cut = draw.size(0, rows - 1);
    let target_range = draw.coin().then(|| [-2.0, 2.0]);
    let bits = Some(u32::try_from(bits)?);
    let settings = RegressionSettings { booster, target_range, learners, bits, ..Default::default() };
    let targets = draw.list(rows, Draw::any);
    let rounds = draw.list(rows, cells);
    compared(
        "a saved regressor goes on as if it had not stopped",
        || Ok(settings.begin(3)?),
        (rows, cut),
        |regressor: &mut StreamRegressor, row| {
            let said = regressor.predict(values(&rounds[row])).map(f64::to_bits);
            let round = regressor.round(values(&rounds[row]), targets[row]).map(f64::to_bits);
            format!("{said:?} {round:?}")
        },
        |regressor| Ok(regressor.to_bytes()?),
        |bytes| Ok(StreamRegressor::from_bytes(bytes)?),
    )
}

pub(super) fn all() -> Vec<Target> {
    vec![
        super::target("differential: resumed against uninterrupted classifiers", classifiers),
        super::target("differential: resumed against uninterrupted regressors", regressors),
    ]
}
