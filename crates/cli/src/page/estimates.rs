//! The estimates, and the bounds that the verdict rests on.

use super::wording::{asked_percent, ends, number, setting, signed};
use super::{Page, figures};
use maud::{Markup, html};
use ocoboost::{Bound, BoundMethod, RangeSource, ValueEstimate};
use off_policy::estimators::Estimator;
use report::plot::{Dot, PlotError};

pub(super) fn section(page: &Page<'_>) -> Result<Markup, PlotError> {
    let judgement = page.judgement;
    // Of the logging policy every estimate is the mean reward.
    let is_policy = page.is_policy;
    let estimates: &[ValueEstimate] = if is_policy { &judgement.estimates } else { &[] };
    let dot = |label: &str, one: &ValueEstimate| Dot {
        label: label.to_owned(),
        value: one.value,
        interval: Some((one.lower, one.upper)),
    };
    let dots = std::iter::once(dot("the log", &judgement.logged));
    let dots: Vec<Dot> = dots.chain(estimates.iter().map(|one| dot(one.estimator.name(), one))).collect();
    let words = "Dots with intervals: the mean reward of the log, and the value of the policy by each \
                 estimator. The table has the numbers.";
    let caption = "The line is what the log earned.";
    let drawn = figures::intervals(
        ("Estimates with intervals", "reward a decision", judgement.logged.value),
        dots,
        words,
        caption,
    )?;
    Ok(html! {
        div.beside {
            (drawn)
            table {
                caption { "The value of the policy, by several estimators on the same rows" }
                thead {
                    tr {
                        th scope="col" { "estimator" }
                        th.n scope="col" { "reward a decision" }
                    }
                }
                tbody {
                    (row("the log", &judgement.logged, "the mean reward of the rows", false))
                    @for one in estimates {
                        (row(one.estimator.name(), one, words_of(one.estimator), one.estimator == judgement.headline))
                    }
                }
            }
        }
        @if !is_policy { p { "The value of the logging policy is the mean reward: there is nothing to estimate." } }
        @if let Some(bounds) = judgement.bounds.filter(|_| is_policy) { (self::bounds(page, &bounds)) }
    })
}

fn row(name: &str, one: &ValueEstimate, words: &str, is_headline: bool) -> Markup {
    html! {
        tr.headline[is_headline] {
            th scope="row" {
                (name) " "
                small { (words) @if is_headline { "; the one that the verdict quotes" } }
            }
            td.n { (number(one.value)) " " small { (ends(one.lower, one.upper)) } }
        }
    }
}

fn words_of(estimator: Estimator) -> &'static str {
    match estimator {
        Estimator::Ips => "rewards times π/p; right on average, and noisy",
        Estimator::ClippedIps => "the same with weights of at most 20; too low where larger ones matter",
        Estimator::Snips => "the weighted mean of the rewards",
        Estimator::Dm => "what a model of rewards predicts; as good as that model",
        Estimator::Dr => "the model, corrected by the weighted errors it makes",
        Estimator::SwitchDr => "the same without the rows of weights above 20",
    }
}

fn bounds(page: &Page<'_>, bounds: &[Bound]) -> Markup {
    let (range, delta) = (&page.judgement.range, page.judgement.delta);
    let source = match range.source {
        RangeSource::Given => "as stated",
        RangeSource::OtherRows => "as other rows of the log have it",
        RangeSource::JudgedRows => "as these rows have it",
    };
    html! {
        h3 { "At least" }
        p {
            "With " (asked_percent(1.0 - delta)) " confidence each, the policy earns so much more than the log did. "
            "Rewards are taken to lie between " (setting(range.lower)) " and " (setting(range.upper)) ", " (source) ". "
            "The verdict rests on the first one."
        }
        div.scroll role="region" tabindex="0" aria-label="Lower bounds" {
            table {
                caption { "Lower bounds on the improvement over the log" }
                thead {
                    tr {
                        th scope="col" { "bound by" }
                        th.n scope="col" { "at least" }
                        th.n scope="col" { "setting" }
                    }
                }
                tbody {
                    @for bound in bounds {
                        tr {
                            th scope="row" { (name_of(bound.method)) }
                            td.n { (signed(bound.lower)) }
                            td.n { (setting_of(bound)) }
                        }
                    }
                }
            }
        }
    }
}

fn name_of(method: BoundMethod) -> &'static str {
    match method {
        BoundMethod::LogarithmicSmoothing => "logarithmic smoothing",
        BoundMethod::EmpiricalBernstein => "empirical Bernstein",
    }
}

fn setting_of(bound: &Bound) -> String {
    let name = match bound.method {
        BoundMethod::LogarithmicSmoothing => "λ",
        BoundMethod::EmpiricalBernstein => "M",
    };
    format!("{name} = {}", setting(bound.setting))
}
