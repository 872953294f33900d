//! The threshold of the Euclidean projection onto a capped simplex.

use super::capped_bracket::{around, bracket};
use super::guess::KnownAbove;
use super::lanes::partition;
use super::sift::{FEW, LONG};
use crate::Scratch;
use rows::numeric::{CompensatedSum, block_sum_over};

/// p and p − τ for the τ at which Σ min(max(y − τ, 0), c) = s, for finite y and caps that hold more than s.
/// Up to rounding no entry lies between τ and p, or p is so close to τ that it makes no difference. O(n)
/// expected.
///
/// Newton's method on the mass (of a sample for long y) brackets τ. One pass then sums the coordinates that
/// are full and those that grow for every τ of the bracket, drops those that are 0, and lists the few others.
/// If the bracket is wrong, all coordinates are searched.
pub(crate) fn capped_threshold(y: &[f64], caps: &[f64], s: f64, scratch: &mut Scratch) -> (f64, f64) {
    // The required memory differs from round to round.
    scratch.make_room_to_order(y.len());
    let Scratch { values: pool, sifted, order: open, .. } = scratch;
    let mut level = Level { y, caps, s, known: KnownAbove::default(), filled: CompensatedSum::default() };
    if (1e-250..1e250).contains(&s) {
        let bracket = if y.len() < LONG { around(y, caps, s) } else { bracket(y, caps, s, pool, sifted) };
        if level.sift(bracket, open) {
            if level.known.count == 0.0 && open.is_empty() {
                // Full caps hold s. Every other coordinate is 0, and one may be at the upper end itself.
                return (bracket.1.next_up(), f64::INFINITY);
            }
            return level.threshold(bracket, pool, open);
        }
        (level.known, level.filled) = (KnownAbove::default(), CompensatedSum::default());
    }
    open.clear();
    open.extend((0..y.len()).filter(|&i| caps[i] > 0.0));
    let ends = ends(y, open);
    level.threshold(ends, pool, open)
}

/// The least and the largest entry.
fn ends(y: &[f64], open: &[usize]) -> (f64, f64) {
    open.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &i| (low.min(y[i]), high.max(y[i])))
}

/// The number of coordinates per block of the pass.
const LISTED: usize = 256;

/// The search for τ. It compares only exact entries of y and differences of neighbours, so neither a common
/// offset nor a wide range costs accuracy.
struct Level<'a> {
    y: &'a [f64],
    caps: &'a [f64],
    /// The mass, which no coordinate exceeds.
    s: f64,
    /// The coordinates known to grow: above 0 and below their caps.
    known: KnownAbove,
    /// Sum of the caps of coordinates known to be full.
    filled: CompensatedSum,
}

