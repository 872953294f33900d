//! What a watcher of a job over candidates sees.

use super::recipe::CandidateRecipe;

/// What a watcher of a job sees.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum CandidateEvent {
    /// A round of a recipe of the search.
    Search {
        /// The recipe.
        recipe: CandidateRecipe,
        /// Its place, counted from 0, of so many.
        place: (usize, usize),
        /// The rounds so far; 0 while rewards are predicted for the first one.
        round: usize,
    },
    /// A round of the training of the winner.
    Training {
        /// The recipe.
        recipe: CandidateRecipe,
        /// The rounds so far, of so many; 0 while rewards are predicted for the first one.
        round: (usize, usize),
    },
    /// The judgement begins.
    Judging,
    /// A round of the regression that predicts rewards for the judgement.
    RewardModel {
        /// The rounds so far, of so many.
        round: (usize, usize),
    },
}
