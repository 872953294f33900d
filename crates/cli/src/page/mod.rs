//! The page of `evaluate --html`: one file that needs no other, for people who decide.
//!
//! Reading order: [`Page`], the skeleton; a file a section; `wording`, labels and numbers as the page has
//! them; `figures`. All text goes through `maud`, which escapes it, and labels through `wording::label`,
//! which also bounds it: labels and names of columns are whatever a log holds.

mod changes;
mod estimates;
mod figures;
mod overlap;
mod segments;
mod training;
mod wording;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use ocoboost::numerals::{figure, thousands};
use ocoboost::{Breakdown, CandidateModel, Judgement, Model, Verdict};
use report::plot::PlotError;
use wording::{asked_percent, file_name, label};

const STYLE: &str = include_str!("style.css");
/// Nothing but the page itself is ever loaded.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// What a page is about.
pub(crate) struct Page<'a> {
    /// The policy as it was asked for: a file, `uniform` or `logged`.
    pub(crate) policy: &'a str,
    /// The name of the log.
    pub(crate) log: &'a str,
    /// Whether there is a policy, or the log itself.
    pub(crate) is_policy: bool,
    /// The model behind the policy, where there is one.
    pub(crate) model: Option<PolicyModel<'a>>,
    /// The judgement.
    pub(crate) judgement: &'a Judgement,
    /// What lies behind it.
    pub(crate) breakdown: &'a Breakdown,
    /// What makes all of it doubtful.
    pub(crate) caution: Option<&'a str>,
}

/// A model of either kind of log.
#[derive(Clone, Copy)]
pub(crate) enum PolicyModel<'a> {
    OfActions(&'a Model),
    OfCandidates(&'a CandidateModel),
}

/// A section: its anchor, its heading and its content.
struct Section {
    anchor: &'static str,
    heading: &'static str,
    content: Markup,
}

impl Page<'_> {
    /// The page.
    pub(crate) fn html(&self) -> Result<String, PlotError> {
        let mut sections = vec![
            Section { anchor: "value", heading: "What it earns", content: estimates::section(self)? },
            Section {
                anchor: "overlap",
                heading: "How well the log can answer",
                content: overlap::section(self)?,
            },
        ];
        if let Some(changes) = &self.breakdown.changes {
            let content = changes::section(changes);
            sections.push(Section { anchor: "changes", heading: "What the policy changes", content });
        } else if self.is_policy {
            let content = changes::of_candidates();
            sections.push(Section { anchor: "changes", heading: "What the policy changes", content });
        }
        if !self.breakdown.segments.columns.is_empty() || self.breakdown.changes.is_some() {
            let content = segments::section(self);
            sections.push(Section { anchor: "segments", heading: "Reward by segment", content });
        }
        if let Some(model) = self.model {
            let (importance, learning) = match model {
                PolicyModel::OfActions(model) => (training::importance(model), training::search(model)?),
                PolicyModel::OfCandidates(model) => (training::questions(model), training::recipes(model)),
            };
            let origin = training::origin(model);
            sections.extend([
                Section { anchor: "importance", heading: "What the policy looks at", content: importance },
                Section { anchor: "learning", heading: "How it was chosen", content: learning },
                Section { anchor: "origin", heading: "What it was trained on", content: origin },
            ]);
        }
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta http-equiv="Content-Security-Policy" content=(POLICY);
                    title { (wording::shown(file_name(self.policy))) " on " (wording::shown(file_name(self.log))) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    (self.head())
                    nav aria-label="Sections" {
                        ul {
                            @for section in &sections {
                                li { a href={ "#" (section.anchor) } { (section.heading) } }
                            }
                        }
                    }
                    main {
                        @for section in &sections {
                            section aria-labelledby=(section.anchor) {
                                h2 id=(section.anchor) { (section.heading) }
                                (section.content)
                            }
                        }
                    }
                    footer {
                        p {
                            "Written by ocoboost " (env!("CARGO_PKG_VERSION")) ". "
                            "Intervals have " (asked_percent(1.0 - self.judgement.delta))
                            " confidence unless something else is said."
                        }
                    }
                }
            }
        };
        Ok(page.into_string())
    }

    /// The verdict first, and the numbers behind it.
    fn head(&self) -> Markup {
        let judgement = self.judgement;
        let is_policy = self.is_policy;
        let (class, word) = match &judgement.verdict {
            _ if !is_policy => ("open", "The log itself."),
            Verdict::Better { is_certain: true, .. } => ("better", "Better."),
            Verdict::Better { is_certain: false, .. } => ("better", "Probably better."),
            Verdict::NotShown { .. } => ("open", "Not shown to be better."),
            Verdict::CannotAnswer(_) => ("open", "The log cannot answer."),
        };
        let at_least = match &judgement.verdict {
            Verdict::Better { at_least, .. } | Verdict::NotShown { at_least } => Some(*at_least),
            Verdict::CannotAnswer(_) => None,
        };
        html! {
            header {
                p.program { "ocoboost evaluate" }
                h1 { (label(file_name(self.policy))) " on " (label(file_name(self.log))) }
                div class={ "verdict " (class) } {
                    p { strong { (word) } " " (judgement.sentence()) }
                    @if let Some(caution) = self.caution { p { strong { "Caution: " } (caution.replace('`', "")) "." } }
                }
                dl.numbers {
                    div { dt { "the log earned" } dd { (figure(judgement.logged.value)) } }
                    @if let Some(policy) = self.headline() {
                        div {
                            dt { "the policy earns" }
                            dd { (figure(policy.value)) " " small { (wording::ends(policy.lower, policy.upper)) } }
                        }
                    }
                    @if let Some(at_least) = at_least.filter(|_| is_policy) {
                        div { dt { "difference, at least" } dd { (wording::signed(at_least)) } }
                    }
                    div {
                        dt { "rows of the log" }
                        dd {
                            (thousands(judgement.rows))
                            @if is_policy { " " small { "count as " (wording::count(judgement.support.ess)) } }
                        }
                    }
                }
            }
        }
    }

    /// The estimate that the sentence quotes.
    fn headline(&self) -> Option<&ocoboost::ValueEstimate> {
        self.judgement.estimate(self.judgement.headline).filter(|_| self.is_policy)
    }
}
