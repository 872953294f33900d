//! Exact bounds on the probability of a count.

/// The least and the largest p that a count of k among n does not rule out, each at level `alpha`: Clopper
/// and Pearson's bounds. P\[X ≥ k\] = α at the lower one, P\[X ≤ k\] = α at the upper one, for X binomial.
///
/// They hold whatever p is, with probability at least 1 − α each. *Cost:* 128 sums of some 9√n terms at most.
pub(super) fn bounds(k: u64, n: u64, alpha: f64) -> [f64; 2] {
    [lower(k, n, alpha), 1.0 - lower(n.saturating_sub(k), n, alpha)]
}

/// The largest p with P\[X ≥ k\] ≤ α; 0 for k = 0.
fn lower(k: u64, n: u64, alpha: f64) -> f64 {
    if k == 0 || n == 0 {
        return 0.0;
    }
    // P[X ≥ k] rises with p, and is about ½ at k/n.
    let (mut low, mut high) = (0.0, real(k) / real(n));
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if upper_tail(k, n, middle) > alpha {
            high = middle;
        } else {
            low = middle;
        }
    }
    low
}

/// P\[X ≥ k\] for p ≤ k/n, where the terms fall from the first on.
fn upper_tail(k: u64, n: u64, p: f64) -> f64 {
    let odds = p / (1.0 - p);
    let (mut term, mut sum) = (1.0, 1.0);
    for i in k..n {
        term *= real(n - i) / real(i + 1) * odds;
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    ln_mass(k, n, p).exp() * sum
}

/// ln P\[X = k\] for 0 < k ≤ n, by the deviances of k and n − k from their means: no large terms cancel.
fn ln_mass(k: u64, n: u64, p: f64) -> f64 {
    if k == n {
        return real(n) * p.ln();
    }
    let (right, wrong, all) = (real(k), real(n - k), real(n));
    let corrections = stirling(n) - stirling(k) - stirling(n - k);
    let deviances = deviance(right, all * p) + deviance(wrong, all * (1.0 - p));
    corrections - deviances - 0.5 * (std::f64::consts::TAU * right * (wrong / all)).ln()
}

/// ln n! less Stirling's (n + ½)ln n − n + ½ln 2π.
fn stirling(n: u64) -> f64 {
    let x = real(n);
    if n < 16 {
        let factorial: f64 = (1..=n).map(|i| real(i).ln()).sum();
        return factorial - ((x + 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln());
    }
    let square = x * x;
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square) / x
}

/// x·ln(x/m) + m − x, by a series where the two are close.
fn deviance(x: f64, m: f64) -> f64 {
    let (gap, sum) = (x - m, x + m);
    if gap.abs() >= 0.1 * sum {
        return x * (x / m).ln() - gap;
    }
    let ratio = gap / sum;
    let (mut total, mut power) = (gap * ratio, 2.0 * x * ratio);
    for odd in (3_u32..200).step_by(2) {
        power *= ratio * ratio;
        let next = total + power / f64::from(odd);
        if next == total {
            break;
        }
        total = next;
    }
    total
}

#[allow(clippy::cast_precision_loss, reason = "a count of rows")]
fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distribution function by its definition, in whole numbers of ways.
    fn at_most(k: u64, n: u64, p: f64) -> f64 {
        let ways = |i: u64| (1..=i).fold(1.0, |ways, j| ways * real(n - i + j) / real(j));
        (0..=k)
            .map(|i| {
                ways(i) * p.powi(i32::try_from(i).unwrap()) * (1.0 - p).powi(i32::try_from(n - i).unwrap())
            })
            .sum()
    }

    #[test]
    fn tails_at_the_bounds_are_the_level() {
        for (k, n) in [(1, 10), (3, 10), (9, 10), (17, 60), (30, 60)] {
            let [low, high] = bounds(k, n, 0.025);
            assert!((1.0 - at_most(k - 1, n, low) - 0.025).abs() < 1e-12, "{k} of {n}: {low}");
            assert!((at_most(k, n, high) - 0.025).abs() < 1e-12, "{k} of {n}: {high}");
        }
    }

    #[test]
    fn masses_are_those_of_the_definition() {
        for (n, p) in [(7, 0.3), (40, 0.5), (60, 0.02)] {
            for k in 1..=n {
                let exact = at_most(k, n, p) - at_most(k - 1, n, p);
                let found = ln_mass(k, n, p).exp();
                assert!((found - exact).abs() <= 1e-12 * exact + 3e-16, "{k} of {n}: {found}, {exact}");
            }
        }
    }

    /// As many rows as a report may count.
    #[test]
    fn billions_of_rows_have_bounds_too() {
        let n = 1_u64 << 36;
        let [low, high] = bounds(n / 3, n, 0.025);
        let width = 1.959_964 * (2.0 / 9.0 / real(n)).sqrt();
        for (found, expected) in [(low, 1.0 / 3.0 - width), (high, 1.0 / 3.0 + width)] {
            assert!((found - expected).abs() < 1e-3 * width, "{found}, {expected}");
        }
    }

    #[test]
    fn ends_have_closed_forms() {
        // (1 − p)^20 = α.
        let [low, high] = bounds(0, 20, 0.05);
        assert!(low == 0.0 && (high - (1.0 - 0.05_f64.powf(0.05))).abs() < 1e-12, "{high}");
        let [low, high] = bounds(20, 20, 0.05);
        assert!((low - 0.05_f64.powf(0.05)).abs() < 1e-12 && high == 1.0, "{low}");
        assert_eq!(bounds(0, 0, 0.05), [0.0, 1.0]);
    }

    #[test]
    fn bounds_of_many_rows_are_those_of_the_normal_law() {
        let [low, high] = bounds(200_000, 1_000_000, 0.025);
        let width = 1.959_964 * (0.2 * 0.8 / 1e6_f64).sqrt();
        assert!((low - (0.2 - width)).abs() < 2e-6 && (high - (0.2 + width)).abs() < 2e-6, "{low} {high}");
    }
}
