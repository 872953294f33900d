//! A bracket of the threshold of a capped simplex, by Newton's method on the mass above a threshold.

use super::lanes::{max, one_if, positive};
use super::sift::{FEW, sample_runs};
use rows::numeric::block_sum;

/// Two numbers between which τ probably lies: the thresholds of a sample for its share of s, plus and minus
/// the sampling error of the mass above.
pub(crate) fn bracket(
    y: &[f64],
    caps: &[f64],
    s: f64,
    pool: &mut Vec<f64>,
    sifted: &mut Vec<f64>,
) -> (f64, f64) {
    pool.clear();
    sifted.clear();
    for run in sample_runs(y.len()) {
        pool.extend_from_slice(&y[run.clone()]);
        sifted.extend(caps[run].iter().map(|c| c.min(s)));
    }
    let share = s * (pool.len() as f64 / y.len() as f64);
    let middle = root(pool, sifted, s, share).0;
    let parts = pool.iter().zip(&*sifted).map(|(v, c)| positive(v - middle).min(*c));
    let (above, squares) = parts.fold((0.0, 0.0), |(n, sum), x| (n + one_if(x > 0.0), sum + x * x));
    let chance = 3.0 * squares.sqrt();
    let more = if above < 64.0 { s } else { (share + chance).min(s) };
    let high =
        if above >= 64.0 && share > chance { root(pool, sifted, s, share - chance).0 } else { f64::MAX };
    (root(pool, sifted, s, more).0, high)
}

/// Two close numbers with τ probably between them.
pub(crate) fn around(y: &[f64], caps: &[f64], s: f64) -> (f64, f64) {
    let (tau, error) = root(y, caps, s, s);
    (tau - error, tau + error)
}

/// An approximate τ with Σ min(max(y − τ, 0), c) = mass, and its error, by Newton's method inside a bracket.
/// Caps above s count as s.
fn root(y: &[f64], caps: &[f64], s: f64, mass: f64) -> (f64, f64) {
    let n = y.len() as f64;
    // At the least entry minus the largest cap all coordinates are full.
    let least = y.iter().copied().fold(f64::INFINITY, f64::min);
    let (mut low, mut high) = (least - max(caps).min(s), max(y));
    let inside = |t: f64, low: f64, high: f64| if t > low && t < high { t } else { 0.5 * low + 0.5 * high };
    let mut tau = inside((block_sum(y) - mass) / n, low, high);
    let mut before = (0, 0);
    for _ in 0..ROUNDS {
        let (held, growing, full) = held(y, caps, s, tau);
        let step = (held - mass) / growing.max(1) as f64;
        if growing > 0 && (growing, full) == before {
            return (tau, 4.0 * step.abs() + 1e-12 * (s / n) + 4.0 * f64::EPSILON * tau.abs());
        }
        before = (growing, full);
        (low, high) = if held > mass { (tau, high) } else { (low, tau) };
        tau = inside(if growing > 0 { tau + step } else { low }, low, high);
    }
    (tau, high - low)
}

/// The number of Newton steps before another method is used.
const ROUNDS: usize = 24;

/// Σ min(max(y − t, 0), c), and the numbers of growing and of full coordinates.
fn held(y: &[f64], caps: &[f64], s: f64, t: f64) -> (f64, u64, u64) {
    let (mut held, mut growing, mut full) = ([0.0; FEW], [0_u64; FEW], [0_u64; FEW]);
    let mut visit = |lane: usize, v: f64, c: f64| {
        let c = if c < s { c } else { s };
        let u = v - t;
        let x = if u > 0.0 { u } else { 0.0 };
        held[lane] += if x < c { x } else { c };
        growing[lane] += u64::from((u > 0.0) & (u < c));
        full[lane] += u64::from(u >= c);
    };
    let ((rows, rest), (caps, caps_of_rest)) = (y.as_chunks::<FEW>(), caps.as_chunks::<FEW>());
    for (row, caps) in rows.iter().zip(caps) {
        for lane in 0..FEW {
            visit(lane, row[lane], caps[lane]);
        }
    }
    rest.iter().zip(caps_of_rest).for_each(|(v, c)| visit(0, *v, *c));
    (held.iter().sum(), growing.iter().sum(), full.iter().sum())
}
