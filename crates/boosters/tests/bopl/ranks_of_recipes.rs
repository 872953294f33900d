//! What a recipe trains on the rows of several ranks, and the rewards that it predicts for that.

use crate::logs::{Reward, Task};
use crate::ranks::{LIMIT, ROWS, of_rank, run};
use boosters::auto_policy::{AutoPolicy, Objective, Overrides};
use off_policy::Log;
use std::ops::ControlFlow;
use weak_learners::{Ranks, Shard};

#[test]
fn ranks_change_no_byte_of_what_a_recipe_trains() {
    let log = Task::adults(ROWS).log(Reward::Noisy, 1);
    for objective in [Objective::DoublyRobust, Objective::RewardRegression] {
        let overrides = Overrides { objective: Some(objective), max_depth: Some(3), ..Overrides::default() };
        let recipe =
            AutoPolicy::builder().candidates(1).rounds(2).overrides(overrides).seed(2).build().unwrap();
        let train = |log: &Log, ranks: &Ranks| {
            let shard = Shard::of(ranks.clone(), log.len()).unwrap();
            let fit =
                recipe.fit_of_rank((log, &shard), ranks, None, |_, _| ControlFlow::Continue(())).unwrap();
            serde_json::to_string(fit.ensemble.members()).unwrap()
        };
        let expected = train(&log, &Ranks::alone());
        assert!(expected.contains("context"), "no split on a column");
        for size in [1, 2, 3, 7] {
            let found = run(size, None, LIMIT, |ranks: Ranks| train(&of_rank(&log, &ranks), &ranks));
            assert!(
                found.iter().all(|found| found.as_ref() == Some(&expected)),
                "{objective:?}, {size} ranks"
            );
        }
    }
}
