//! The leading eigenvector of a symmetric operator by Lanczos iteration.

/// The relative accuracy at which the iteration stops: the residual ‖Av − θv‖ is at most this times ‖A‖.
pub(crate) const RESIDUAL: f64 = 1e-9;

/// The cost of the steps between two convergence tests, in tests.
const STEPS_A_TEST: usize = 4;

/// The working memory for dimension n: a basis of at most n vectors, another vector, and the tridiagonal
/// matrix with its eigenvector and its factor.
pub(crate) fn work_len(n: usize) -> usize {
    n * n + 5 * n
}

/// v ← a unit vector with |vᵀAv − λ| ≤ [`RESIDUAL`]·‖A‖ for the largest eigenvalue λ of a symmetric A ≠ 0;
/// `apply(x, y)` is y ← Ax. The bound holds if the start, a fixed pseudo-random vector, is not orthogonal to
/// λ's eigenspace.
/// *Cost:* at most n products, and 8nk operations in the k-th step to keep the basis orthogonal.
///
/// `work` holds at least [`work_len`] numbers; entries of A are of ordinary size.
pub(crate) fn leading_eigenvector(
    v: &mut [f64],
    work: &mut [f64],
    mut apply: impl FnMut(&[f64], &mut [f64]),
) {
    let n = v.len();
    let (basis, work) = work.split_at_mut(n * n);
    let (w, work) = work.split_at_mut(n);
    let (diagonal, work) = work.split_at_mut(n);
    let (off, work) = work.split_at_mut(n);
    let (s, work) = work.split_at_mut(n);
    let factor = &mut work[..n];
    pseudo_random(v);
    scale_to_unit(v);
    // The largest entry of the tridiagonal matrix: at most ‖A‖.
    let mut size: f64 = 0.0;
    for k in 0..n {
        basis[k * n..(k + 1) * n].copy_from_slice(v);
        let so_far = &basis[..(k + 1) * n];
        apply(v, w);
        diagonal[k] = dot(v, w);
        // Against the whole basis, twice: otherwise rounding brings converged directions back.
        for q in so_far.chunks_exact(n).chain(so_far.chunks_exact(n)) {
            let along = dot(q, w);
            w.iter_mut().zip(q).for_each(|(w, q)| *w -= along * q);
        }
        off[k] = dot(w, w).sqrt();
        size = size.max(diagonal[k].abs()).max(off[k]);
        let exhausted = k + 1 == n || off[k] <= 1e-14 * size;
        if exhausted || (k + 1) % STEPS_A_TEST == 0 {
            leading_of_tridiagonal(&diagonal[..=k], &off[..k], &mut s[..=k], factor);
            if exhausted || off[k] * s[k] <= RESIDUAL * size {
                v.fill(0.0);
                for (s, q) in s.iter().zip(so_far.chunks_exact(n)) {
                    v.iter_mut().zip(q).for_each(|(v, q)| *v += s * q);
                }
                scale_to_unit(v);
                return;
            }
        }
        v.iter_mut().zip(&*w).for_each(|(v, w)| *v = w / off[k]);
    }
}

/// s ← the unit eigenvector of the largest eigenvalue of the tridiagonal matrix T with this diagonal and
/// these positive off-diagonal entries. Bisection finds the value, inverse iteration the vector.
///
/// T − θ is definite for θ just above the value, so its factorisation needs no pivots. The vector has no
/// negative entries (Perron), so the start 1 is not orthogonal to it.
fn leading_of_tridiagonal(diagonal: &[f64], off: &[f64], s: &mut [f64], factor: &mut [f64]) {
    s.fill(1.0);
    if off.is_empty() {
        return;
    }
    let beside = |i: usize| off.get(i).copied().unwrap_or(0.0);
    let discs =
        diagonal.iter().enumerate().map(|(i, a)| (*a, beside(i) + if i > 0 { beside(i - 1) } else { 0.0 }));
    let (mut below, mut above) = discs
        .fold((f64::NEG_INFINITY, f64::NEG_INFINITY), |(b, a), (at, reach)| (b.max(at), a.max(at + reach)));
    // The pivots of θ − T are all positive exactly when θ exceeds every eigenvalue.
    let exceeds = |theta: f64| {
        let mut pivot = theta - diagonal[0];
        pivot > 0.0
            && off.iter().zip(&diagonal[1..]).all(|(b, a)| {
                pivot = theta - a - b * (b / pivot);
                pivot > 0.0
            })
    };
    while !exceeds(above) {
        above += f64::EPSILON * above.abs().max(f64::MIN_POSITIVE);
    }
    loop {
        let middle = 0.5 * below + 0.5 * above;
        if !(below < middle && middle < above) {
            break;
        }
        if exceeds(middle) { above = middle } else { below = middle }
    }
    let n = s.len();
    factor[0] = above - diagonal[0];
    for i in 1..n {
        factor[i] = above - diagonal[i] - off[i - 1] * (off[i - 1] / factor[i - 1]);
    }
    for _ in 0..3 {
        for i in 1..n {
            s[i] += s[i - 1] * (off[i - 1] / factor[i - 1]);
        }
        s[n - 1] /= factor[n - 1];
        for i in (1..n).rev() {
            s[i - 1] = s[i - 1] / factor[i - 1] + s[i] * (off[i - 1] / factor[i - 1]);
        }
        scale_to_unit(s);
    }
}

/// Pseudo-random numbers in [−1, 1), the same for every call: the SplitMix64 generator.
fn pseudo_random(v: &mut [f64]) {
    let mut state = 0_u64;
    for v in v {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        // 52 bits behind the exponent of 2 give a number in [2, 4).
        *v = f64::from_bits((1024 << 52) | (z >> 12)) - 3.0;
    }
}

/// v ← v/‖v‖, for v ≠ 0 whose largest entry is any normal number.
pub(crate) fn scale_to_unit(v: &mut [f64]) {
    let top = v.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    v.iter_mut().for_each(|v| *v /= top);
    let norm = dot(v, v).sqrt();
    v.iter_mut().for_each(|v| *v /= norm);
}

/// ⟨x, y⟩ with independent partial sums.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let ((x_rows, x_rest), (y_rows, y_rest)) = (x.as_chunks::<8>(), y.as_chunks::<8>());
    for (x, y) in x_rows.iter().zip(y_rows) {
        for lane in 0..8 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    sums.iter().sum::<f64>() + x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum::<f64>()
}
