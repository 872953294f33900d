//! Overlap: whether the log did often enough what the policy would do.

use super::wording::{asked_percent, count, number, percent, setting};
use super::{Page, figures};
use maud::{Markup, html};
use ocoboost::numerals::thousands;
use ocoboost::{Bin, Caveat, WeightsOfRows};
use off_policy::estimators::SupportWarning;
use report::plot::PlotError;

pub(super) fn section(page: &Page<'_>) -> Result<Markup, PlotError> {
    let (judgement, weights) = (page.judgement, &page.breakdown.weights);
    let support = &judgement.support;
    let is_policy = page.is_policy;
    let never: u64 = weights.weights.iter().filter(|bin| bin.up_to <= 0.0).map(|bin| bin.rows).sum();
    let n = judgement.rows.max(1) as f64;
    let of_propensities = propensities(&weights.propensities, n)?;
    Ok(html! {
        @if is_policy {
            p {
                "A row counts with the weight π/p: how probable its action is under the policy, over how probable "
                "it was when the log was written. The policy never does what the log did in " (percent(never as f64 / n))
                " of the rows. The " (thousands(judgement.rows)) " rows count as many as "
                strong { (count(support.ess)) } " rows of equal weight would."
            }
        }
        ul.cautions {
            @for warning in &judgement.warnings { li { (words_of(warning)) } }
            @for caveat in &judgement.caveats { li { (words_of_caveat(*caveat)) } }
            li { "Weights are silent about actions that the log never took." }
        }
        div.figures {
            @if is_policy { (histogram(&weights.weights, n)?) }
            (of_propensities)
        }
        dl.facts {
            @if is_policy {
                div { dt { "mean weight (1 where overlap is full)" } dd { (number(support.mean_weight)) } }
                div { dt { "largest weight" } dd { (setting(support.max_weight)) } }
            }
            div { dt { "least propensity" } dd { (setting(support.least_propensity)) } }
        }
        @if is_policy && !weights.largest.is_empty() { (largest(weights)) }
    })
}

fn histogram(bins: &[Bin], n: f64) -> Result<Markup, PlotError> {
    let name = |bin: &Bin| match bin.up_to {
        end if end <= 0.0 => "0".to_owned(),
        end if end == f64::INFINITY => format!(">{}", bin.above),
        end => format!("≤{end}"),
    };
    let group = |bin: &Bin| {
        let bars = vec![("rows", bin.rows as f64 / n), ("weight", bin.weight_share)];
        (name(bin), bars)
    };
    let shares: Vec<String> =
        bins.iter().map(|bin| format!("{} {}", name(bin), percent(bin.rows as f64 / n))).collect();
    let words = format!("Histogram of the weights, by share of the rows: {}.", shares.join(", "));
    let caption = "Weights π/p: the share of the rows, and of the sum of weights, in each bin.";
    figures::bars(("Rows by weight", "share"), bins.iter().map(group).collect(), &words, caption)
}

fn propensities(bins: &[Bin], n: f64) -> Result<Markup, PlotError> {
    let name = |bin: &Bin| if bin.above > 0.0 { asked_percent(bin.above) } else { "less".to_owned() };
    let group = |bin: &Bin| (name(bin), vec![("rows", bin.rows as f64 / n)]);
    let shares: Vec<String> =
        bins.iter().map(|bin| format!("{} {}", name(bin), percent(bin.rows as f64 / n))).collect();
    let words = format!("Histogram of the propensities, by share of the rows: {}.", shares.join(", "));
    let caption =
        "Propensities p of the logged actions: the share of the rows in each bin, by its lower end.";
    figures::bars(("Rows by propensity", "share"), bins.iter().map(group).collect(), &words, caption)
}

fn largest(weights: &WeightsOfRows) -> Markup {
    html! {
        details {
            summary { "The rows with the largest weights" }
            div.scroll role="region" tabindex="0" aria-label="Rows with the largest weights" {
                table {
                    caption { "Rows, counted from 1 without a header" }
                    thead {
                        tr {
                            th.n scope="col" { "row" }
                            th.n scope="col" { "weight" }
                            th.n scope="col" { "of all weight" }
                            th.n scope="col" { "propensity" }
                            th.n scope="col" { "reward" }
                        }
                    }
                    tbody {
                        @for one in &weights.largest {
                            tr {
                                th.n scope="row" { (thousands(one.row as u64 + 1)) }
                                td.n { (setting(one.weight)) }
                                td.n { (percent(one.share)) }
                                td.n { (setting(one.propensity)) }
                                td.n { (setting(one.reward)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn words_of(warning: &SupportWarning) -> String {
    let meaning = match warning {
        SupportWarning::NoOverlap => "nothing in the log speaks of what it does",
        SupportWarning::MeanWeight { mean, .. } if *mean < 1.0 => {
            "the policy does what the log could not do or hardly ever did, or the propensities are wrong"
        }
        SupportWarning::MeanWeight { .. } => {
            "the propensities are not those that were in force, or are rounded"
        }
        SupportWarning::LargestWeight { .. } => "the estimates hang on it",
        SupportWarning::EffectiveSampleSize { .. } => "the log seldom did what the policy does",
        SupportWarning::PropensityFloor { .. } => "such weights are not to be trusted",
        SupportWarning::FewRewards { .. } => "an interval around so few is too narrow",
        SupportWarning::DoublyRobust { .. } => "it is too narrow where the model errs elsewhere",
        SupportWarning::OutOfRange { .. } => "no policy earns that, so the estimate is far off",
        _ => "an estimate may be far off",
    };
    let words = warning.to_string();
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}: {meaning}.", letters.as_str())
}

fn words_of_caveat(caveat: Caveat) -> String {
    match caveat {
        Caveat::EstimatedPropensities => "Propensities are estimated from the columns of the log. Where the logging \
                                          policy looked at something else that moves rewards, no interval says so."
            .to_owned(),
        Caveat::RangeOfJudgedRows => "The range of the rewards is that of these rows. The lower bounds hold if no \
                                      reward lies outside of it."
            .to_owned(),
        Caveat::GroupedRows => "Rows of one group may depend on each other, and the bounds count them as independent."
            .to_owned(),
        other => format!("The bounds are approximate: {}.", other.words()),
    }
}
