//! `export`.

use super::models::{check_apart, content, no_policy};
use super::output::write_to;
use crate::arguments::{Export, ExportForm, Manners};
use crate::failure::Failure;
use ocoboost::model_file::{
    Content, export_candidates_json, export_candidates_xgboost_json, export_json, export_xgboost_json,
};

pub(super) fn export(asked: &Export, manners: &Manners) -> Result<u8, Failure> {
    manners.no_form("--as names the form of an exported model")?;
    check_apart([&*asked.output], [&*asked.model])?;
    let refused = |source| Failure::NoXgboost { path: asked.model.clone(), source };
    let value = match (content(&asked.model)?, asked.form) {
        (Content::Policy(model), ExportForm::Json) => export_json(&model),
        (Content::Policy(model), ExportForm::Xgboost) => export_xgboost_json(&model).map_err(refused)?,
        (Content::Candidates(model), ExportForm::Json) => export_candidates_json(&model),
        (Content::Candidates(model), ExportForm::Xgboost) => {
            export_candidates_xgboost_json(&model).map_err(refused)?
        }
        (other, _) => return Err(no_policy(&asked.model, &other)),
    };
    let text = serde_json::to_string(&value)?;
    write_to(Some(&asked.output), |out| Ok(writeln!(out, "{text}")?))?;
    Ok(0)
}
