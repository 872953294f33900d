//! An object of JSON a line.

use super::numbers::written;
use super::row::{Rows, Value};
use crate::FormatError;
use std::io::{self, Write};

pub(super) fn write(rows: &Rows<'_>, writer: &mut dyn Write) -> Result<(), FormatError> {
    let io = |error: io::Error| FormatError::io(rows.file(), &error);
    let (mut values, mut line) = (Vec::new(), String::new());
    let names: Vec<String> = rows.columns().iter().map(|column| quoted(column.name())).collect();
    let own = &rows.names;
    let [action, available, propensity, reward, time] =
        [&own.action, &own.available, &own.propensity, &own.reward, &own.time].map(|name| quoted(name));
    for row in 0..rows.len() {
        line.clear();
        rows.fill(row, &mut values);
        for (column, (name, value)) in names.iter().zip(&values).enumerate() {
            let value = match value {
                Value::Missing => "null".to_owned(),
                Value::Number(number) => written(*number),
                Value::Date(days) => quoted(&rows.date(row, column, *days)?),
                Value::Label(label) => quoted(label),
            };
            member(&mut line, name, &value);
        }
        member(&mut line, &action, &quoted(rows.action(row)));
        if let Some(names) = rows.available_names(row) {
            let names: Vec<String> = names.map(quoted).collect();
            member(&mut line, &available, &format!("[{}]", names.join(",")));
        }
        if let Some(p) = rows.propensity(row) {
            member(&mut line, &propensity, &written(p));
        }
        member(&mut line, &reward, &written(rows.reward(row)));
        if let Some(own) = rows.time(row) {
            member(&mut line, &time, &written(own));
        }
        line.push_str("}\n");
        writer.write_all(line.as_bytes()).map_err(io)?;
    }
    Ok(())
}

fn member(line: &mut String, name: &str, value: &str) {
    line.push(if line.is_empty() { '{' } else { ',' });
    line.push_str(name);
    line.push(':');
    line.push_str(value);
}

fn quoted(text: &str) -> String {
    serde_json::Value::String(text.to_owned()).to_string()
}
