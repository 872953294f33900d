//! Means over trials with their 95% intervals, and paired differences.

use crate::record::mean_and_std;

/// A mean over trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The standard deviation with divisor n − 1; 0 for a single trial.
    pub std: f64,
    /// Half the length of Student's 95% interval of the mean; a single trial has none.
    pub half_width: Option<f64>,
}

/// The quantile 0.975 of Student's distribution with 1 to 30 degrees of freedom.
const STUDENT: [f64; 30] = [
    12.70620, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462, 2.30600, 2.26216, 2.22814, 2.20099,
    2.17881, 2.16037, 2.14479, 2.13145, 2.11991, 2.10982, 2.10092, 2.09302, 2.08596, 2.07961, 2.07387,
    2.06866, 2.06390, 2.05954, 2.05553, 2.05183, 2.04841, 2.04523, 2.04227,
];

impl Interval {
    /// The interval of the mean of independent, roughly normal values; `None` without a value.
    pub fn of(values: &[f64]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let n = values.len() as f64;
        let (mean, std) = mean_and_std(values);
        let half_width = values.len().checked_sub(2).map(|k| {
            // Beyond the table: the normal quantile, and three terms of the expansion in 1/(n − 1).
            let beyond = |x: f64| 1.959_964 + x * (2.372_271 + x * (2.822_499 + x * 2.555_850));
            let quantile = STUDENT.get(k).copied().unwrap_or_else(|| beyond(1.0 / (n - 1.0)));
            quantile * std / n.sqrt()
        });
        Some(Self { mean, std, half_width })
    }

