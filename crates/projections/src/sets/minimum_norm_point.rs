//! Wolfe's algorithm: the nearest point of a polytope, by linear minimisation alone.

/// y ← the point of mass·P nearest to y, for a polytope P with vertices in {0, 1}ⁿ \[W76\]. `lmo(g, v)`
/// writes a vertex that minimises ⟨g, ·⟩.
///
/// The point x is a mixture of a *corral*: affinely independent vertices in whose affine hull x is nearest to
/// y \[W76, Section 3\]. A vertex that improves x joins. If the nearest point in the new affine hull is
/// outside the convex hull, the vertices whose weight falls to 0 on the way leave. The distance falls
/// strictly, so no corral repeats. The search ends when the gap ⟨x − y, x − v⟩, a bound on half the excess of
/// the squared distance, is at the level of rounding.
///
/// `most` is at least the dimension of P plus 1, the size of the largest corral; `memory` holds that many
/// points.
pub(crate) fn minimum_norm_point(
    y: &mut [f64],
    mass: f64,
    most: usize,
    memory: &mut Vec<f64>,
    mut lmo: impl FnMut(&[f64], &mut [f64]),
) {
    let n = y.len();
    let len = n * (most + 3) + most * (most + 2);
    if memory.len() < len {
        memory.resize(len, 0.0);
    }
    let (x, rest) = memory.split_at_mut(n);
    let (g, rest) = rest.split_at_mut(n);
    let (v, rest) = rest.split_at_mut(n);
    let (corral, rest) = rest.split_at_mut(n * most);
    let (weights, rest) = rest.split_at_mut(most);
    let (target, gram) = rest.split_at_mut(most);
    let top = y.iter().fold(0.0, |m: f64, y| m.max(y.abs()));
    let rounding = f64::EPSILON * (top + mass);

    g.iter_mut().zip(&*y).for_each(|(g, y)| *g = -y);
    lmo(g, v);
    corral[..n].copy_from_slice(v);
    weights[0] = mass;
    x.iter_mut().zip(&*v).for_each(|(x, v)| *x = mass * v);
    let mut size = 1;
    loop {
        g.iter_mut().zip(x.iter().zip(&*y)).for_each(|(g, (x, y))| *g = x - y);
        lmo(g, v);
        // In units of the mass, where no product leaves the range.
        let (mut gap, mut moved) = (0.0, 0.0);
        for ((g, x), v) in g.iter().zip(&*x).zip(&*v) {
            let step = x / mass - v;
            gap += g * step;
            moved += step.abs();
        }
        let known = corral[..n * size]
            .chunks_exact(n)
            .any(|known| known.iter().zip(&*v).all(|(a, b)| a.total_cmp(b).is_eq()));
        if gap <= rounding * moved || known || size == most {
            break;
        }
        corral[n * size..n * (size + 1)].copy_from_slice(v);
        weights[size] = 0.0;
        size += 1;
        let mut independent = nearest_in_affine_hull(&corral[..n * size], y, mass, &mut target[..size], gram);
        while independent && target[..size].iter().any(|t| *t <= 0.0) {
            // As far towards the target as all weights stay non-negative; a vertex whose weight reaches 0
            // leaves.
            let (mut first, mut way) = (size - 1, 1.0);
            for (i, (w, t)) in weights.iter().zip(&*target).enumerate().take(size) {
                if *t <= 0.0 && w / (w - t) <= way {
                    (first, way) = (i, w / (w - t));
                }
            }
            for (w, t) in weights.iter_mut().zip(&*target).take(size) {
                *w += way * (t - *w);
            }
            weights[first] = 0.0;
            let mut kept = 0;
            for i in 0..size {
                if weights[i] > 0.0 {
                    weights[kept] = weights[i];
                    corral.copy_within(n * i..n * (i + 1), n * kept);
                    kept += 1;
                }
            }
            size = kept;
            independent = nearest_in_affine_hull(&corral[..n * size], y, mass, &mut target[..size], gram);
        }
        if !independent {
            break;
        }
        weights[..size].copy_from_slice(&target[..size]);
        v.fill(0.0);
        for (w, vertex) in weights.iter().zip(corral.chunks_exact(n)).take(size) {
            v.iter_mut().zip(vertex).for_each(|(v, c)| *v += w * c);
        }
        // ‖v − y‖² − ‖x − y‖², without the cancellation.
        let change: f64 =
            v.iter().zip(&*x).zip(&*y).map(|((v, x), y)| ((v - x) / mass) * ((v - y) + (x - y))).sum();
        if !(change < 0.0) {
            break;
        }
        x.copy_from_slice(v);
    }
    y.copy_from_slice(x);
}

/// target ← the weights, of sum `mass`, whose mixture of the corral is nearest to y. Solves the normal
/// equations for the differences to the first vertex, whose matrix is exact; false if these are dependent.
fn nearest_in_affine_hull(
    corral: &[f64],
    y: &[f64],
    mass: f64,
    target: &mut [f64],
    factor: &mut [f64],
) -> bool {
    let n = y.len();
    let (first, others) = corral.split_at(n);
    let k = target.len() - 1;
    let (alone, shares) = target.split_at_mut(1);
    let difference = |i: usize| others[n * i..n * (i + 1)].iter().zip(first).map(|(v, f)| v - f);
    // Cholesky's factor, row by row, and forward substitution along with it.
    for i in 0..k {
        for j in 0..=i {
            let product: f64 = difference(i).zip(difference(j)).map(|(a, b)| a * b).sum();
            let known: f64 = (0..j).map(|l| factor[i * k + l] * factor[j * k + l]).sum();
            let left = product - known;
            if i > j {
                factor[i * k + j] = left / factor[j * k + j];
            } else if left > 1e-9 {
                factor[i * k + i] = left.sqrt();
            } else {
                return false;
            }
        }
        let aim: f64 = difference(i).zip(y.iter().zip(first)).map(|(d, (y, f))| d * (y - mass * f)).sum();
        let known: f64 = (0..i).map(|l| factor[i * k + l] * shares[l]).sum();
        shares[i] = (aim - known) / factor[i * k + i];
    }
    for i in (0..k).rev() {
        let known: f64 = (i + 1..k).map(|l| factor[l * k + i] * shares[l]).sum();
        shares[i] = (shares[i] - known) / factor[i * k + i];
    }
    alone[0] = mass - shares.iter().sum::<f64>();
    true
}
