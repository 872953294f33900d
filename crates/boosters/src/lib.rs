//! Boosting as online convex optimisation.
