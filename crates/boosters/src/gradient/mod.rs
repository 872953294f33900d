//! Online gradient boosting for regression: \[BHKL15\] and \[BH20, §3\].
//!
//! A booster keeps N weak learners that learn *linear* losses and builds its prediction in N Frank–Wolfe
//! steps, y^i = (1−η_i)y^{i−1} + (η_i/γ)A_i(x), η_i = 2/(i+1). Learner i learns the gradient of the loss at
//! y^{i−1}, and so corrects the learners before it. The result competes with the convex hull (or the span) of
//! the weak learners' class on any smooth convex loss.
//!
//! Reading order: [`OnlineGradientBoosting`] (known gradients), [`BanditGradientBoosting`] (gradients
//! estimated from loss values), [`SpanBoosting`] (the span instead of the hull), [`OgdBaseline`] (one linear
//! model, no boosting). The bandit baseline N-FKM is [`FkmLinear`](weak_learners::FkmLinear).

mod bandit_gradient_boosting;
mod ogd_baseline;
mod online_gradient_boosting;
mod span_boosting;
mod trace;

pub use bandit_gradient_boosting::{BanditGradientBoosting, Queries};
pub use ogd_baseline::OgdBaseline;
pub use online_gradient_boosting::OnlineGradientBoosting;
pub use span_boosting::SpanBoosting;
pub use trace::Trace;
