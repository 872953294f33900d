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

#[cfg(test)]
mod tests {
    use super::*;

    fn mass(y: &[f64], caps: &[f64], t: f64) -> f64 {
        y.iter().zip(caps).map(|(v, c)| (v - t).max(0.0).min(*c)).sum()
    }

    /// Points and caps: spread, ties, caps of 0, one cap above all others, lengths around a row of lanes.
    fn cases() -> Vec<(Vec<f64>, Vec<f64>)> {
        let wave = |n: u32, f: f64| (0..n).map(move |i| (f64::from(i) * f + 0.3).sin());
        let mut cases: Vec<(Vec<f64>, Vec<f64>)> = [1, 2, 3, 4, 5, 9, 200, 3001]
            .into_iter()
            .map(|n| (wave(n, 0.7391).collect(), wave(n, 0.311).map(|c| 0.6 + 0.5 * c).collect()))
            .collect();
        let ties = wave(100, 0.7391).map(|v| (3.0 * v).round()).collect();
        cases.push((ties, (0..100).map(|i| f64::from(i % 3)).collect()));
        cases.push((wave(50, 1.3).collect(), (0..50).map(|i| if i == 9 { 100.0 } else { 0.1 }).collect()));
        cases
    }

    /// The threshold lies within the stated error, because the mass falls from one end to the other.
    #[test]
    fn a_root_is_off_by_no_more_than_its_error() {
        for (y, caps) in cases() {
            let most: f64 = caps.iter().sum();
            for part in [1e-9, 0.01, 0.2, 0.5, 0.9, 0.999] {
                let s = part * most;
                let (tau, error) = root(&y, &caps, s, s);
                let n = y.len();
                let capped: Vec<f64> = caps.iter().map(|c| c.min(s)).collect();
                let slack = 1e-13 * s;
                assert!(mass(&y, &capped, tau - error) >= s - slack, "n = {n}, part = {part}: {tau} is high");
                assert!(mass(&y, &capped, tau + error) <= s + slack, "n = {n}, part = {part}: {tau} is low");
                assert!(
                    n < 100 || (0.0..1e-3).contains(&error),
                    "n = {n}, part = {part}: an error of {error}"
                );
                let (low, high) = around(&y, &caps, s);
                assert!(low == tau - error && high == tau + error);
            }
        }
    }

    #[test]
    fn what_a_threshold_holds_is_its_mass_with_the_numbers_of_growing_and_full_coordinates() {
        for (y, caps) in cases() {
            for t in [-2.0, -0.4, 0.0, 0.3, 0.9] {
                for s in [0.05, 0.4, 1e3] {
                    let capped: Vec<f64> = caps.iter().map(|c| c.min(s)).collect();
                    let (sum, growing, full) = held(&y, &caps, s, t);
                    assert!((sum - mass(&y, &capped, t)).abs() <= 1e-12 * sum);
                    let count = |is: fn(f64, f64) -> bool| {
                        y.iter().zip(&capped).filter(|(v, c)| is(**v - t, **c)).count() as u64
                    };
                    assert_eq!(growing, count(|u, c| u > 0.0 && u < c));
                    assert_eq!(full, count(|u, c| u >= c));
                }
            }
        }
    }

    /// Of a vector in random order the sample has the share of the mass that it should have, so the bracket
    /// holds the threshold, and is narrow where enough of the sample lies above.
    #[test]
    fn a_bracket_of_a_sample_holds_the_threshold() {
        let n = 40_000_u32;
        // The fractional parts of multiples of the golden ratio, in a mixed order.
        let y: Vec<f64> =
            (0..n).map(|i| (f64::from(i.wrapping_mul(2_654_435_761) % n) * 0.618_034).fract()).collect();
        let caps = vec![0.3; y.len()];
        let (mut pool, mut sifted) = (Vec::new(), Vec::new());
        for part in [1e-7, 0.01, 0.1, 0.5, 0.9] {
            let s = part * 0.3 * f64::from(n);
            let (low, high) = bracket(&y, &caps, s, &mut pool, &mut sifted);
            let (tau, error) = root(&y, &caps, s, s);
            assert!(low <= tau + error && tau - error <= high, "part = {part}: {tau} in {low} to {high}");
            if part >= 0.1 {
                assert!(high - low < 0.3, "part = {part}: {low} to {high}");
            } else if part < 1e-6 {
                assert!(high == f64::MAX, "part = {part}: {low} to {high}");
            }
        }
    }
}