    /// The interval of the mean of the differences a − b, trial by trial.
    pub fn of_differences(a: &[f64], b: &[f64]) -> Option<Self> {
        Self::of(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
    }

    /// The interval, scaled by `by`.
    #[must_use]
    pub fn scaled(self, by: f64) -> Self {
        Self { mean: by * self.mean, std: by * self.std, half_width: self.half_width.map(|width| by * width) }
    }

    /// The ends of the interval; for a single trial the mean itself.
    pub fn ends(self) -> (f64, f64) {
        let width = self.half_width.unwrap_or(0.0);
        (self.mean - width, self.mean + width)
    }

    /// A share in percent, with its standard deviation unless there is a single trial.
    pub fn percent(self) -> String {
        let Self { mean, std, half_width } = self.scaled(100.0);
        if half_width.is_some() { format!("{mean:.1} ± {std:.1}") } else { format!("{mean:.1}") }
    }

    /// A difference of shares in percentage points, with its interval unless there is a single trial.
    pub fn points(self) -> String {
        let found = self.scaled(100.0);
        let (low, high) = found.ends();
        let interval =
            if found.half_width.is_some() { format!(" [{low:+.1}, {high:+.1}]") } else { String::new() };
        format!("{:+.1}{interval}", found.mean)
    }

    /// The position of 0: below the interval, in it, or above it. `None` for a single trial.
    pub fn verdict(self) -> Option<&'static str> {
        self.half_width?;
        let (low, high) = self.ends();
        Some(if low > 0.0 {
            "better"
        } else if high >= 0.0 {
            "as good"
        } else {
            "worse"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_a_mean_is_students() {
        // The sleep data of Student's paper of 1908, the difference of two drugs in ten patients.
        let extra = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let found = Interval::of(&extra).unwrap();
        assert!((found.mean - 1.58).abs() < 1e-12 && (found.half_width.unwrap() - 0.8799).abs() < 1e-3);
        assert_eq!(Interval::of(&[]), None);
        let long: Vec<f64> = (0..32).map(f64::from).collect();
        let (short, long) = (Interval::of(&long[..31]).unwrap(), Interval::of(&long).unwrap());
        let quantile = |found: Interval, n: f64| found.half_width.unwrap() * n.sqrt() / found.std;
        assert!(
            (quantile(short, 31.0) - 2.04227).abs() < 1e-9 && (quantile(long, 32.0) - 2.03951).abs() < 1e-5
        );
    }

    /// P[|t| ≤ q] with ν degrees of freedom, by the finite sums for whole ν (Abramowitz and Stegun, 26.7.3
    /// and 26.7.4).
    fn within(q: f64, freedom: u32) -> f64 {
        let theta = (q / f64::from(freedom).sqrt()).atan();
        let (sine, square) = (theta.sin(), theta.cos().powi(2));
        let odd = freedom % 2 == 1;
        // cos θ(1 + ⅔cos²θ + …) for odd ν, 1 + ½cos²θ + … for even ν.
        let (mut term, mut sum, mut k) = (if odd { theta.cos() } else { 1.0 }, 0.0, if odd { 1 } else { 0 });
        while k + 2 <= freedom {
            sum += term;
            term *= square * f64::from(k + 1) / f64::from(k + 2);
            k += 2;
        }
        if odd { (theta + sine * sum) / std::f64::consts::FRAC_PI_2 } else { sine * sum }
    }

    #[test]
    fn every_quantile_has_coverage_95_percent() {
        // The quantile ½√… of one degree of freedom is tan(0.475π), of two 0.95·√(2/(1 − 0.95²)).
        assert!((within((0.475 * std::f64::consts::PI).tan(), 1) - 0.95).abs() < 1e-12);
        assert!((within(0.95 * (2.0_f64 / (1.0 - 0.95 * 0.95)).sqrt(), 2) - 0.95).abs() < 1e-12);
        for freedom in 1..=400_u32 {
            let values: Vec<f64> = (0..=freedom).map(f64::from).collect();
            let found = Interval::of(&values).unwrap();
            let n = f64::from(freedom + 1);
            // The variance of 0, 1, …, ν with divisor ν is (ν + 1)(ν + 2)/12.
            assert!((found.std - (n * (n + 1.0) / 12.0).sqrt()).abs() < 1e-9 * n);
            assert!((found.mean - 0.5 * f64::from(freedom)).abs() < 1e-9);
            let quantile = found.half_width.unwrap() * n.sqrt() / found.std;
            // The table is rounded to five digits; beyond it the expansion is short of 2·10⁻⁶.
            let off = (within(quantile, freedom) - 0.95).abs();
            assert!(off < 6e-7, "{freedom}: {quantile} {off}");
        }
    }

    #[test]
    fn a_difference_is_the_first_minus_the_second_in_the_same_trial() {
        let found = Interval::of_differences(&[5.0, 3.0, 4.0], &[1.0, 2.0, 3.0]).unwrap();
        assert!((found.mean - 2.0).abs() < 1e-12 && (found.std - 3.0_f64.sqrt()).abs() < 1e-12);
        let (low, high) = found.ends();
        let width = 4.30265;
        assert!((low - 2.0 + width).abs() < 1e-9 && (high - 2.0 - width).abs() < 1e-9);
        let tenfold = found.scaled(10.0);
        assert!((tenfold.mean - 20.0).abs() < 1e-9 && (tenfold.std - 300.0_f64.sqrt()).abs() < 1e-9);
        assert!((tenfold.half_width.unwrap() - 10.0 * width).abs() < 1e-9);
        assert_eq!(Interval::of(&[3.0]).unwrap().ends(), (3.0, 3.0));
    }

    #[test]
    fn a_single_trial_has_no_interval() {
        let (one, two) = (Interval::of(&[0.25]).unwrap(), Interval::of(&[0.24, 0.26]).unwrap());
        assert_eq!((one.half_width, one.verdict()), (None, None));
        assert_eq!([one.points(), one.percent()], ["+25.0", "25.0"]);
        assert_eq!([two.points(), two.percent()], ["+25.0 [+12.3, +37.7]", "25.0 ± 1.4"]);
    }

    #[test]
    fn a_verdict_uses_the_upper_end() {
        let of = |mean, half_width| Interval { mean, std: 0.0, half_width: Some(half_width) }.verdict();
        assert_eq!(
            [of(0.1, 0.2), of(0.3, 0.2), of(-0.1, 0.2), of(-0.3, 0.2)],
            ["as good", "better", "as good", "worse"].map(Some)
        );
    }
}
