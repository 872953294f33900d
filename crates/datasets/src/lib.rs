//! Readers, encoders, splits, streams and synthetic generators.
