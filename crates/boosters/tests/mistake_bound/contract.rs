//! The contract of a predictor: pure votes, refusals without a trace, saved runs.
