//! The reward by segment.

use super::Page;
use super::wording::{and_more, asked_percent, ends, label, number, signed, width};
use maud::{Markup, html};
use ocoboost::numerals::thousands;
use ocoboost::{Segment, SegmentMean, SegmentedColumn};

/// The columns that are seen at once.
const OPEN: usize = 5;

pub(super) fn section(page: &Page<'_>) -> Markup {
    let (segments, delta) = (&page.breakdown.segments, page.judgement.delta);
    let is_policy = page.is_policy;
    let reach = reach(&segments.columns);
    html! {
        @if is_policy {
            p {
                "Rows are parted by one column at a time: by its labels, or into bins of about as many rows. "
                @if segments.compared > 0 {
                    (thousands(segments.compared as u64)) " segments are compared. "
                    strong { "Of so many intervals some are wrong by chance" }
                    ": about " (asked_percent(delta)) " of those beside “log” and “policy”. The intervals of the differences "
                    "are wider, so that all of them hold at once with about " (asked_percent(1.0 - delta)) " confidence. "
                    "Segments overlap across columns, and a difference need not be due to its column. "
                } @else {
                    "No segment has enough rows for an estimate of the policy. "
                }
                "“few” is written where fewer than 30 rows, or rewards, say something of the policy."
            }
        } @else {
            p {
                "Rows are parted by one column at a time: by its labels, or into bins of about as many rows. "
                "Of many intervals some are wrong by chance: about " (asked_percent(delta)) "."
            }
        }
        @let (first, further) = segments.columns.split_at(OPEN.min(segments.columns.len()));
        @for column in first { (table(column, is_policy, reach)) }
        @if let Some(more) = and_more(further.len(), "column", "columns") {
            details {
                summary { (more) }
                @for column in further { (table(column, is_policy, reach)) }
            }
        }
        @if let Some(more) = and_more(segments.others, "column", "columns") {
            p.more { (more) @if further.is_empty() { "." } @else { " that are not on this page." } }
        }
    }
}

/// The farthest end of a difference from 0.
fn reach(columns: &[SegmentedColumn]) -> f64 {
    let changes = columns.iter().flat_map(|column| &column.segments).filter_map(|segment| segment.change);
    let ends = changes.filter_map(|change| change.interval).flatten();
    ends.map(f64::abs).fold(f64::MIN_POSITIVE, f64::max)
}

fn table(column: &SegmentedColumn, is_policy: bool, reach: f64) -> Markup {
    html! {
        div.scroll role="region" tabindex="0" aria-label={ "Segments of " (super::wording::shown(&column.column)) } {
            table.segments {
                caption { h3 { (label(&column.column)) } }
                thead {
                    tr {
                        th scope="col" { "segment" }
                        th.n scope="col" { "log" }
                        @if is_policy {
                            th.n scope="col" { "policy" }
                            th.n scope="col" { "difference" }
                            th.picture scope="col" { span.unseen { "difference as a bar" } }
                        }
                    }
                }
                tbody { @for segment in &column.segments { (row(segment, is_policy, reach)) } }
            }
        }
    }
}

fn row(segment: &Segment, is_policy: bool, reach: f64) -> Markup {
    html! {
        tr {
            th scope="row" {
                (label(&segment.part.words())) " "
                small { (thousands(segment.rows)) @if segment.rows == 1 { " row" } @else { " rows" } }
            }
            td.n.logged[is_policy] { (mean(&segment.logged, number)) }
            @if is_policy {
                @match (&segment.policy, &segment.change) {
                    (Some(policy), Some(change)) => {
                        td.n { (mean(policy, number)) }
                        td.n { (mean(change, signed)) (verdict(change)) }
                        td.picture aria-hidden="true" { (picture(change, reach)) }
                    }
                    _ => {
                        td.n.few { "few" }
                        td.n.few { "few" }
                        td.picture {}
                    }
                }
            }
        }
    }
}

/// A mean with its interval below.
fn mean(mean: &SegmentMean, written: fn(f64) -> String) -> Markup {
    html! {
        (written(mean.value))
        @if let Some([lower, upper]) = mean.interval { small { (ends(lower, upper)) } }
    }
}

/// A word where the interval leaves 0 out.
fn verdict(change: &SegmentMean) -> Markup {
    let word = match change.interval {
        Some([lower, _]) if lower > 0.0 => Some(("gain", "▲ more")),
        Some([_, upper]) if upper < 0.0 => Some(("loss", "▼ less")),
        _ => None,
    };
    html! { @if let Some((class, word)) = word { small class=(class) { (word) } } }
}

/// The interval on a scale from −reach to reach.
fn picture(change: &SegmentMean, reach: f64) -> Markup {
    let place = |value: f64| 0.5 + 0.5 * value / reach;
    html! {
        @if let Some([lower, upper]) = change.interval {
            span.track {
                span.zero {}
                span.interval style={ "left:" (width(place(lower))) ";width:" (width(place(upper) - place(lower))) } {}
                span.dot style={ "left:" (width(place(change.value))) } {}
            }
        }
    }
}
