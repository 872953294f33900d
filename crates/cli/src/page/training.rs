//! The model: what it looks at, how it was chosen, what it was trained on.

use super::wording::{and_more, asked_percent, label, number, percent, setting, width};
use super::{PolicyModel, figures};
use boosters::auto_policy::{Candidate, Objective, Tried};
use maud::{Markup, html};
use ocoboost::numerals::thousands;
use ocoboost::{CandidateModel, Model, PropensitySource, TriedRecipe};
use report::plot::PlotError;

/// Lines of a list.
const MOST: usize = 12;
/// Curves that can be told apart.
const MOST_CURVES: usize = 5;

/// The columns by their shares.
pub(super) fn importance(model: &Model) -> Markup {
    let importance = &model.record().importance;
    let columns: Vec<(String, f64)> = match model.schema() {
        Some(schema) => {
            let name =
                |place: usize| schema.contexts().get(place).map_or("", |column| column.name()).to_owned();
            importance.of_columns(schema).into_iter().map(|(place, share)| (name(place), share)).collect()
        }
        None => importance.columns.iter().map(|(j, share)| (format!("x{j}"), *share)).collect(),
    };
    let of_actions: f64 = importance.actions.iter().map(|(_, share)| share).sum();
    let words = html! {
        "The share of the variance of the scores that is due to each column. The question which action it is "
        "has " (percent(of_actions)) ". A column that moves the scores of all actions alike has a share and no "
        "influence on the choice."
    };
    shares(&words, &columns)
}

/// The columns of a row and of its candidates, by how often the trees ask about them.
pub(super) fn questions(model: &CandidateModel) -> Markup {
    let words = html! {
        "The share of the questions of all trees that are about each column, of the row or of the candidate. A "
        "column that moves the scores of all candidates alike has a share and no influence on the choice."
    };
    shares(&words, &model.questions())
}

fn shares(words: &Markup, columns: &[(String, f64)]) -> Markup {
    let most = columns.iter().map(|(_, share)| *share).fold(f64::MIN_POSITIVE, f64::max);
    html! {
        p { (words) }
        div.scroll role="region" tabindex="0" aria-label="Columns by importance" {
            table {
                caption { "Columns by their share" }
                thead {
                    tr {
                        th scope="col" { "column" }
                        th.n scope="col" { "share" }
                        th.wide scope="col" { span.unseen { "share as a bar" } }
                    }
                }
                tbody {
                    @for (name, share) in columns.iter().take(MOST) {
                        tr {
                            th scope="row" { (label(name)) }
                            td.n { (percent(*share)) }
                            td.wide aria-hidden="true" {
                                span.bar.policy style={ "width:" (width(share / most)) } {}
                            }
                        }
                    }
                }
            }
        }
        @if let Some(more) = and_more(columns.len().saturating_sub(MOST), "column", "columns") { p.more { (more) "." } }
    }
}

/// The candidates, and their values by round.
pub(super) fn search(model: &Model) -> Result<Markup, PlotError> {
    let record = model.record();
    let mut order: Vec<(usize, &Tried)> = record.tried.iter().enumerate().collect();
    order.sort_by(|a, b| {
        let is_chosen = |k: usize| k == record.chosen;
        is_chosen(b.0)
            .cmp(&is_chosen(a.0))
            .then(b.1.value.value.total_cmp(&a.1.value.value))
            .then(a.0.cmp(&b.0))
    });
    let name = |k: usize| format!("{}{}", k + 1, if k == record.chosen { ", chosen" } else { "" });
    let points = |tried: &Tried| tried.curve.iter().map(|(round, value)| (*round as f64, *value)).collect();
    let with_curves = order.iter().filter(|(_, tried)| !tried.curve.is_empty());
    let curves: Vec<(String, Vec<(f64, f64)>)> =
        with_curves.take(MOST_CURVES).map(|(k, tried)| (name(*k), points(tried))).collect();
    let words = "Curves of the estimated value by round, one a candidate. The table has their best rounds.";
    let caption = "The chosen candidate and the next best ones, on rows that they were not trained on.";
    let axes = ("Estimated value by round", "rounds", "reward a decision");
    let drawn = if curves.is_empty() { None } else { Some(figures::curves(axes, curves, words, caption)?) };
    let cuts = &record.cuts;
    Ok(html! {
        p {
            (thousands(record.tried.len() as u64)) " candidates were tried on a part of the log. The best one was "
            "trained again on all rows to learn from. Values are those of a winner among many, and optimistic: the "
            "judgement above is not."
        }
        @if cuts.any() {
            p {
                strong { "The time was short: " }
                @if cuts.search { "the search was ended early; " }
                @if cuts.training { "the training was ended early; " }
                @if cuts.is_of_search { "the model is that of the search; " }
                @if cuts.reward_model { "the model of rewards was ended early; " }
                (thousands(cuts.rounds_trained as u64)) " of " (thousands(cuts.rounds_planned as u64))
                " rounds were trained."
            }
        }
        @if let Some(drawn) = drawn { (drawn) }
        div.scroll role="region" tabindex="0" aria-label="Candidates" {
            table {
                caption { "Candidates, the chosen one first" }
                thead {
                    tr {
                        th scope="col" { "candidate" }
                        th.n scope="col" { "reward a decision" }
                        th.n scope="col" { "best round" }
                    }
                }
                tbody {
                    @for (k, tried) in order.iter().take(MOST) {
                        tr.headline[*k == record.chosen] {
                            th scope="row" { (name(*k)) " " small { (settings(&tried.candidate)) } }
                            td.n {
                                (number(tried.value.value))
                                @if let Some(error) = tried.value.standard_error { small { "± " (number(error)) } }
                            }
                            td.n {
                                (thousands(tried.best_round as u64))
                                small { "of " (thousands(tried.rounds as u64)) }
                            }
                        }
                    }
                }
            }
        }
        @if let Some(more) = and_more(order.len().saturating_sub(MOST), "candidate", "candidates") { p.more { (more) "." } }
    })
}

