//! The inequality behind every bound: Σ_t η_t⟨w*, d_t⟩ + P ≤ B(w*, D) for all w* in K, where Σ_t η_t d_t is
//! minus the margins. It is asked of the w* that make most of it, not of the errors alone.

use projections::{Euclidean, Projection, Simplex};

/// Over the simplex the entropy's worst w* is D∘exp(−m) normalised, so that ln ΣD_i exp(−m_i) ≤ −P.
pub(crate) fn entropy(name: &str, start: &[f64], margins: &[f64], progress: f64) {
    let least = margins.iter().copied().fold(f64::INFINITY, f64::min);
    let sum: f64 = start.iter().zip(margins).map(|(d, m)| d * (least - m).exp()).sum();
    let worst = sum.ln() - least;
    assert!(worst <= -progress + 1e-9 * (1.0 + progress), "{name}: {worst} above {}", -progress);
}

/// Below caps: w* = D/ε on the share ε of smallest margins, for every ε from which on it is below them.
pub(crate) fn entropy_below(name: &str, start: &[f64], caps: &[f64], margins: &[f64], progress: f64) {
    let (mut asked, mut tightest) = (0, 0.0_f64);
    prefixes(start, margins, |i, share, sum| {
        tightest = tightest.max(start[i] / caps[i]);
        if share >= tightest {
            asked += 1;
            let (left, right) = (progress - sum / share, -share.ln());
            assert!(left <= right + 1e-9 * (1.0 + progress), "{name}, share {share}: {left} above {right}");
        }
    });
    assert!(asked > 0, "{name}");
}

/// The quadratic map on the simplex: w* = Π(D − m), which makes most of it, and the two kinds that bound
/// errors and margins: D on the worst share, and the vertices.
pub(crate) fn quadratic(name: &str, start: &[f64], margins: &[f64], progress: f64) {
    let kept = |left: f64, right: f64, what: &str| {
        assert!(left <= right + 1e-9 * (1.0 + progress), "{name}, {what}: {left} above {right}");
    };
    let mut w: Vec<f64> = start.iter().zip(margins).map(|(d, m)| d - m).collect();
    let simplex = Simplex::new(1.0).unwrap();
    Projection::<Euclidean>::project(&simplex, &mut w).unwrap();
    let distance: f64 = w.iter().zip(start).map(|(w, d)| (w - d) * (w - d)).sum();
    kept(progress - rows::dot(&w, margins), 0.5 * distance, "the projection");
    let squares = rows::dot(start, start);
    for (d, m) in start.iter().zip(margins) {
        kept(progress - m, 0.5 * (1.0 - 2.0 * d + squares), "a vertex");
    }
    // ‖D'/ε − D‖² = Σ'D²(1/ε² − 2/ε) + ΣD².
    let mut part = 0.0;
    prefixes(start, margins, |i, share, sum| {
        part += start[i] * start[i];
        let distance = part * (1.0 / share - 2.0) / share + squares;
        kept(progress - sum / share, 0.5 * distance, "a share");
    });
}

/// Shows (i, ΣD_j, ΣD_j m_j) over the examples up to i, from the smallest margin on.
fn prefixes(start: &[f64], margins: &[f64], mut visit: impl FnMut(usize, f64, f64)) {
    let mut order: Vec<usize> = (0..start.len()).collect();
    order.sort_by(|a, b| margins[*a].total_cmp(&margins[*b]));
    let (mut share, mut sum) = (0.0, 0.0);
    for i in order {
        share += start[i];
        sum += start[i] * margins[i];
        visit(i, share, sum);
    }
}
