//! Rows, convex sets and mirror maps.

use super::{Door, any, built, count, entry, numbers, used};
use crate::Checks;
use crate::draw::Draw;
use crate::play::{entropic, euclidean, linear, regulariser};
use crate::verdict::AnyError;
use projections::{
    AnySet, BoxSet, CappedSimplex, FlowPolytope, L1Ball, L2Ball, PNorm, Shrunk, Simplex, Spectrahedron,
    TraceNormBall, UnitBox,
};
use rows::{Row, RowMatrix};

/// One of the sets, of any size.
pub(super) fn any_set(draw: &mut Draw<'_>) -> Result<AnySet, AnyError> {
    let size = super::parameter(draw);
    Ok(match draw.byte() % 4 {
        0 => AnySet::Simplex(Simplex::new(size)?),
        1 => AnySet::L2Ball(L2Ball::new(size)?),
        2 => AnySet::L1Ball(L1Ball::new(size)?),
        _ => AnySet::UnitBox(UnitBox),
    })
}

/// A box of a few coordinates.
pub(super) fn any_box(draw: &mut Draw<'_>) -> Result<BoxSet, AnyError> {
    let n = draw.size(1, 5);
    let (lower, upper) = (numbers(draw, n, entry), numbers(draw, n, entry));
    Ok(BoxSet::new(lower, upper)?)
}

fn seen(matrix: &mut RowMatrix, checks: &mut Checks) -> Result<(), AnyError> {
    for row in matrix.iter().take(64) {
        row.for_each(|_, x| checks.number("an entry", x));
        if row.dimension() <= 64 {
            checks.numbers("a dense entry", &row.to_dense());
        }
    }
    let n = matrix.len();
    let some = matrix.select([0, n.saturating_sub(1)])?;
    checks.holds("two rows were selected", some.len() == 2, some.len());
    Ok(())
}

fn row(row: &mut Row<'_>, checks: &mut Checks) -> Result<(), AnyError> {
    row.for_each(|_, x| checks.number("an entry", x));
    checks.any_number(row.norm_squared());
    if row.dimension() <= 64 {
        let w = vec![0.5; row.dimension()];
        checks.extended("a product", row.dot(&w));
    }
    Ok(())
}

/// Offsets and indices that mostly fit together.
fn sparse(draw: &mut Draw<'_>) -> (usize, Vec<usize>, Vec<u32>, Vec<f64>) {
    let (dimension, n) = (count(draw), draw.size(0, 4));
    let (mut offsets, mut indices) = (vec![0], Vec::new());
    for _ in 0..n {
        let mut next = draw.index(3);
        for _ in 0..draw.size(0, 3) {
            indices.push(next);
            next = next.saturating_add(1 + draw.index(3));
        }
        offsets.push(indices.len());
    }
    if draw.byte() > 220 {
        let (place, value) = (draw.size(0, offsets.len() - 1), count(draw));
        offsets[place] = value;
    }
    if draw.byte() > 220 && !indices.is_empty() {
        let (place, value) = (draw.size(0, indices.len() - 1), draw.half_word());
        indices[place] = value;
    }
    let values = numbers(draw, indices.len(), any);
    (dimension, offsets, indices, values)
}

fn of_dimension(draw: &mut Draw<'_>) -> (usize, Vec<f64>) {
    let (dimension, rows) = (count(draw), draw.size(0, 4));
    let values = numbers(draw, dimension.min(8) * rows, any);
    (dimension, values)
}

pub(super) const DOORS: &[Door] = &[
    ("rows::RowMatrix::dense", |draw| {
        let (dimension, values) = of_dimension(draw);
        Ok(built(RowMatrix::dense(dimension, values), seen))
    }),
    ("rows::RowMatrix::lent", |draw| {
        let (dimension, values) = of_dimension(draw);
        Ok(used(RowMatrix::lent(dimension, values), seen))
    }),
    ("rows::RowMatrix::sparse", |draw| {
        let (dimension, offsets, indices, values) = sparse(draw);
        Ok(built(RowMatrix::sparse(dimension, offsets, indices, values), seen))
    }),
    ("rows::RowMatrix::select", |draw| {
        let (dimension, values) = of_dimension(draw);
        let matrix = RowMatrix::dense(dimension, values)?;
        let length = draw.size(0, 4);
        let rows = draw.list(length, count);
        Ok(built(matrix.select(rows), |matrix, checks| {
            checks.any_number(matrix.len() as f64);
            Ok(())
        }))
    }),
    ("rows::Row::dense", |draw| {
        let length = draw.size(0, 6);
        let values = draw.list(length, Draw::any);
        Ok(used(Row::dense(&values), row))
    }),
    ("rows::Row::sparse", |draw| {
        let (dimension, _, indices, values) = sparse(draw);
        Ok(used(Row::sparse(dimension, &indices, &values), row))
    }),
    ("projections::Simplex::new", |draw| {
        Ok(built(Simplex::new(draw.any()), |set, checks| {
            linear(set, checks)?;
            entropic(set, checks)
        }))
    }),
    ("projections::L1Ball::new", |draw| Ok(built(L1Ball::new(draw.any()), linear))),
    ("projections::L2Ball::new", |draw| Ok(built(L2Ball::new(draw.any()), linear))),
    ("projections::BoxSet::new", |draw| {
        let n = draw.size(0, 6);
        let (lower, upper) = (numbers(draw, n, any), numbers(draw, n, any));
        Ok(built(BoxSet::new(lower, upper), linear))
    }),
    ("projections::BoxSet::interval", |draw| Ok(built(BoxSet::interval(draw.any(), draw.any()), linear))),
    ("projections::CappedSimplex::new", |draw| {
        let n = draw.size(0, 6);
        let caps = draw.list(n, |draw| if draw.byte() < 200 { draw.any().abs() } else { draw.any() });
        Ok(built(CappedSimplex::new(caps, draw.any()), |set, checks| {
            linear(set, checks)?;
            entropic(set, checks)
        }))
    }),
    ("projections::FlowPolytope::new", |draw| {
        let (vertices, length) = (count(draw), draw.size(0, 8));
        let vertex = |draw: &mut Draw<'_>| if draw.byte() < 250 { draw.size(0, 5) } else { count(draw) };
        let edges = draw.list(length, |draw| (vertex(draw), vertex(draw)));
        Ok(built(FlowPolytope::new(vertices, edges, vertex(draw), vertex(draw)), linear))
    }),
    ("projections::Shrunk::new", |draw| {
        let n = draw.size(0, 5);
        let (set, centre) = (any_set(draw)?, numbers(draw, n, any));
        Ok(built(Shrunk::new(set, centre, super::parameter(draw)), linear))
    }),
    ("projections::Spectrahedron::new", |draw| {
        Ok(built(Spectrahedron::new(count(draw), draw.any()), linear))
    }),
    ("projections::TraceNormBall::new", |draw| {
        Ok(built(TraceNormBall::new(count(draw), count(draw), draw.any()), linear))
    }),
    ("projections::PNorm::new", |draw| Ok(built(PNorm::new(super::parameter(draw) * 2.0), regulariser))),
    ("projections::AnySet", |draw| {
        let set = any_set(draw)?;
        Ok(built(Ok::<_, AnyError>(set), euclidean))
    }),
];
