//! Convex sets, mirror maps, Bregman projections and linear minimisation.
