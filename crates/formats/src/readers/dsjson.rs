//! Vowpal Wabbit's decision service JSON: a decision a line.

use super::json::Json;
use super::{Absent, ColumnNames, Labels, OfActions, Records, TIME_OF_DSJSON};
use crate::FormatError;
use crate::error::Place;
use crate::facts::{Progress, SkipCounts, Skipped};
use crate::record::{Cell, Decision, Offered, Record};
use crate::source::{Lines, Stream};

/// The decisions of a file.
pub(super) struct Dsjson {
    lines: Lines,
    names: ColumnNames,
    raw: Vec<u8>,
    row: u64,
    of_actions: OfActions,
    labels: Labels,
    /// Whether the time of an event is a cell of its context.
    has_time: bool,
    dropped: bool,
    skips: SkipCounts,
    /// Events in which `a`, `_label_Action` and `_labelIndex` do not name one action.
    disagreeing: u64,
    /// Events in which the probability of the label is not that of its action in `p`.
    other_probability: u64,
    /// Texts that Vowpal Wabbit takes apart into words.
    texts: u64,
}

const NO_JSON: &str = "lines that are no JSON objects";
const NO_CONTEXT: &str = "lines without a context, as of outcomes that came late";
const SLOTS: &str = "events with slots (conditional bandits or slates)";
const SKIP_LEARN: &str = "events with _skipLearn";
const NO_ACTIONS: &str = "events without actions";
const NAN_COST: &str = "events with the cost NaN";

impl Dsjson {
    pub(super) fn new(stream: Stream, (of_actions, labels): (OfActions, Labels), has_time: bool) -> Self {
        Self {
            lines: Lines::new(stream),
            names: ColumnNames::default(),
            raw: Vec::new(),
            row: 0,
            of_actions,
            labels,
            has_time,
            dropped: false,
            skips: SkipCounts::default(),
            disagreeing: 0,
            other_probability: 0,
            texts: 0,
        }
    }
}

impl Records for Dsjson {
    fn advance(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        loop {
            self.raw.clear();
            if self.lines.read(&mut self.raw)?.is_none() {
                return Ok(false);
            }
            let raw = self.raw.trim_ascii();
            if raw.is_empty() {
                continue;
            }
            self.row += 1;
            (record.row, record.line) = (self.row, Some(self.lines.line()));
            if !raw.starts_with(b"{") {
                self.skips.add(NO_JSON);
                continue;
            }
            let place = self.lines.place(Some(self.row), self.lines.line());
            let text = std::str::from_utf8(raw)
                .map_err(|_| FormatError::NotUtf8 { place: place.clone(), column: None })?;
            let event = Json::parse(text)
                .map_err(|message| FormatError::BadJson { place: place.clone(), message })?;
            let mut reading = Event {
                place,
                names: &mut self.names,
                limit: self.lines.stream().limits().columns,
                of_actions: self.of_actions,
                labels: self.labels,
                has_time: self.has_time,
                dropped: &mut self.dropped,
                disagreeing: &mut self.disagreeing,
                other_probability: &mut self.other_probability,
                texts: &mut self.texts,
            };
            match reading.read(&event, record)? {
                None => return Ok(true),
                Some(reason) => {
                    self.skips.add(reason);
                    record.clear();
                }
            }
        }
    }

    fn columns(&self) -> &ColumnNames {
        &self.names
    }

    fn has_header(&self) -> bool {
        false
    }

    fn absent(&self) -> Absent {
        Absent::Zero
    }

    fn progress(&self, rows: u64) -> Progress {
        self.lines.stream().progress(rows)
    }

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        Ok(self.lines.stream().fingerprint())
    }

    fn skipped(&self) -> Vec<Skipped> {
        self.skips.list()
    }

    fn notes(&self) -> Vec<String> {
        let dropped = self.dropped.then(|| "the features of the actions are left out".to_owned());
        let disagreeing = (self.disagreeing > 0).then(|| {
            format!(
                "in {} events a, _label_Action and _labelIndex name different actions: _labelIndex was taken",
                self.disagreeing
            )
        });
        let probability = (self.other_probability > 0).then(|| {
            format!(
                "in {} events _label_probability is not the probability in p: _label_probability was taken",
                self.other_probability
            )
        });
        let texts = (self.texts > 0).then(|| {
            format!("_text stands in {} places: its words are no features here, and are left out", self.texts)
        });
        dropped.into_iter().chain(disagreeing).chain(probability).chain(texts).collect()
    }
}

