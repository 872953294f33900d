//! Vowpal Wabbit's text: `cb`, a line a decision, and `cb_adf`, a line an action; and labelled examples.

mod escapes;
mod line;

pub(crate) use escapes::escaped;

use super::{Absent, ColumnNames, Labels, OfActions, Records};
use crate::FormatError;
use crate::error::Place;
use crate::facts::Progress;
use crate::record::{Cell, Decision, Offered, Record};
use crate::source::{Lines, Stream};
use line::{Label, LabelledLine, Line, features};

/// The decisions of a file.
pub(super) struct VwText {
    lines: Lines,
    names: ColumnNames,
    raw: Vec<u8>,
    row: u64,
    layout: Layout,
    of_actions: OfActions,
    labels: Labels,
    dropped: bool,
}

/// What a line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// A decision.
    Line,
    /// A decision that begins with an action to evaluate.
    LineOfEval,
    /// An action, or what the actions of an event share.
    Event,
    /// A labelled example.
    Example,
}

/// The most actions of an event whose features are read.
const MOST_CANDIDATES: u32 = 1 << 20;

/// The column of the labels of examples, which no column of a file is called.
pub(crate) const LABEL_OF_VW: &str = "\0label";

impl VwText {
    pub(super) fn new(stream: Stream, is_eval: bool, (of_actions, labels): (OfActions, Labels)) -> Self {
        let layout = match is_eval {
            true => Layout::LineOfEval,
            false if of_actions == OfActions::Keep => Layout::Event,
            false if has_events(&String::from_utf8_lossy(stream.beginning())) => Layout::Event,
            false => Layout::Line,
        };
        Self {
            lines: Lines::new(stream),
            names: ColumnNames::default(),
            raw: Vec::new(),
            row: 0,
            layout,
            of_actions,
            labels,
            dropped: false,
        }
    }

    /// A labelled example a line.
    pub(super) fn of_examples(stream: Stream) -> Self {
        Self {
            lines: Lines::new(stream),
            names: ColumnNames::default(),
            raw: Vec::new(),
            row: 0,
            layout: Layout::Example,
            of_actions: OfActions::Drop,
            labels: Labels::Read,
            dropped: false,
        }
    }

    /// The next line, or `None` behind the last one; blank lines are handed out.
    fn read(&mut self) -> Result<Option<u64>, FormatError> {
        self.raw.clear();
        Ok(self.lines.read(&mut self.raw)?.map(|_| self.lines.line()))
    }

    /// The next line that is not blank; false behind the last one.
    fn next_line(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        loop {
            let Some(line) = self.read()? else { return Ok(false) };
            if !self.raw.iter().all(u8::is_ascii_whitespace) {
                self.row += 1;
                (record.row, record.line) = (self.row, Some(line));
                return Ok(true);
            }
        }
    }

    fn example(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        if !self.next_line(record)? {
            return Ok(false);
        }
        let place = self.lines.place(Some(self.row), self.lines.line());
        let LabelledLine { label, features: own } = LabelledLine::parse(&self.raw, &place)?;
        let limit = self.lines.stream().limits().columns;
        if let Some(label) = label {
            let too_many = || FormatError::TooMany { place: place.clone(), what: "features", limit };
            let column = self.names.place(LABEL_OF_VW, limit).ok_or_else(too_many)?;
            // 1, +1 and 1.0 are one label.
            let cell = record.text_cell(&(label + 0.0).to_string());
            record.cells.push((column, cell));
        }
        features(own, &place, record, &mut self.names, limit)?;
        Ok(true)
    }

    fn line(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        if !self.next_line(record)? {
            return Ok(false);
        }
        let place = self.lines.place(Some(self.row), self.lines.line());
        let Line { labels, features: of_context, .. } = Line::parse(&self.raw, self.labels, &place)?;
        let mut labels = labels.as_slice();
        if self.layout == Layout::LineOfEval
            && let [first, rest @ ..] = labels
            && first.is_bare
        {
            labels = rest;
        }
        let mut shown = None;
        let mut list = Vec::new();
        for Label { action, outcome, .. } in labels {
            let span = record.keep(action);
            list.push(Cell::Text(span));
            if let Some(outcome) = outcome
                && shown.replace((span, *outcome)).is_some()
            {
                let (value, expected) = ((*action).to_owned(), "the only labelled action of its line");
                return Err(FormatError::BadSyntax { place, value, expected });
            }
        }
        let is_list = list.len() > 1;
        let list = is_list.then(|| record.list(list));
        let (shown, outcome) = shown.unzip();
        record.decision = Some(decision(Offered::Named { shown, list }, outcome));
        let limit = self.lines.stream().limits().columns;
        features(of_context, &place, record, &mut self.names, limit)?;
        Ok(true)
    }

