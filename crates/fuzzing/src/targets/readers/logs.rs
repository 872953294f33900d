//! Logs of bandit feedback.

use super::{law, refused};
use crate::target::{Format, Target};
use crate::verdict::{AnyError, Complaint, Verdict};
use off_policy::Log;
use off_policy::readers::{
    ActionCoding, Affinities, CategoryColumn, CategoryLabels, ContextColumns, CsvColumns, OnOffer, Outcome,
    read_contexts, read_csv, read_item_context, read_open_bandit,
};

const PLAIN: &str = "age,height,a,p,r\n41,1.5,0,0.5,1\n7,-2e3,1,0.25,0\n8,0,1,1,0.5\n";
const LABELS: &str = "age,shown,p,cost,device\n41,news,0.5,1,phone\n7,\"sport, live\",0.25,0,\"tab \"\"let\"\"\"\n30,news,1,0,phone\n";
const OFFERS: &str =
    "x,shown,offered,p,r,note\n1,a,a|b,0.5,1,\"two\nlines\"\n2,b,a|b|c,0.25,0,n\n3,c,c,1,1,\"\"\n";

fn columns(contexts: ContextColumns, action: &str, coding: ActionCoding, outcome: Outcome) -> CsvColumns {
    let (action, propensity) = (action.to_owned(), "p".to_owned());
    CsvColumns { contexts, categories: vec![], action, coding, on_offer: None, propensity, outcome }
}

fn plain() -> CsvColumns {
    columns(ContextColumns::Remaining, "a", ActionCoding::Index(2), Outcome::Reward("r".into()))
}

fn of_labels() -> CsvColumns {
    let categories = vec![CategoryColumn { column: "device".into(), labels: CategoryLabels::Appearance }];
    let outcome = Outcome::Cost("cost".into());
    CsvColumns {
        categories,
        ..columns(ContextColumns::Remaining, "shown", ActionCoding::Appearance, outcome)
    }
}

fn of_known_labels() -> CsvColumns {
    let labels = CategoryLabels::Known(vec!["phone".into(), "watch".into()]);
    let categories = vec![CategoryColumn { column: "device".into(), labels }];
    let contexts = ContextColumns::Named(vec!["device".into(), "age".into()]);
    let coding = ActionCoding::Labels(vec!["news".into(), "sport, live".into(), "more".into()]);
    CsvColumns { categories, ..columns(contexts, "shown", coding, Outcome::Cost("cost".into())) }
}

fn of_offers() -> CsvColumns {
    let on_offer = Some(OnOffer { column: "offered".into(), separator: '|' });
    let contexts = ContextColumns::Named(vec!["x".into()]);
    let outcome = Outcome::Reward("r".into());
    CsvColumns { on_offer, ..columns(contexts, "shown", ActionCoding::Appearance, outcome) }
}

/// The laws of every log, for all readers.
fn check(log: &Log) -> Result<(), Complaint> {
    let n = log.len();
    let counts =
        [log.contexts().len(), log.logged_actions().len(), log.propensities().len(), log.rewards().len()];
    law("a log has as many of everything", counts == [n; 4], format!("{n}: {counts:?}"))?;
    for row in log.iter() {
        law("propensities are in (0, 1]", row.propensity > 0.0 && row.propensity <= 1.0, row.propensity)?;
        law("rewards are finite", row.reward.is_finite(), row.reward)?;
        law("contexts are finite", row.context.values().iter().all(|x| x.is_finite()), "")?;
    }
    law(
        "actions are below their number",
        log.logged_actions().iter().all(|&a| (a as usize) < log.actions()),
        "",
    )
}

/// A lower bound on the number of records: a reader with fewer has lost a line. A byte order mark does not
/// belong to the first line, which may otherwise be empty.
fn least_records(text: &str) -> usize {
    let text = text.trim_start_matches('\u{feff}');
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).skip(1);
    if text.contains('"') { usize::from(lines.next().is_some()) } else { lines.count() }
}

