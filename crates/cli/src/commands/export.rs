//! `export`.

use super::models::{check_apart, load};
use super::output::write_to;
use crate::arguments::{Export, ExportForm, Manners};
use crate::failure::Failure;
use ocoboost::model_file::{export_json, export_xgboost_json};

pub(super) fn export(asked: &Export, manners: &Manners) -> Result<u8, Failure> {
    manners.no_form("--as names the form of an exported model")?;
    check_apart([&*asked.output], [&*asked.model])?;
    let model = load(&asked.model)?;
    let value = match asked.form {
        ExportForm::Json => export_json(&model),
        ExportForm::Xgboost => export_xgboost_json(&model)
            .map_err(|source| Failure::NoXgboost { path: asked.model.clone(), source })?,
    };
    let text = serde_json::to_string(&value)?;
    write_to(Some(&asked.output), |out| Ok(writeln!(out, "{text}")?))?;
    Ok(0)
}