    fn event(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        let (mut count, mut shown, mut outcome, mut tags) = (0_u32, None, None, Vec::new());
        let mut begins = None;
        loop {
            let line = self.read()?;
            if line.is_none() || self.raw.iter().all(u8::is_ascii_whitespace) {
                match (begins, line) {
                    (None, None) => return Ok(false),
                    (None, Some(_)) => continue,
                    (Some(_), _) => break,
                }
            }
            if begins.is_none() {
                begins = line;
                self.row += 1;
                (record.row, record.line) = (self.row, line);
            }
            let place = self.lines.place(Some(self.row), self.lines.line());
            let Line { is_shared, labels, tag, features: own } = Line::parse(&self.raw, self.labels, &place)?;
            if is_shared {
                if count > 0 {
                    let expected = "the first line of an event: there is no blank line before it";
                    return Err(FormatError::BadSyntax { place, value: "shared".into(), expected });
                }
                let limit = self.lines.stream().limits().columns;
                features(own, &place, record, &mut self.names, limit)?;
                continue;
            }
            if self.labels == Labels::Read
                && let [_, second, ..] = &labels[..]
            {
                let (value, expected) = (second.action.to_owned(), "the only label of the line of an action");
                return Err(FormatError::BadSyntax { place, value, expected });
            }
            if let [label, ..] = &labels[..]
                && let Some(found) = label.outcome
            {
                if shown.replace(count).is_some() {
                    let (value, expected) =
                        (label.action.to_owned(), "in the only labelled line of its event");
                    return Err(FormatError::BadSyntax { place, value, expected });
                }
                outcome = Some(found);
            }
            if self.of_actions == OfActions::Keep {
                if count >= MOST_CANDIDATES {
                    let (what, limit) = ("actions in an event", u64::from(MOST_CANDIDATES));
                    return Err(FormatError::TooMany { place, what, limit });
                }
                let limit = self.lines.stream().limits().columns;
                let first = record.cells.len();
                features(own, &place, record, &mut self.names, limit)?;
                record.end_candidate(first);
            } else if let Some(feature) = own.split(['|', ' ', '\t']).find(|part| !part.is_empty()) {
                if self.of_actions == OfActions::Refuse {
                    return Err(FormatError::ActionFeatures { place, feature: feature.to_owned() });
                }
                self.dropped = true;
            }
            if let Some(tag) = tag {
                tags.push(Cell::Text(record.keep(tag)));
            }
            count = count.saturating_add(1);
        }
        if count == 0 {
            let place = self.lines.place(Some(self.row), begins.unwrap_or_default());
            let (value, expected) = ("shared".to_owned(), "followed by the line of an action");
            return Err(FormatError::BadSyntax { place, value, expected });
        }
        let tags = (tags.len() == count as usize).then(|| record.list(tags));
        record.decision = Some(decision(Offered::Placed { shown, count, tags }, outcome));
        Ok(true)
    }
}

fn decision(offered: Offered, outcome: Option<line::Outcome>) -> Decision {
    // A probability of 0 says that there is no label.
    let outcome = outcome.filter(|outcome| outcome.probability != Some(0.0));
    Decision {
        offered,
        propensity: outcome.and_then(|outcome| outcome.probability),
        cost: outcome.map(|outcome| outcome.cost),
        weight: 1.0,
    }
}

impl Records for VwText {
    fn advance(&mut self, record: &mut Record) -> Result<bool, FormatError> {
        record.clear();
        match self.layout {
            Layout::Event => self.event(record),
            Layout::Example => self.example(record),
            Layout::Line | Layout::LineOfEval => self.line(record),
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

    fn notes(&self) -> Vec<String> {
        let dropped = self.dropped.then(|| "the features of the actions are left out".to_owned());
        let of_eval = (self.layout == Layout::LineOfEval)
            .then(|| "the action to evaluate, at the beginning of a line, is left out".to_owned());
        dropped.into_iter().chain(of_eval).collect()
    }
}

/// Whether blank lines separate events: a line says `shared`, or several lines stand together, at most one
/// of them labelled, and others behind a blank line.
fn has_events(beginning: &str) -> bool {
    let is_shared = |line: &str| {
        line.trim_start().strip_prefix("shared").is_some_and(|rest| rest.starts_with([' ', '|', '\t']))
    };
    if beginning.lines().any(is_shared) {
        return true;
    }
    let (mut groups, mut lines, mut most, mut labelled, mut is_single) = (0, 0, 0, 0, true);
    for line in beginning.lines().chain([""]) {
        if line.trim().is_empty() {
            groups += usize::from(lines > 0);
            most = most.max(lines);
            is_single &= labelled <= 1;
            (lines, labelled) = (0, 0);
        } else {
            lines += 1;
            labelled += usize::from(line.split('|').next().is_some_and(|label| label.contains(':')));
        }
    }
    groups > 1 && most > 1 && is_single
}

/// A place in a file, for the parts of a line.
type At<'a> = &'a Place;
