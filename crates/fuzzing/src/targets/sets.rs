//! Rows, convex sets and mirror maps.

use super::{Target, plain};
use crate::play::{MOST, entropic, euclidean, linear, regulariser, wave};
use projections::{
    AnySet, BoxSet, CappedSimplex, Euclidean, FlowPolytope, L1Ball, L2Ball, NegativeEntropy, PNorm, Shrunk,
    Simplex, Spectrahedron, Then, TraceNormBall, UnitBox, WholeSpace,
};
use rows::{Missing, RowMatrix};

/// A dense and a sparse matrix of the same shape.
pub(super) fn matrices() -> Result<Vec<RowMatrix>, rows::RowError> {
    let offsets = vec![0, 2, 3, 3, 5];
    Ok(vec![
        RowMatrix::dense(3, wave(12, 1))?,
        RowMatrix::sparse(3, offsets, vec![0, 2, 1, 0, 1], wave(5, 2))?,
    ])
}

/// Eight rows of two columns whose values may be missing, behind each its indicator.
pub(super) fn optional_rows() -> Result<RowMatrix, rows::RowError> {
    let values = wave(16, 5);
    let coded = |k: usize| if k % 3 == 1 { [0.0, 1.0] } else { [values[k], 0.0] };
    RowMatrix::dense(4, (0..16).flat_map(coded).collect())
}

pub(super) const INDICATORS: [(usize, usize); 2] = [(0, 1), (2, 3)];

pub(super) fn all() -> Vec<Target> {
    vec![
        Target::saved(
            || Ok(matrices()?),
            |matrix: &mut RowMatrix, checks| {
                for row in matrix.iter().take(MOST) {
                    row.for_each(|_, x| checks.number("an entry", x));
                    checks.any_number(row.norm_squared());
                    if row.dimension() <= MOST {
                        checks.numbers("a dense entry", &row.to_dense());
                    }
                }
                let n = matrix.len();
                let some = matrix.select([0, n.saturating_sub(1)])?;
                checks.holds("two rows were selected", some.len() == 2, some.len());
                Ok(())
            },
        ),
        plain(|| vec![Missing::Lowest, Missing::Highest]),
        Target::saved(
            || {
                Ok(vec![
                    AnySet::Simplex(Simplex::new(1.0)?),
                    AnySet::L2Ball(L2Ball::new(2.0)?),
                    AnySet::UnitBox(UnitBox),
                ])
            },
            |set: &mut AnySet, checks| {
                linear(set, checks)?;
                let mut y = wave(3, 0);
                projections::LogProjection::project_log(set, &mut y)?;
                checks.numbers("a projection of logarithms", &y);
                Ok(())
            },
        ),
        Target::saved(
            || {
                Ok(vec![
                    BoxSet::interval(-1.0, 2.0)?,
                    BoxSet::new(vec![-1.0, 0.0, 0.5], vec![1.0, 0.0, 3.0])?,
                ])
            },
            linear::<BoxSet>,
        ),
        Target::saved(|| Ok(vec![UnitBox]), linear::<UnitBox>),
        Target::saved(
            || {
                Ok(vec![
                    CappedSimplex::new(vec![0.5, 0.25, 1.0], 1.0)?,
                    CappedSimplex::new(vec![1.0; 4], 2.5)?,
                ])
            },
            |set: &mut CappedSimplex, checks| {
                linear(set, checks)?;
                entropic(set, checks)
            },
        ),
        Target::saved(
            || {
                let edges = vec![(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)];
                Ok(vec![
                    FlowPolytope::new(4, edges, 0, 3)?,
                    FlowPolytope::new(2, vec![(0, 1), (0, 1)], 0, 1)?,
                ])
            },
            linear::<FlowPolytope>,
        ),
        Target::saved(|| Ok(vec![L1Ball::new(1.0)?, L1Ball::new(7.5)?]), linear::<L1Ball>),
        Target::saved(|| Ok(vec![L2Ball::new(1.0)?, L2Ball::new(7.5)?]), linear::<L2Ball>),
        Target::saved(|| Ok(vec![Euclidean]), regulariser::<Euclidean>),
        Target::saved(|| Ok(vec![NegativeEntropy]), regulariser::<NegativeEntropy>),
        Target::saved(|| Ok(vec![PNorm::new(1.5)?, PNorm::new(2.0)?]), regulariser::<PNorm>),
        Target::saved(
            || Ok(vec![Shrunk::new(Simplex::new(1.0)?, vec![0.25, 0.25, 0.5], 0.1)?]),
            linear::<Shrunk<Simplex>>,
        ),
        Target::saved(
            || Ok(vec![Simplex::new(1.0)?, Simplex::new(40.0)?]),
            |set: &mut Simplex, checks| {
                linear(set, checks)?;
                entropic(set, checks)
            },
        ),
        Target::saved(
            || Ok(vec![Spectrahedron::new(2, 1.0)?, Spectrahedron::new(3, 2.0)?]),
            linear::<Spectrahedron>,
        ),
        Target::saved(
            || Ok(vec![Then::new(UnitBox, Simplex::new(1.0)?), Then::new(UnitBox, Simplex::new(0.5)?)]),
            linear::<Then<UnitBox, Simplex>>,
        ),
        Target::saved(
            || Ok(vec![TraceNormBall::new(2, 3, 1.0)?, TraceNormBall::new(1, 4, 2.0)?]),
            linear::<TraceNormBall>,
        ),
        Target::saved(|| Ok(vec![WholeSpace]), euclidean::<WholeSpace>),
    ]
}