/// What was shown, by its place from 0, and what came of it.
struct Label {
    shown: Option<u32>,
    propensity: Option<f64>,
    cost: Option<f64>,
    weight: f64,
}

/// One event while it is read.
struct Event<'a> {
    place: Place,
    names: &'a mut ColumnNames,
    limit: u64,
    of_actions: OfActions,
    labels: Labels,
    has_time: bool,
    dropped: &'a mut bool,
    disagreeing: &'a mut u64,
    other_probability: &'a mut u64,
    texts: &'a mut u64,
}

impl Event<'_> {
    /// Fills the record; or else says why the event is skipped.
    fn read(&mut self, event: &Json<'_>, record: &mut Record) -> Result<Option<&'static str>, FormatError> {
        let ranked = match event.get("a") {
            Some(Json::List(ranked)) => Some(ranked.as_slice()),
            _ => None,
        };
        let Some(context @ Json::Object(members)) = event.get("c") else {
            return Ok(Some(NO_CONTEXT));
        };
        if event.get("_outcomes").is_some() || context.get("_slots").is_some() {
            return Ok(Some(SLOTS));
        }
        if self.labels == Labels::Read && event.get("_skipLearn") == Some(&Json::Bool(true)) {
            return Ok(Some(SKIP_LEARN));
        }
        let actions = match context.get("_multi") {
            Some(Json::List(actions)) => Some(actions.as_slice()),
            _ => None,
        };
        let count = actions.map_or_else(|| ranked.map_or(0, <[_]>::len), <[_]>::len);
        if count == 0 || ranked.is_some_and(<[_]>::is_empty) {
            return Ok(Some(NO_ACTIONS));
        }
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        let label = match self.labels {
            Labels::Leave => Label { shown: None, propensity: None, cost: None, weight: 1.0 },
            Labels::Read => match self.label(event, ranked, count)? {
                Some(label) => label,
                None => return Ok(Some(NAN_COST)),
            },
        };
        let mut tags = Vec::new();
        for action in actions.unwrap_or_default() {
            self.action(action, record)?;
            tags.extend(tag(action).map(|tag| Cell::Text(record.keep(&tag))));
        }
        // Actions of which nothing is known but how many there are.
        while self.of_actions == OfActions::Keep && record.candidates() < count as usize {
            record.end_candidate(record.cells.len());
        }
        let tags = (tags.len() == count as usize).then(|| record.list(tags));
        let Label { shown, propensity, cost, weight } = label;
        let offered = Offered::Placed { shown, count, tags };
        record.decision = Some(Decision { offered, propensity, cost, weight });
        *self.texts += texts(members);
        if let Some(time @ (Json::Text(_) | Json::Integer(_) | Json::Number(_))) =
            event.get(TIME_OF_DSJSON).filter(|_| self.has_time)
        {
            self.feature(TIME_OF_DSJSON, time, is_hidden, record)?;
        }
        for (name, value) in members.iter().filter(|(name, _)| !is_hidden(name)) {
            self.feature(name.trim(), value, is_hidden, record)?;
        }
        Ok(None)
    }

    /// What was shown and what came of it; `None` where the cost is NaN.
    fn label(
        &mut self,
        event: &Json<'_>,
        ranked: Option<&[Json<'_>]>,
        count: u32,
    ) -> Result<Option<Label>, FormatError> {
        let cost = match event.get("_label_cost") {
            None | Some(Json::Null) => None,
            Some(Json::Text(text)) if text.trim().eq_ignore_ascii_case("nan") => return Ok(None),
            Some(value) => Some(self.number(value, "_label_cost", "a finite number")?),
        };
        let shown = self.shown(event, ranked, count)?;
        let propensity = match event.get("_label_probability") {
            None | Some(Json::Null) => None,
            Some(value) => Some(self.number(value, "_label_probability", "a propensity in (0, 1]")?),
        };
        self.compare(event, ranked, shown, propensity);
        let weight = self.weight(event)?;
        // As in text, a probability of 0 says that there is no label.
        let is_labelled = shown.is_some() && propensity != Some(0.0);
        let (propensity, cost) = (propensity.filter(|p| *p != 0.0), cost.filter(|_| is_labelled));
        Ok(Some(Label { shown, propensity, cost, weight }))
    }

    /// The place of the shown action, from 0.
    fn shown(
        &mut self,
        event: &Json<'_>,
        ranked: Option<&[Json<'_>]>,
        count: u32,
    ) -> Result<Option<u32>, FormatError> {
        let whole = |value: Option<&Json<'_>>| match value {
            Some(Json::Integer(number)) => Some(*number),
            _ => None,
        };
        let index = whole(event.get("_labelIndex"));
        let action = whole(event.get("_label_Action"));
        let Some(own) = index.or(action.map(|action| action.saturating_sub(1))) else { return Ok(None) };
        let first = ranked.and_then(|ranked| whole(ranked.first()));
        let says_another = |number: Option<i64>| number.is_some_and(|number| number != own.saturating_add(1));
        *self.disagreeing += u64::from(says_another(action) || says_another(first));
        match u32::try_from(own).ok().filter(|shown| *shown < count) {
            Some(shown) => Ok(Some(shown)),
            None => Err(FormatError::BadCell {
                place: self.place.clone(),
                column: if index.is_some() { "_labelIndex" } else { "_label_Action" }.into(),
                value: index.or(action).unwrap_or_default().to_string(),
                expected: "the place of one of the actions",
            }),
        }
    }

    /// Counts a probability that is not that of the ranking.
    fn compare(
        &mut self,
        event: &Json<'_>,
        ranked: Option<&[Json<'_>]>,
        shown: Option<u32>,
        probability: Option<f64>,
    ) {
        let (Some(ranked), Some(shown), Some(own)) = (ranked, shown, probability) else { return };
        let Some(Json::List(probabilities)) = event.get("p") else { return };
        let at = ranked.iter().position(|action| *action == Json::Integer(i64::from(shown) + 1));
        let other = at.and_then(|at| probabilities.get(at)).and_then(Json::number);
        // Both were single precision before they were written.
        let differs = |other: f64| (other - own).abs() > 1e-5 * own.abs().max(other.abs());
        *self.other_probability += u64::from(other.is_some_and(differs));
    }

    fn weight(&self, event: &Json<'_>) -> Result<f64, FormatError> {
        let expected = "a share in [0, 1)";
        let pdrop = match event.get("pdrop") {
            None | Some(Json::Null) => return Ok(1.0),
            Some(value) => self.number(value, "pdrop", expected)?,
        };
        if (0.0..1.0).contains(&pdrop) {
            return Ok(1.0 / (1.0 - pdrop));
        }
        let (place, column, value) = (self.place.clone(), "pdrop".to_owned(), pdrop.to_string());
        Err(FormatError::BadCell { place, column, value, expected })
    }

    fn number(&self, value: &Json<'_>, column: &str, expected: &'static str) -> Result<f64, FormatError> {
        let number = match value {
            Json::Text(text) => text.trim().parse().ok(),
            value => value.number(),
        };
        let number = number.filter(|number| number.abs() <= rows::numeric::LARGEST);
        number.ok_or_else(|| FormatError::BadCell {
            place: self.place.clone(),
            column: column.to_owned(),
            value: shown_value(value),
            expected,
        })
    }

    /// Keeps the features of an action, or refuses them unless they are to be dropped.
    fn action(&mut self, action: &Json<'_>, record: &mut Record) -> Result<(), FormatError> {
        if self.of_actions == OfActions::Keep {
            let first = record.cells.len();
            if let Json::Object(members) = action {
                *self.texts += texts(members);
                for (name, value) in members.iter().filter(|(name, _)| !is_no_feature(name)) {
                    self.feature(name.trim(), value, is_no_feature, record)?;
                }
            }
            record.end_candidate(first);
            return Ok(());
        }
        let Some(feature) = own_feature(action) else { return Ok(()) };
        *self.dropped = true;
        match self.of_actions {
            OfActions::Drop | OfActions::Keep => Ok(()),
            OfActions::Refuse => Err(FormatError::ActionFeatures { place: self.place.clone(), feature }),
        }
    }

    /// A feature as cells: an object opens a namespace, a text is a label, a number a number, and `true` is
    /// 1.
    fn feature(
        &mut self,
        path: &str,
        value: &Json<'_>,
        is_left: fn(&str) -> bool,
        record: &mut Record,
    ) -> Result<(), FormatError> {
        let cell = match value {
            // Actions with features are read as tables are, where null is a missing value.
            Json::Null if self.of_actions == OfActions::Keep => Cell::Missing,
            Json::Null | Json::Bool(false) => return Ok(()),
            Json::Bool(true) => Cell::Number(1.0),
            Json::Integer(number) => Cell::Integer(*number),
            Json::Number(number) => Cell::Number(*number),
            Json::Text(text) => record.text_cell(text),
            Json::Object(members) => {
                *self.texts += texts(members);
                for (name, value) in members.iter().filter(|(name, _)| !is_left(name)) {
                    self.feature(&format!("{path}.{}", name.trim()), value, is_left, record)?;
                }
                return Ok(());
            }
            Json::List(items) => {
                for (place, item) in items.iter().enumerate() {
                    match item {
                        Json::Integer(_) | Json::Number(_) | Json::Null => {
                            self.feature(&format!("{path}[{place}]"), item, is_left, record)?;
                        }
                        item => self.feature(path, item, is_left, record)?,
                    }
                }
                return Ok(());
            }
        };
        let (place, limit) = (&self.place, self.limit);
        let too_many = || FormatError::TooMany { place: place.clone(), what: "features", limit };
        let column = self.names.place(path, limit).ok_or_else(too_many)?;
        record.cells.push((column, cell));
        Ok(())
    }
}

/// How many of these are called `_text`.
fn texts<N: AsRef<str>>(members: &[(N, Json<'_>)]) -> u64 {
    members.iter().filter(|(name, _)| name.as_ref().eq_ignore_ascii_case("_text")).count() as u64
}

/// Names that are no features.
fn is_hidden(name: &str) -> bool {
    name.starts_with('_')
}

/// Names that are no features of an action: such as begin with `_`, and what identifies it.
fn is_no_feature(name: &str) -> bool {
    is_hidden(name) || ["id", "constant"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// The name of the first feature of an action.
fn own_feature(value: &Json<'_>) -> Option<String> {
    match value {
        Json::Object(members) => {
            members.iter().filter(|(name, _)| !is_no_feature(name)).find_map(|(name, value)| match value {
                Json::Object(_) | Json::List(_) => own_feature(value).map(|inner| format!("{name}.{inner}")),
                Json::Null | Json::Bool(false) => None,
                value if value.number() == Some(0.0) => None,
                _ => Some((**name).to_owned()),
            })
        }
        Json::List(items) => items.iter().find_map(own_feature),
        _ => None,
    }
}

/// What an action is called: its `_tag`, or the first `id` in it.
fn tag(action: &Json<'_>) -> Option<String> {
    let text = |value: &Json<'_>| match value {
        Json::Text(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Json::Integer(number) => Some(number.to_string()),
        _ => None,
    };
    let id = || match action {
        Json::Object(members) => members.iter().find_map(|(_, value)| value.get("id").and_then(text)),
        _ => None,
    };
    action.get("_tag").and_then(text).or_else(|| action.get("id").and_then(text)).or_else(id)
}

fn shown_value(value: &Json<'_>) -> String {
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Integer(number) => number.to_string(),
        Json::Number(number) => number.to_string(),
        Json::Text(text) => text.chars().take(80).collect(),
        Json::List(_) => "a list".into(),
        Json::Object(_) => "an object".into(),
    }
}