fn settings(candidate: &Candidate) -> String {
    let objective = match candidate.objective {
        Objective::Ips => "IPS",
        Objective::Surrogate => "surrogate of IPS",
        Objective::DoublyRobust => "doubly robust",
        Objective::RewardRegression => "reward regression",
    };
    let clip =
        candidate.clip.map(|clip| format!(", weights of at most {}", setting(clip))).unwrap_or_default();
    format!(
        "{objective}; depth {}, learning rate {}, least weight of a child {}, λ {}; a tree sees {} of the columns and \
         {} of the rows{clip}",
        candidate.max_depth,
        setting(candidate.learning_rate),
        setting(candidate.min_child_weight),
        setting(candidate.reg_lambda),
        asked_percent(candidate.columns),
        asked_percent(candidate.rows),
    )
}

/// The recipes that were tried.
pub(super) fn recipes(model: &CandidateModel) -> Markup {
    let record = model.record();
    let mut order: Vec<(usize, &TriedRecipe)> = record.tried.iter().enumerate().collect();
    order.sort_by(|a, b| {
        let is_chosen = |k: usize| k == record.chosen;
        let value = |tried: &TriedRecipe| tried.value.unwrap_or(f64::NEG_INFINITY);
        is_chosen(b.0).cmp(&is_chosen(a.0)).then(value(b.1).total_cmp(&value(a.1))).then(a.0.cmp(&b.0))
    });
    html! {
        p {
            (thousands(record.tried.len() as u64)) " recipes were tried on a part of the log. The one of the largest "
            "value less its standard error was trained again on all rows to learn from. Values are those of a winner "
            "among many, and optimistic: the judgement above is not."
        }
        @if record.is_cut {
            p {
                strong { "The time was short: " } "the search or the training was ended early."
                @if record.is_of_search { " The model is that of the search." }
            }
        }
        @if record.is_model_cut {
            p { strong { "The time was short: " } "the model of rewards behind the judgement was ended early." }
        }
        div.scroll role="region" tabindex="0" aria-label="Recipes" {
            table {
                caption { "Recipes, the chosen one first" }
                thead {
                    tr {
                        th scope="col" { "recipe" }
                        th.n scope="col" { "reward a decision" }
                        th.n scope="col" { "best round" }
                    }
                }
                tbody {
                    @for (k, tried) in order.iter().take(MOST) {
                        tr.headline[*k == record.chosen] {
                            th scope="row" {
                                (k + 1) @if *k == record.chosen { ", chosen" } " "
                                small { (tried.recipe) }
                            }
                            td.n {
                                @match tried.value {
                                    Some(value) => {
                                        (number(value))
                                        @if let Some(error) = tried.standard_error { small { "± " (number(error)) } }
                                    }
                                    None => { "not judged" }
                                }
                            }
                            td.n { (thousands(tried.rounds as u64)) }
                        }
                    }
                }
            }
        }
        @if let Some(more) = and_more(order.len().saturating_sub(MOST), "recipe", "recipes") { p.more { (more) "." } }
    }
}

/// The provenance.
pub(super) fn origin(model: PolicyModel<'_>) -> Markup {
    let (origin, judgement) = match model {
        PolicyModel::OfActions(model) => (model.provenance(), model.judgement()),
        PolicyModel::OfCandidates(model) => (model.provenance(), model.judgement()),
    };
    let (split, holdout_share, seed, budget, trees, leaves) = match model {
        PolicyModel::OfActions(model) => {
            let of = model.record();
            (&of.split, of.holdout_share, of.seed, of.budget, of.trees, of.leaves)
        }
        PolicyModel::OfCandidates(model) => {
            let of = model.record();
            (&of.split, of.holdout_share, of.seed, of.budget, of.trees, of.leaves)
        }
    };
    let propensities = match origin.propensities {
        PropensitySource::Logged => "logged",
        PropensitySource::Estimated => "estimated",
    };
    let fact = |name: &str, value: Markup| html! { div { dt { (name) } dd { (value) } } };
    html! {
        p { "When it was trained: " (judgement.sentence()) }
        dl.facts {
            @for source in origin.sources.iter().take(MOST) {
                (fact("file", label(&source.name)))
                (fact("SHA-256 of the file", html! { code { (label(&source.sha256)) } }))
            }
            @if let Some(more) = and_more(origin.sources.len().saturating_sub(MOST), "file", "files") {
                (fact("files", html! { (more) }))
            }
            (fact("SHA-256 of its numbers", html! { code { (label(&origin.log_sha256)) } }))
            (fact("rows to learn from", html! { (thousands(origin.learning_rows as u64)) }))
            (fact("rows to judge on", html! { (thousands(origin.judging_rows as u64)) }))
            (fact("split", html! { (label(split)) ", " (asked_percent(holdout_share)) " kept apart" }))
            (fact("propensities", html! { (propensities) }))
            (fact("seed", html! { (seed) }))
            (fact("budget", html! { (setting(budget)) " s" }))
            (fact("trees", html! { (thousands(trees as u64)) ", " (thousands(leaves as u64)) " leaves" }))
            (fact("program", label(&origin.program)))
        }
    }
}
