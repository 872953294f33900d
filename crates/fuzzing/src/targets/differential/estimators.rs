//! Estimates of a policy's value against the formulas, row by row.

use super::law;
use crate::draw::Draw;
use crate::target::Target;
use crate::verdict::{AnyError, Complaint};
use off_policy::estimators::{
    Accumulator, Estimate, EstimatorSettings, Observation, OffPolicyEvaluation, Tables,
};

struct Log {
    actions: Vec<u32>,
    propensities: Vec<f64>,
    rewards: Vec<f64>,
    target: Vec<f64>,
    q: Vec<f64>,
    count: usize,
}

impl Log {
    fn draw(draw: &mut Draw<'_>) -> Self {
        let (count, n) = (draw.size(1, 4), draw.size(1, 12));
        let mut target = Vec::new();
        for _ in 0..n {
            // Multiples of 1/64 that sum to 1.
            let mut left = 64;
            for a in 0..count {
                let part = if a + 1 == count { left } else { draw.size(0, left) };
                left -= part;
                target.push(part as f64 / 64.0);
            }
        }
        Self {
            actions: draw.list(n, |draw| draw.index(count)),
            propensities: draw.list(n, Draw::share),
            rewards: draw.list(n, Draw::moderate),
            q: draw.list(n * count, Draw::moderate),
            target,
            count,
        }
    }

    fn rows(&self) -> Vec<Observation> {
        (0..self.actions.len())
            .map(|i| {
                let at = i * self.count + self.actions[i] as usize;
                let of_row = i * self.count..(i + 1) * self.count;
                let direct =
                    self.target[of_row.clone()].iter().zip(&self.q[of_row]).map(|(p, q)| p * q).sum();
                let (target, predicted) = (self.target[at], self.q[at]);
                Observation {
                    target,
                    propensity: self.propensities[i],
                    reward: self.rewards[i],
                    direct,
                    predicted,
                }
            })
            .collect()
    }
}

/// Mean and standard error of terms, in two passes.
fn mean(terms: &[f64]) -> Estimate {
    let n = terms.len() as f64;
    let value = terms.iter().sum::<f64>() / n;
    let squares: f64 = terms.iter().map(|t| (t - value) * (t - value)).sum();
    Estimate { value, standard_error: (terms.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt()) }
}

/// Both numbers, but for rounding in units of the largest term.
fn near(one: Estimate, two: Estimate, largest: f64) -> bool {
    let close = |a: f64, b: f64, digits: f64| (a - b).abs() <= digits * largest;
    close(one.value, two.value, 1e-13)
        && match (one.standard_error, two.standard_error) {
            (Some(a), Some(b)) => close(a, b, 1e-7) && (a - b).abs() <= 1e-9 * b.abs() + 1e-7 * largest,
            (None, None) => true,
            _ => false,
        }
}

fn judge(draw: &mut Draw<'_>) -> Result<Result<(), Complaint>, AnyError> {
    let log = Log::draw(draw);
    let (clip, tau) = (draw.share() * 20.0, draw.share() * 20.0);
    let settings = EstimatorSettings::default().clipped_at(clip)?.switched_at(tau)?;
    let tables =
        Tables::new(log.count, &log.actions, &log.propensities, &log.rewards, &log.target, Some(&log.q))?;
    let found = OffPolicyEvaluation::of_tables(&tables, settings)?;
    let rows = log.rows();
    let w: Vec<f64> = rows.iter().map(|row| row.target / row.propensity).collect();
    let terms = |of: &dyn Fn(&Observation, f64) -> f64| -> Vec<f64> {
        rows.iter().zip(&w).map(|(row, w)| of(row, *w)).collect()
    };
    let ips = terms(&|row, w| w * row.reward);
    let named = [
        ("IPS is its formula", Some(found.ips), ips.clone()),
        ("clipped IPS is its formula", Some(found.clipped_ips), terms(&|row, w| w.min(clip) * row.reward)),
        ("DM is its formula", found.dm, terms(&|row, _| row.direct)),
        ("DR is its formula", found.dr, terms(&|row, w| row.direct + w * (row.reward - row.predicted))),
        (
            "SWITCH-DR is its formula",
            found.switch_dr,
            terms(&|row, w| row.direct + if w <= tau { w * (row.reward - row.predicted) } else { 0.0 }),
        ),
    ];
    let largest = |terms: &[f64]| terms.iter().fold(1e-300, |m: f64, t| m.max(t.abs()));
    let scale = (1.0 + largest(&w)) * (1.0 + largest(&log.rewards) + largest(&log.q));
    for (what, got, terms) in named {
        let want = mean(&terms);
        if !got.is_some_and(|got| near(got, want, scale)) {
            return Ok(law(what, false, || format!("{got:?}, not {want:?} of {rows:?}, {settings:?}")));
        }
    }
    let total: f64 = w.iter().sum();
    let want = (total > 0.0).then(|| {
        let value = ips.iter().sum::<f64>() / total;
        let squares: f64 = rows.iter().zip(&w).map(|(row, w)| (w * (row.reward - value)).powi(2)).sum();
        Estimate { value, standard_error: Some(squares.sqrt() / total) }
    });
    let is_same = match (found.snips, want) {
        (Some(got), Some(want)) => {
            let digits = 1e-12 * largest(&log.rewards).max(1.0);
            let errors = got.standard_error.zip(want.standard_error);
            (got.value - want.value).abs() <= digits
                && errors.is_none_or(|(a, b)| (a - b).abs() <= 1e-6 * largest(&log.rewards).max(1.0))
        }
        (None, None) => true,
        _ => false,
    };
    if !is_same {
        return Ok(law("SNIPS is its formula", false, || {
            format!("{:?}, not {want:?} of {rows:?}", found.snips)
        }));
    }
    let counts = (found.support.rows, found.support.clipped, found.support.switched);
    let above = |bound: f64| w.iter().filter(|w| **w > bound).count() as u64;
    let expected = (rows.len() as u64, above(clip), above(tau));
    if counts != expected {
        return Ok(law("rows are counted", false, || format!("{counts:?}, not {expected:?} of {rows:?}")));
    }
    Ok(in_parts(&rows, settings, draw.size(0, rows.len()), &found))
}

/// The rows in two parts: merged, and by words as between ranks, the same bits both times.
fn in_parts(
    rows: &[Observation],
    settings: EstimatorSettings,
    cut: usize,
    whole: &OffPolicyEvaluation,
) -> Result<(), Complaint> {
    let of = |rows: &[Observation]| {
        let mut seen = Accumulator::new(settings, true);
        rows.iter().try_for_each(|row| seen.observe(row)).map(|()| seen)
    };
    let merged = || -> Result<[OffPolicyEvaluation; 2], AnyError> {
        let (mut first, second) = (of(&rows[..cut])?, of(&rows[cut..])?);
        let mut words = Accumulator::new(settings, true);
        words.merge_words(&first.to_words())?;
        words.merge_words(&second.to_words())?;
        first.merge(&second)?;
        Ok([first.finish()?, words.finish()?])
    };
    let merged = match merged() {
        Ok(merged) => merged,
        Err(error) => return law("parts of a log are merged", false, || error.to_string()),
    };
    let [by_parts, by_words] = &merged;
    let largest = rows.iter().map(|row| row.reward.abs() / row.propensity).fold(1.0, f64::max);
    let is_same = by_parts == by_words && near(by_parts.ips, whole.ips, largest);
    law("parts of a log are the whole", is_same, || format!("{merged:?}, not {whole:?}, cut at {cut}"))
}

pub(super) fn target() -> Target {
    super::target("differential: estimators against their formulas", judge)
}
