//! What a booster boosts.
