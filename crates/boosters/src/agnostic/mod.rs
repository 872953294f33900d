//! Agnostic and realizable boosting by one reduction to online convex optimisation \[BCMH20\].
