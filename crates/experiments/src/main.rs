//! The binary that xtask runs.
fn main() {}
