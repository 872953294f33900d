//! Short programs to copy from: `cargo run -p examples --example NAME`.
