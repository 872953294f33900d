//! Ranks that exchange their messages by MPI: processes of one machine or of many, started by `mpirun`.
//!
//! With the feature `mpi`, which is off by default, `MpiRanks` is a [`ranks::Communicator`]; without it this
//! crate is empty. The feature needs an MPI library with its compiler wrapper `mpicc`, and libclang for the
//! bindings (Debian: `libopenmpi-dev openmpi-bin libclang-dev`).
//!
//! Reading order: `frame`, what ranks tell each other before an operation; `engine`, the operations, on the
//! one thread that calls MPI; `communicator`, the ranks as others see them.

#[cfg(feature = "mpi")]
mod communicator;
#[cfg(feature = "mpi")]
mod engine;
#[cfg(any(feature = "mpi", test))]
#[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "its tests need no MPI"))]
mod frame;

#[cfg(feature = "mpi")]
pub use communicator::{MpiRanks, MpiRanksBuilder};
