//! Models from files, and policies by their names.

use super::reading::options;
use crate::arguments::Columns;
use crate::failure::Failure;
use formats::LogOptions;
use ocoboost::Model;
use ocoboost::model_file::{Content, ModelFileError};
use std::io::ErrorKind;
use std::path::Path;

/// A model of any kind.
pub(super) fn content(path: &Path) -> Result<Content, Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::StandardModel);
    }
    Content::load(path).map_err(|source| Failure::Model { path: path.to_owned(), source })
}

/// Refuses a content that is no policy, where nothing else will do.
pub(super) fn no_policy(path: &Path, content: &Content) -> Failure {
    let source = ModelFileError::OtherContent { expected: "a policy", found: content.kind() };
    Failure::Model { path: path.to_owned(), source }
}

/// Refuses a place where no file can be written: before the work, and not after it.
pub(super) fn check_output(path: &Path) -> Result<(), std::io::Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !std::fs::metadata(folder)?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    atomic_files::check(path)
}

/// Refuses a model to the standard output, which is for text.
pub(super) fn check_model_output(path: &Path) -> Result<(), Failure> {
    if path.as_os_str() == "-" {
        return Err(Failure::Flag { name: "output", why: "a model goes to a file, and - is for text" });
    }
    check_output(path).map_err(|source| Failure::WriteFile { path: path.to_owned(), source })
}

/// Refuses an output that is an input or another output: it would take the place of the other file.
pub(super) fn check_apart<'a>(
    outputs: impl IntoIterator<Item = &'a Path>,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let real = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().ok().or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?)))
    };
    let is_file = |path: &&Path| path.as_os_str() != "-";
    let mut taken: Vec<_> = inputs.into_iter().filter(is_file).map(real).collect();
    for path in outputs.into_iter().filter(is_file) {
        let own = real(path);
        if own.is_some() && taken.contains(&own) {
            return Err(Failure::SameFile { path: path.to_owned() });
        }
        taken.push(own);
    }
    Ok(())
}

/// A policy by its argument: a model, or one of two words; or a model that is no policy.
pub(super) enum Named {
    Uniform,
    Logged,
    Model(Box<Model>),
    Other(Content),
}

impl Named {
    pub(super) fn of(argument: &Path) -> Result<Self, Failure> {
        Ok(match argument.to_str() {
            Some("uniform") => Self::Uniform,
            Some("logged") => Self::Logged,
            _ => match content(argument)? {
                Content::Policy(model) => Self::Model(model),
                other => Self::Other(other),
            },
        })
    }

    pub(super) fn model(&self) -> Option<&Model> {
        match self {
            Self::Model(model) => Some(model),
            _ => None,
        }
    }
}

/// The options that a model was trained with, but for what is asked for.
pub(super) fn options_of(model: Option<&Model>, columns: &Columns) -> Result<LogOptions, Failure> {
    let kept: Option<LogOptions> =
        model.and_then(|model| serde_json::from_value(model.format().clone()).ok());
    options(kept.map(LogOptions::may_lack_columns).unwrap_or_default(), columns)
}
