//! Sets of matrices, stored by rows. Linear minimisation needs one leading eigenvector.

mod trace_norm_ball;
mod spectrahedron;
mod lanczos;

pub use spectrahedron::Spectrahedron;
pub use trace_norm_ball::TraceNormBall;