fn csv(name: &str, text: &'static str, columns: fn() -> CsvColumns) -> Target {
    let seeds = move || -> Result<Vec<Vec<u8>>, AnyError> {
        let mut all = vec![text.into(), text.replace('\n', "\r\n").into()];
        // White space before a quotation mark would make it an ordinary character.
        if !text.contains('"') {
            all.push(text.replace(',', " , ").into());
        }
        Ok(all)
    };
    Target::reader(name, Format::Text, seeds, move |input| {
        let read = match read_csv(input, &columns()) {
            Ok(read) => read,
            Err(error) => return refused(&error),
        };
        let found = check(&read.log).and_then(|()| {
            let names = read.contexts.len();
            law("every column has a name", names == read.log.inputs(), names)?;
            let quoted = input.contains(&b'"') || input.contains(&b'\r');
            if let Ok(text) = std::str::from_utf8(input)
                && !quoted
            {
                law("no line is lost", read.log.len() == least_records(text), read.log.len())?;
            }
            let open = input.iter().filter(|&&byte| byte == b'"').count() % 2 == 1;
            let cells_begin = input.windows(2).any(|pair| pair == b",\"");
            law(
                "a quotation mark that opens a cell is closed",
                !(open && cells_begin && !stray(input)),
                read.log.len(),
            )?;
            match read_contexts(input, &read.columns) {
                Ok(rows) => {
                    law("contexts alone are those of the log", &rows.contexts == read.log.contexts(), "")?;
                }
                Err(error) => law("contexts alone are read", false, error)?,
            }
            match read_csv(input, &read.columns) {
                Ok(again) => law("a file is coded alike by its own columns", again.log == read.log, ""),
                Err(error) => law("a file is read by its own columns", false, error),
            }
        });
        found.map_or_else(Verdict::Faulty, |()| Verdict::Accepted)
    })
}

/// Whether a quotation mark is inside a cell, as an ordinary character.
fn stray(input: &[u8]) -> bool {
    let ends = |byte: u8| matches!(byte, b',' | b'\n' | b'\r' | b' ' | b'"');
    (0..input.len()).any(|k| {
        let before = k == 0 || ends(input[k - 1]);
        let after = input.get(k + 1).is_none_or(|&byte| ends(byte));
        input[k] == b'"' && !before && !after
    })
}

const OPEN_BANDIT: &str = ",timestamp,item_id,position,click,propensity_score,user_feature_0,user_feature_1,\
    user_feature_2,user_feature_3,user-item_affinity_0,user-item_affinity_1\n\
    0,noon,1,3,1,0.75,a,b,c,d,0.0,2.0\n1,noon,0,1,0,0.25,a,e,c,d,1.0,0.0\n2,one,0,2,0,0.5,f,e,c,d,0.0,0.0\n";
const ITEMS: &str =
    ",item_id,item_feature_0,item_feature_1,item_feature_2,item_feature_3\n0,0,-0.5,a,b,c\n1,1,2.0,d,b,c\n";

pub(super) fn all() -> Vec<Target> {
    vec![
        csv("off_policy::readers::read_csv, numbers", PLAIN, plain),
        csv("off_policy::readers::read_csv, labels", LABELS, of_labels),
        csv("off_policy::readers::read_csv, known labels", LABELS, of_known_labels),
        csv("off_policy::readers::read_csv, offers", OFFERS, of_offers),
        Target::reader(
            "off_policy::readers::read_open_bandit",
            Format::Text,
            || Ok(vec![OPEN_BANDIT.into(), OPEN_BANDIT.replace('\n', "\r\n").into()]),
            |input| {
                let read = |affinities| read_open_bandit([input, OPEN_BANDIT.as_bytes()], affinities);
                match (read(Affinities::Left), read(Affinities::Kept)) {
                    (Ok(left), Ok(kept)) => {
                        let mut logs = left.logs.iter().chain(&kept.logs);
                        let found = logs.try_for_each(|log| check(&log.log));
                        found.map_or_else(Verdict::Faulty, |()| Verdict::Accepted)
                    }
                    (Err(error), _) | (_, Err(error)) => refused(&error),
                }
            },
        ),
        Target::reader(
            "off_policy::readers::read_item_context",
            Format::Text,
            || Ok(vec![ITEMS.into()]),
            |input| match read_item_context(input) {
                Ok(items) => {
                    let same = items.number.len() == items.categories.len();
                    let finite = items.number.iter().all(|x| x.is_finite());
                    let found = law("an item has all its features", same && finite, items.number.len());
                    found.map_or_else(Verdict::Faulty, |()| Verdict::Accepted)
                }
                Err(error) => refused(&error),
            },
        ),
    ]
}
