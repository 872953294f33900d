//! What the policy does otherwise than the log did.

use super::wording::{and_more, label, number, percent, width};
use maud::{Markup, html};
use ocoboost::{ActionChange, Changes};

pub(super) fn section(changes: &Changes) -> Markup {
    let most = changes.actions.iter().map(|one| one.logged.max(one.policy)).fold(f64::MIN_POSITIVE, f64::max);
    let rest = |of: fn(&ActionChange) -> f64| (1.0 - changes.actions.iter().map(of).sum::<f64>()).max(0.0);
    html! {
        p {
            "The policy does what the log did in " strong { (percent(changes.agreement)) } " of the rows."
        }
        div.scroll role="region" tabindex="0" aria-label="Actions" {
            table {
                caption { "Actions by their share of the rows" }
                thead {
                    tr {
                        th scope="col" { "action" }
                        th.n scope="col" { "in the log" }
                        th.n scope="col" { "by the policy" }
                        th.n scope="col" { "earned in the log" }
                    }
                }
                tbody {
                    @for one in &changes.actions {
                        tr {
                            th scope="row" { (label(&one.name)) }
                            td.n { (bar("log", one.logged, most)) }
                            td.n { (bar("policy", one.policy, most)) }
                            td.n { @if let Some(reward) = one.reward { (number(reward)) } @else { "–" } }
                        }
                    }
                    @if let Some(more) = and_more(changes.others, "action", "actions") {
                        tr {
                            th scope="row" { (more) }
                            td.n { (percent(rest(|one| one.logged))) }
                            td.n { (percent(rest(|one| one.policy))) }
                            td {}
                        }
                    }
                }
            }
        }
        (from_to(changes))
    }
}

/// A share with a bar below it.
fn bar(class: &str, share: f64, most: f64) -> Markup {
    html! {
        (percent(share))
        span class={ "bar " (class) } aria-hidden="true" style={ "width:" (width(share / most)) } {}
    }
}

fn from_to(changes: &Changes) -> Markup {
    let shown = changes.actions.len() + usize::from(changes.others > 0);
    let name = |k: usize| match changes.actions.get(k) {
        Some(one) => label(&one.name),
        None => html! { "others" },
    };
    let most = changes.from_to.iter().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    html! {
        details open[shown <= 6] {
            summary { "From which action to which" }
            p.more { "Share of all rows by what the log did (lines) and what the policy does (columns)." }
            div.scroll role="region" tabindex="0" aria-label="From which action to which" {
                table.matrix {
                    thead {
                        tr {
                            th scope="col" { "log ↓ policy →" }
                            @for to in 0..shown { th.n scope="col" { (name(to)) } }
                        }
                    }
                    tbody {
                        @for (from, line) in changes.from_to.iter().enumerate().take(shown) {
                            tr {
                                th scope="row" { (name(from)) }
                                @for (to, share) in line.iter().enumerate().take(shown) {
                                    td.n.same[from == to] style={ "--share:" (width(share / most)) } {
                                        @if *share > 0.0 { (percent(*share)) } @else { "–" }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Where candidates differ from row to row.
pub(super) fn of_candidates() -> Markup {
    html! {
        p {
            "The actions of this log have features of their own, and are not the same in every row: there is no list "
            "of actions that the policy plays more often or less often than the log did. What it ranks them by is "
            "below, where the policy is a model."
        }
    }
}
