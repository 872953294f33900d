//! The columns of a file, and where their cells go.

use crate::FormatError;
use crate::columns::{BySchema, Cells, Inferred, Target};
use crate::error::listed;
use crate::facts::ReadFacts;
use crate::pass::Files;
use crate::readers::ColumnNames;
use crate::record::{Cell, Record};
use crate::roles::{Role, Roles};
use off_policy::{ContextColumn, Schema};
use ranks::Ranks;

/// The contexts of the rows read so far.
enum Contexts {
    Inferred(Inferred),
    Coded(BySchema),
}

/// Where the cells of a column go.
#[derive(Debug, Clone, Copy)]
enum Goes {
    To(Role),
    /// To a column of inferred contexts.
    Inferred(usize),
    /// To one of a schema.
    Coded(Target),
}

/// The columns of a file as they are found, and where their cells go.
pub(crate) struct Layout {
    pub(crate) roles: Roles,
    contexts: Contexts,
    goes: Vec<Goes>,
    extra: Vec<String>,
}

impl Layout {
    pub(crate) fn new(files: &Files<'_>, roles: Roles, schema: Option<&Schema>, most_labels: usize) -> Self {
        let (file, absent) = (files.name(), files.absent());
        let contexts = match schema {
            None => Contexts::Inferred(Inferred::new(file.clone(), absent, &roles.labels, most_labels)),
            Some(schema) => Contexts::Coded(BySchema::new(file.clone(), absent, schema)),
        };
        Self { roles, contexts, goes: Vec::new(), extra: Vec::new() }
    }

    /// Finds out about the columns that are new.
    pub(crate) fn extend(&mut self, names: &ColumnNames) {
        for place in self.goes.len()..names.len() {
            let name = names.name(u32::try_from(place).unwrap_or(u32::MAX));
            let goes = match (self.roles.role(name), &mut self.contexts) {
                (Role::Context, Contexts::Inferred(contexts)) => Goes::Inferred(contexts.column(name)),
                (Role::Context, Contexts::Coded(contexts)) => {
                    let target = contexts.target(name);
                    if target == Target::Extra {
                        self.extra.push(name.to_owned());
                    }
                    Goes::Coded(target)
                }
                (role, _) => Goes::To(role),
            };
            self.goes.push(goes);
        }
    }

    /// The cell of a role.
    pub(crate) fn cell(&self, record: &Record, role: Role) -> Option<Cell> {
        let is_of =
            |column: &u32| matches!(self.goes.get(*column as usize), Some(Goes::To(own)) if *own == role);
        record.cells.iter().find(|(column, _)| is_of(column)).map(|(_, cell)| *cell)
    }

    /// The contexts of another row.
    pub(crate) fn push(&mut self, record: &Record, names: &ColumnNames) -> Result<(), FormatError> {
        let goes = &self.goes;
        match &mut self.contexts {
            Contexts::Inferred(contexts) => {
                let own = record.cells.iter().filter_map(|(column, cell)| match goes.get(*column as usize) {
                    Some(Goes::Inferred(number)) => Some((*number, *cell)),
                    _ => None,
                });
                contexts.push(record, own)
            }
            Contexts::Coded(contexts) => {
                let own = record.cells.iter().filter_map(|(column, cell)| match goes.get(*column as usize) {
                    Some(Goes::Coded(target)) => Some((*target, *column, *cell)),
                    _ => None,
                });
                contexts.push(record, own, names)
            }
        }
    }

    /// The contexts, with their columns where those were not known before. `names` are those of all ranks.
    pub(crate) fn finish(
        self,
        names: &ColumnNames,
        ranks: &Ranks,
        facts: &mut ReadFacts,
    ) -> Result<(Cells, Option<Vec<ContextColumn>>), FormatError> {
        if !self.extra.is_empty() {
            let extra = listed(&self.extra);
            facts.notes.push(format!("columns that the model does not know left out: {extra}"));
        }
        match self.contexts {
            Contexts::Inferred(mut contexts) => {
                if ranks.are_several() {
                    let all = (0_u32..).map(|place| names.name(place)).take(names.len());
                    let own: Vec<&str> = all.filter(|name| self.roles.role(name) == Role::Context).collect();
                    contexts.arrange(&own);
                }
                let (cells, columns) = contexts.finish(ranks, facts)?;
                Ok((cells, Some(columns)))
            }
            Contexts::Coded(contexts) => Ok((contexts.finish(names, facts)?, None)),
        }
    }

    /// Refuses a header without a column that is needed.
    pub(crate) fn check_header(&self, files: &Files<'_>) -> Result<(), FormatError> {
        if files.has_header() {
            self.roles.check_needed(files.columns())?;
            // A column to leave out may be one of a later file.
            if files.is_only() {
                self.roles.check_ignored(files.columns())?;
            }
            if let Contexts::Coded(contexts) = &self.contexts {
                contexts.check_header(files.columns())?;
            }
        }
        Ok(())
    }
}
