//! Vowpal Wabbit's `cb`: `action:cost:probability | features`, the cost −reward.

use super::numbers::written;
use super::row::{Rows, Value};
use crate::FormatError;
use crate::error::quoted;
use crate::readers::escaped;
use off_policy::ContextColumn;
use std::io::{self, Write};

/// What the file does not hold.
pub(super) fn write(rows: &Rows<'_>, writer: &mut dyn Write) -> Result<Vec<String>, FormatError> {
    let io = |error: io::Error| FormatError::io(rows.file(), &error);
    if rows.log.propensities.is_none() {
        return Err(FormatError::NoPropensities);
    }
    let mut notes = vec!["Vowpal Wabbit learns costs: the cost is −reward".to_owned()];
    let names: Vec<String> = rows.columns().iter().map(|column| escaped(column.name(), true)).collect();
    let actions = action_numbers(rows, &mut notes);
    if rows.log.time.is_some() {
        notes.push("the time of the rows is left out".into());
    }
    let number_of = |action: usize| actions.get(action).map_or("", String::as_str);
    let (mut line, mut alone) = (String::new(), 0);
    for row in 0..rows.len() {
        line.clear();
        let action = rows.log.actions.get(row).map_or(0, |action| *action as usize);
        if let Some(offered) = rows.available(row) {
            let offered: Vec<usize> = offered.collect();
            alone += usize::from(offered.len() == 1);
            if offered.len() < actions.len() {
                for other in offered.into_iter().filter(|other| *other != action) {
                    line.push_str(number_of(other));
                    line.push(' ');
                }
            }
        }
        // 0 − r and not −r, so that a reward of 0 is a cost of 0.
        let (cost, probability) = (0.0 - rows.reward(row), rows.propensity(row).unwrap_or_default());
        line.push_str(&format!("{}:{}:{} |", number_of(action), written(cost), written(probability)));
        let mut entries = rows.entries(row);
        if row == 0 {
            // The first line names every column, so that none is lost and their order is kept.
            let mut all = Vec::new();
            rows.fill(row, &mut all);
            let is_known = |number: usize, value: &Value<'_>| {
                *value != Value::Missing || entries.iter().any(|(own, _)| *own == number)
            };
            let all = all.into_iter().enumerate().filter(|(number, value)| is_known(*number, value));
            entries = all.collect();
        }
        for (number, value) in entries {
            let name = names.get(number).map_or("", String::as_str);
            line.push(' ');
            line.push_str(name);
            match value {
                Value::Missing => line.push('='),
                // A number of dates is 0 only on 1970-01-01.
                Value::Date(days) => {
                    line.push('=');
                    line.push_str(&escaped(&rows.date(row, number, days)?, false));
                }
                Value::Label(label) => {
                    line.push('=');
                    line.push_str(&escaped(label, false));
                }
                Value::Number(1.0) => {}
                Value::Number(number) => {
                    line.push(':');
                    line.push_str(&written(number));
                }
            }
        }
        line.push('\n');
        writer.write_all(line.as_bytes()).map_err(io)?;
    }
    if alone > 0 {
        notes.push(format!(
            "in {alone} rows one action alone was on offer, which a line of one label does not say: it stands for \
             every action"
        ));
    }
    if rows.columns().iter().any(|column| !matches!(column, ContextColumn::Number { .. })) {
        notes.push("labels and dates are features key=value, and a missing value is key=".into());
    }
    Ok(notes)
}

/// How the actions are numbered: by their names where those are positive whole numbers, and from 1 otherwise.
fn action_numbers(rows: &Rows<'_>, notes: &mut Vec<String>) -> Vec<String> {
    let names = rows.action_names();
    let is_number = |name: &String| name.parse::<u32>().is_ok_and(|own| own > 0 && own.to_string() == *name);
    if names.iter().all(is_number) {
        return names.to_vec();
    }
    const SHOWN: usize = 50;
    let pairs =
        names.iter().enumerate().take(SHOWN).map(|(k, name)| format!("{} is {}", k + 1, quoted(name)));
    let more = if names.len() > SHOWN { ", …" } else { "" };
    notes.push(format!("the actions are numbered: {}{more}", pairs.collect::<Vec<_>>().join(", ")));
    (1..=names.len()).map(|number| number.to_string()).collect()
}
