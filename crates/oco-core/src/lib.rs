//! Online convex optimisation: learners, losses, regret, bandit gradient estimates.
