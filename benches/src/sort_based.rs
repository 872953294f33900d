//! Textbook projections by sorting, for comparison.

/// Σv with eight independent partial sums: one pass at the speed of the memory.
pub fn sum(values: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (rows, rest) = values.as_chunks::<8>();
    for row in rows {
        sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += v);
    }
    sums.iter().chain(rest).sum()
}

/// y ← its Euclidean projection onto the simplex of mass s: in falling order, the last coordinate that
/// exceeds the threshold of those up to it gives τ \[D08\]. `order` is working memory.
#[allow(clippy::cast_precision_loss, reason = "a vector has fewer than 2⁵³ coordinates")]
pub fn project_onto_simplex(y: &mut [f64], s: f64, order: &mut Vec<f64>) {
    order.clear();
    order.extend_from_slice(y);
    order.sort_unstable_by(|a, b| b.total_cmp(a));
    let (mut sum, mut tau) = (0.0, 0.0);
    for (k, v) in order.iter().enumerate() {
        sum += v;
        let next = (sum - s) / (k + 1) as f64;
        if *v <= next {
            break;
        }
        tau = next;
    }
    y.iter_mut().for_each(|v| *v = (*v - tau).max(0.0));
}

/// y ← its Euclidean projection onto {0 ≤ x ≤ c : Σx = s} for equal caps c: the breakpoints y and y − c of
/// the mass held at τ in falling order, up to the one where it reaches s. `order` is working memory: a
/// breakpoint, and by how much it changes the number of coordinates that grow.
pub fn project_onto_capped_simplex(y: &mut [f64], c: f64, s: f64, order: &mut Vec<(f64, f64)>) {
    order.clear();
    order.extend(y.iter().flat_map(|v| [(*v, 1.0), (*v - c, -1.0)]));
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    let (mut held, mut growing, mut tau) = (0.0, 0.0, f64::INFINITY);
    for (at, change) in order.iter() {
        let next = if growing > 0.0 { held + growing * (tau - at) } else { held };
        if next >= s {
            break;
        }
        (held, growing, tau) = (next, growing + change, *at);
    }
    tau -= (s - held) / growing;
    y.iter_mut().for_each(|v| *v = (*v - tau).clamp(0.0, c));
}