impl Level<'_> {
    /// Sums the coordinates that are full, and those that grow, for every τ of the bracket; lists in `open`
    /// the undecided ones. False if τ lies outside or the bracket decides too little.
    fn sift(&mut self, (low, high): (f64, f64), open: &mut Vec<usize>) -> bool {
        let mut excesses = CompensatedSum::default();
        let (mut growing, mut listed) = (0, [0; LISTED]);
        open.clear();
        for (b, (block, caps)) in self.y.chunks(LISTED).zip(self.caps.chunks(LISTED)).enumerate() {
            let (mut excess, mut filled, mut kept) = ([0.0; FEW], [0.0; FEW], 0);
            let mut counts = [0_u64; FEW];
            let mut add = |lane: usize, v: f64, c: f64| {
                let full = v - high >= c;
                let grows = (v > high) & (v - low < c);
                filled[lane] += if full { c } else { 0.0 };
                excess[lane] += if grows { v - high } else { 0.0 };
                counts[lane] += u64::from(grows);
            };
            let is_open = |v: f64, c: f64| {
                let decided = (v - high >= c) | ((v > high) & (v - low < c));
                (v > low) & !decided & (c > 0.0)
            };
            let mut list = |k: usize| {
                listed[kept] = LISTED * b + k;
                kept += usize::from(is_open(block[k], caps[k].min(self.s)));
            };
            let (rows, rest) = block.as_chunks::<FEW>();
            let (caps_of_rows, caps_of_rest) = caps.as_chunks::<FEW>();
            for (r, (row, caps)) in rows.iter().zip(caps_of_rows).enumerate() {
                let mut any = false;
                for lane in 0..FEW {
                    let c = if caps[lane] < self.s { caps[lane] } else { self.s };
                    add(lane, row[lane], c);
                    any |= is_open(row[lane], c);
                }
                if any {
                    (FEW * r..FEW * (r + 1)).for_each(&mut list);
                }
            }
            for (k, (&v, c)) in rest.iter().zip(caps_of_rest).enumerate() {
                add(0, v, c.min(self.s));
                list(FEW * rows.len() + k);
            }
            excesses.add(excess.iter().sum());
            self.filled.add(filled.iter().sum());
            growing += counts.iter().sum::<u64>();
            if open.len() + kept > self.y.len() / 4 {
                return false;
            }
            open.extend_from_slice(&listed[..kept]);
        }
        self.known = KnownAbove { at: high, excess: excesses.value(), count: growing as f64 };
        let near = self.known.count == 0.0 || self.known.count * (high - low) <= self.s;
        near && self.mass_at(open, low) >= self.s && self.mass_at(open, high) <= self.s
    }

    /// min(cᵢ, s): these caps give the same set, and their sums stay in range.
    fn cap(&self, i: usize) -> f64 {
        self.caps[i].min(self.s)
    }

    /// Σᵢ min(max(yᵢ − t, 0), cᵢ) over the full, the known and the `open` coordinates.
    fn mass_at(&self, open: &[usize], t: f64) -> f64 {
        let growing = block_sum_over(open, |i| (self.y[i] - t).max(0.0).min(self.cap(i)));
        self.filled.value() + self.known.excess_over(t) + growing
    }

    /// The threshold τ = p − lift for the coordinates in `open` with positive caps, the known and the full
    /// ones. It lies below `high`, and the search starts between `low` and `high`.
    fn threshold(
        &mut self,
        (low, high): (f64, f64),
        pool: &mut Vec<f64>,
        open: &mut Vec<usize>,
    ) -> (f64, f64) {
        let p = self.smallest_positive((low, high), pool, open);
        (p, self.lift_above(p, open))
    }

    /// The smallest entry p of y with x > 0, that is with Σᵢ min(max(yᵢ − p, 0), cᵢ) < s.
    ///
    /// On return `open` lists the coordinates with y ≥ p that are not full at τ = p; the full ones are in
    /// `filled`.
    fn smallest_positive(
        &mut self,
        (low, high): (f64, f64),
        pool: &mut Vec<f64>,
        open: &mut Vec<usize>,
    ) -> f64 {
        let y = self.y;
        let mut p = high;
        pool.clear();
        if self.mass_at(open, low) < self.s {
            p = low;
        } else {
            pool.extend(open.iter().map(|&i| y[i]).filter(|v| *v > low && *v < high));
        }
        while !pool.is_empty() {
            let middle = pool.len() / 2;
            let (_, &mut t, _) = pool.select_nth_unstable_by(middle, f64::total_cmp);
            if self.mass_at(open, t) < self.s {
                p = t;
                pool.retain(|v| *v < t);
                self.fill(p, open);
            } else {
                pool.retain(|v| *v > t);
                open.retain(|&i| y[i] > t);
            }
        }
        self.fill(p, open);
        open.retain(|&i| y[i] >= p);
        p
    }

    /// Takes those that are full at τ = p out of `open`.
    fn fill(&mut self, p: f64, open: &mut Vec<usize>) {
        let mut filled = self.filled;
        open.retain(|&i| {
            let full = self.y[i] - p >= self.cap(i);
            if full {
                filled.add(self.cap(i));
            }
            !full
        });
        self.filled = filled;
    }

    /// The lift p − τ ≥ 0 at which Σ min((y − p) + lift, c) over `open`, plus the full caps, is s.
    ///
    /// The rest of s, shared evenly, gives a lower bound on the lift. A coordinate that reaches its cap there
    /// is full, and the rest is shared again. If rounds fill few coordinates each, a median of the lifts cᵢ −
    /// (yᵢ − p) at which coordinates become full decides half of the undecided ones.
    fn lift_above(&self, p: f64, open: &mut [usize]) -> f64 {
        let y = self.y;
        let room = |i: usize| self.cap(i) - (y[i] - p);
        let mut open = &mut open[..];
        // s minus the full caps minus Σ(y − p) over the coordinates known to stay below their caps.
        let mut rest = CompensatedSum::default();
        rest.add(self.s);
        rest.add(-self.filled.value());
        rest.add(-self.known.excess_over(p));
        let (mut count, mut patience) = (self.known.count, 4);
        loop {
            let sharing = count + open.len() as f64;
            if sharing == 0.0 {
                // No coordinate is left only if rounding hides that Σc > s: every cap is full.
                return f64::INFINITY;
            }
            let lift = (rest.value() - block_sum_over(open, |i| y[i] - p)) / sharing;
            let free = partition(open, |i| room(i) >= lift);
            if free == open.len() {
                return lift.max(0.0);
            }
            if free > open.len() - open.len() / 8 {
                patience -= 1;
            }
            let (undecided, full) = open.split_at_mut(free);
            full.iter().for_each(|&i| rest.add(-self.cap(i)));
            open = undecided;
            if patience < 0 && !open.is_empty() {
                let middle = open.len() / 2;
                open.select_nth_unstable_by(middle, |&i, &j| room(i).total_cmp(&room(j)));
                let lift = room(open[middle]);
                if count * lift + block_sum_over(open, |i| ((y[i] - p) + lift).min(self.cap(i)))
                    < rest.value()
                {
                    let (full, undecided) = open.split_at_mut(middle + 1);
                    full.iter().for_each(|&i| rest.add(-self.cap(i)));
                    open = undecided;
                } else {
                    let (undecided, free) = open.split_at_mut(middle);
                    free.iter().for_each(|&i| rest.add(-(y[i] - p)));
                    count += free.len() as f64;
                    open = undecided;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level<'a>(y: &'a [f64], caps: &'a [f64], s: f64) -> Level<'a> {
        Level { y, caps, s, known: KnownAbove::default(), filled: CompensatedSum::default() }
    }

    fn mass(y: &[f64], caps: &[f64], s: f64, t: f64) -> f64 {
        y.iter().zip(caps).map(|(v, c)| (v - t).max(0.0).min(c.min(s))).sum()
    }

    fn case(n: u32) -> (Vec<f64>, Vec<f64>) {
        let wave = |f: f64| (0..n).map(move |i| (f64::from(i) * f + 0.3).sin());
        let caps = wave(0.311).enumerate().map(|(i, c)| if i % 11 == 3 { 0.0 } else { 0.6 + 0.5 * c });
        (wave(0.7391).collect(), caps.collect())
    }

    /// A narrow bracket around τ decides what is the same at both of its ends, and lists the rest.
    #[test]
    fn a_pass_decides_what_is_the_same_at_both_ends() {
        for n in [16, 63, 200, 257, 1029] {
            let (y, caps) = case(n);
            let most: f64 = caps.iter().sum();
            for (part, width) in
                [(0.1, 1e-3), (0.1, 0.02), (0.5, 1e-4), (0.5, 0.01), (0.9, 1e-3), (0.02, 1e-3)]
            {
                let s = part * most;
                let tau = around(&y, &caps, s).0;
                let (low, high) = (tau - 0.4 * width, tau + 0.6 * width);
                let (mut open, mut level) = (vec![7], level(&y, &caps, s));
                let all = || (0..y.len()).map(|i| (i, y[i], caps[i].min(s)));
                let full = |v: f64, c: f64| v - high >= c;
                let grows = |v: f64, c: f64| v > high && v - low < c;
                let undecided: Vec<usize> = all()
                    .filter(|(_, v, c)| *v > low && !full(*v, *c) && !grows(*v, *c) && *c > 0.0)
                    .map(|(i, ..)| i)
                    .collect();
                let growing = all().filter(|(_, v, c)| !full(*v, *c) && grows(*v, *c));
                let count = growing.clone().count() as f64;
                let stands = level.sift((low, high), &mut open);
                if undecided.len() > y.len() / 4 {
                    assert!(!stands, "n = {n}, part = {part}");
                    continue;
                }
                assert_eq!(open, undecided, "n = {n}, part = {part}");
                assert_eq!((level.known.at, level.known.count), (high, count));
                assert_eq!(stands, count * (high - low) <= s || count == 0.0, "n = {n}, part = {part}");
                let excess: f64 = growing.map(|(_, v, _)| v - high).sum();
                assert!((level.known.excess - excess).abs() <= 1e-12 * s);
                let filled: f64 = all().filter(|(_, v, c)| full(*v, *c)).map(|(.., c)| c).sum();
                assert!((level.filled.value() - filled).abs() <= 1e-12 * s);
                for t in [low, tau, high] {
                    let (got, want) = (level.mass_at(&open, t), mass(&y, &caps, s, t));
                    assert!((got - want).abs() <= 1e-12 * s, "n = {n}, part = {part}: {got} for {want}");
                }
            }
        }
    }

    /// A bracket beside τ does not stand.
    #[test]
    fn a_bracket_beside_the_threshold_is_refused() {
        let (y, caps) = case(200);
        let s = 0.5 * caps.iter().sum::<f64>();
        let tau = around(&y, &caps, s).0;
        for (low, high, stands) in
            [(-1e-4, 1e-4, true), (1e-4, 2e-4, false), (-2e-4, -1e-4, false), (1e-4, 1.0, false)]
        {
            assert_eq!(level(&y, &caps, s).sift((tau + low, tau + high), &mut Vec::new()), stands);
        }
    }

    /// The mass at p − lift is s, wherever the search starts, with and without coordinates that are decided
    /// first.
    #[test]
    fn the_threshold_holds_the_mass() {
        for n in [1, 2, 3, 9, 64, 300, 5000] {
            let (y, caps) = case(n);
            // No entry lies between τ and p, and full coordinates have a lift without end.
            let held = |p: f64, lift: f64, s: f64| -> f64 {
                let above = y.iter().zip(&caps).filter(|(v, _)| **v >= p);
                above.map(|(v, c)| ((v - p) + lift).min(c.min(s))).sum()
            };
            for part in [1e-6, 0.05, 0.3, 0.7, 0.95, 0.999] {
                let s = part * caps.iter().sum::<f64>();
                let allowed = 1e-12 * s;
                let (p, lift) = capped_threshold(&y, &caps, s, &mut Scratch::default());
                let got = held(p, lift, s);
                assert!((got - s).abs() <= allowed, "n = {n}, part = {part}: {got} for {s}");
                let mut open: Vec<usize> = (0..y.len()).filter(|i| caps[*i] > 0.0).collect();
                let (ends, mut pool) = (ends(&y, &open), Vec::new());
                let (p, lift) = level(&y, &caps, s).threshold(ends, &mut pool, &mut open);
                let got = held(p, lift, s);
                assert!((got - s).abs() <= allowed, "n = {n}, part = {part}: {got} for {s}");
                assert!(open.iter().all(|i| y[*i] >= p && y[*i] - p < caps[*i].min(s)));
            }
        }
    }

    /// One coordinate grows without end, and the others become full: five alone in a round of its own each,
    /// the rest together when medians already decide.
    #[test]
    fn slow_rounds_end_with_every_other_coordinate_full() {
        const N: usize = 64;
        let (s, mut caps, mut share_before) = (1.0, Vec::new(), 0.0);
        for j in 0..N {
            let share = (s - caps.iter().sum::<f64>()) / (N - j + 1) as f64;
            caps.push(if j < 6 { 0.5 * (share_before + share) } else { caps[5] });
            share_before = share;
        }
        let y = [0.0; N];
        let mut level = level(&y, &caps, s);
        level.known = KnownAbove { at: 0.0, excess: 0.0, count: 1.0 };
        let lift = level.lift_above(0.0, &mut (0..N).collect::<Vec<_>>());
        let want = s - caps.iter().sum::<f64>();
        assert!((lift - want).abs() <= 1e-14 && lift > caps[N - 1], "{lift} for {want}");
    }
}
