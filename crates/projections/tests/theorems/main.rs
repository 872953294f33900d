//! The theorems about every set, projection and mirror map, on random inputs.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::float_cmp, reason = "compared values are exact")]

mod beyond_range;
mod double_projection;
mod entropic;
mod euclidean;
mod flows;
mod geometry;
mod linear_minimisation;
mod logarithms;
mod long_vectors;
mod matrix_sets;
mod mirror_maps;
mod sample;
