//! The ARFF format: attributes with their types, then rows, dense or sparse.

mod line;

use crate::dataset::SourceFile;
pub use crate::error::ArffProblem;
use rows::numeric::LARGEST;

use crate::error::DataError;
use crate::files::source::{Source, read_failure};
use line::{Fault, Line, cells, unexpected};
use rows::RowMatrix;
use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// An ARFF file in memory.
///
/// *Shapes:* `rows` has a column for every attribute; its storage is that of the file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Arff {
    /// What the file calls its relation.
    pub relation: String,
    /// The attributes, in the order of the columns.
    pub attributes: Vec<Attribute>,
    /// The rows.
    pub rows: RowMatrix,
    /// The file.
    pub file: SourceFile,
}

/// One attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attribute {
    /// Its name, without quotation marks.
    pub name: String,
    /// What its cells hold.
    pub kind: AttributeKind,
    /// The line that declares it, from 1.
    pub line: u64,
}

/// What the cells of an attribute hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttributeKind {
    /// `numeric`, `real` or `integer`: any finite number.
    Number,
    /// `{0,1}`: one of the two.
    Binary,
}

/// Reads an ARFF file, plain or compressed, whose attributes are numbers or `{0,1}`.
///
/// Words in capitals or small letters, comments behind `%`, empty lines, and names in quotation marks are
/// read as the format has them. The reader is strict in all else: a file has dense rows or sparse ones,
/// indices of a sparse row rise, and no cell is missing, quoted or weighted. A sparse row stores no zero,
/// even where the file does.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("two.arff");
/// let header = "@relation two\n@attribute 'a b' real % comment\n@attribute c {0,1}\n@data\n";
/// std::fs::write(&path, header.to_owned() + "0.5,1\n2,0\n")?;
/// let two = datasets::arff::read(&path)?;
/// assert_eq!((two.attributes[0].name.as_str(), two.rows.len()), ("a b", 2));
/// assert_eq!(two.rows.row(0).map(|row| row.to_dense()), Some(vec![0.5, 1.0]));
///
/// std::fs::write(&path, "@relation two\n@attribute c {0,1}\n@data\n{0 1}\n{1 1}\n")?;
/// let refused = datasets::arff::read(&path).unwrap_err().to_string();
/// assert!(refused.ends_with("two.arff:5:2: index 1 is not below the number of attributes, 1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`DataError::Arff`] with line and column; [`DataError::Io`], [`DataError::Truncated`],
/// [`DataError::TooLarge`].
pub fn read(path: &Path) -> Result<Arff, DataError> {
    let mut reader = BufReader::with_capacity(1 << 16, Source::open(path)?);
    let (mut buffer, mut line) = (Vec::new(), 0);
    let mut content = Content::default();
    loop {
        buffer.clear();
        if reader.read_until(b'\n', &mut buffer).map_err(|e| read_failure(path, line, e))? == 0 {
            break;
        }
        line += 1;
        let text = std::str::from_utf8(&buffer);
        let text = text.map_err(|e| Fault::new(e.valid_up_to(), ArffProblem::NotText));
        let taken = text.and_then(one_line).and_then(|text| content.take(Line::new(text), line));
        taken.map_err(|fault| in_file(path, line, fault))?;
    }
    let Content { relation, attributes, form, offsets, indices, values, .. } = content;
    let rows = match form {
        None => {
            let problem = ArffProblem::NoData { attributes: attributes.len() };
            return Err(in_file(path, line, Fault::new(0, problem)));
        }
        Some(Form::Dense) => RowMatrix::dense(attributes.len(), values)?,
        Some(Form::Sparse) => RowMatrix::sparse(attributes.len(), offsets, indices, values)?,
    };
    let file = reader.into_inner().finish()?;
    Ok(Arff { relation: relation.unwrap_or_default(), attributes, rows, file })
}

/// The line, if it ends with \n or \r\n and holds no other end.
fn one_line(text: &str) -> Result<&str, Fault> {
    let content = text.strip_suffix('\n').unwrap_or(text);
    let content = content.strip_suffix('\r').unwrap_or(content);
    match content.find('\r') {
        Some(at) => Err(Fault::new(at, ArffProblem::CarriageReturn)),
        None => Ok(text),
    }
}

fn in_file(path: &Path, line: u64, fault: Fault) -> DataError {
    DataError::Arff { path: path.to_owned(), line, column: fault.at + 1, problem: fault.problem }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Dense,
    Sparse,
}

/// What has been read so far.
#[derive(Debug)]
struct Content {
    relation: Option<String>,
    attributes: Vec<Attribute>,
    names: HashSet<String>,
    in_data: bool,
    /// That of the first row.
    form: Option<Form>,
    offsets: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

impl Default for Content {
    fn default() -> Self {
        Self {
            relation: None,
            attributes: Vec::new(),
            names: HashSet::new(),
            in_data: false,
            form: None,
            offsets: vec![0],
            indices: Vec::new(),
            values: Vec::new(),
        }
    }
}

impl Content {
    fn take(&mut self, mut line: Line<'_>, number: u64) -> Result<(), Fault> {
        let at = line.at();
        match (line.rest().strip_prefix('{'), self.in_data) {
            _ if line.rest().is_empty() => Ok(()),
            (_, false) => self.declaration(line, number),
            (Some(entries), true) => self.form(Form::Sparse, at).and_then(|()| self.sparse(entries, at + 1)),
            (None, true) => self.form(Form::Dense, at).and_then(|()| self.dense(line.rest(), at)),
        }
    }

    fn declaration(&mut self, mut line: Line<'_>, number: u64) -> Result<(), Fault> {
        let (at, word) = (line.at(), line.word());
        let expected = match (&self.relation, self.attributes.is_empty()) {
            (None, _) => "@relation",
            (Some(_), true) => "@attribute",
            (Some(_), false) => "@attribute or @data",
        };
        match word.to_ascii_lowercase().as_str() {
            "@relation" if self.relation.is_none() => self.relation = Some(line.name()?),
            "@attribute" if self.relation.is_some() => return self.attribute(&mut line, number),
            "@data" if !self.attributes.is_empty() => self.in_data = true,
            _ => {
                let got = word.to_owned();
                return Err(Fault::new(at, ArffProblem::Declaration { expected, got }));
            }
        }
        line.end()
    }

    fn attribute(&mut self, line: &mut Line<'_>, number: u64) -> Result<(), Fault> {
        let at = line.at();
        let name = line.name()?;
        let (type_at, text) = (line.at(), line.rest());
        let kind = match text.to_ascii_lowercase().as_str() {
            "numeric" | "real" | "integer" => AttributeKind::Number,
            text if is_binary(text) => AttributeKind::Binary,
            _ => {
                let text = text.to_owned();
                return Err(Fault::new(type_at, ArffProblem::Type { name, text }));
            }
        };
        if !self.names.insert(name.clone()) {
            return Err(Fault::new(at, ArffProblem::Twice { name }));
        }
        self.attributes.push(Attribute { name, kind, line: number });
        Ok(())
    }

    fn form(&mut self, form: Form, at: usize) -> Result<(), Fault> {
        let first = *self.form.get_or_insert(form);
        if first == form { Ok(()) } else { Err(Fault::new(at, ArffProblem::Mixed)) }
    }

    fn dense(&mut self, text: &str, start: usize) -> Result<(), Fault> {
        let (expected, got) = (self.attributes.len(), cells(text, start).count());
        if got != expected {
            return Err(Fault::new(start, ArffProblem::CellCount { expected, got }));
        }
        for (attribute, (at, cell)) in self.attributes.iter().zip(cells(text, start)) {
            self.values.push(attribute.value(cell).map_err(|problem| Fault::new(at, problem))?);
        }
        Ok(())
    }

    fn sparse(&mut self, text: &str, start: usize) -> Result<(), Fault> {
        let Some((entries, behind)) = text.split_once('}') else {
            return Err(Fault::new(start + text.len(), ArffProblem::Open));
        };
        if !behind.is_empty() {
            return Err(Fault::new(start + entries.len() + 1, unexpected(behind)));
        }
        let mut least = 0;
        // No entry at all is a row of zeros; an empty one among others is a fault.
        for (at, entry) in cells(entries, start).filter(|_| !entries.trim().is_empty()) {
            let (index, value) = self.entry(entry, least).map_err(|problem| Fault::new(at, problem))?;
            least = index + 1;
            if value != 0.0 {
                self.indices.push(u32::try_from(index).unwrap_or(u32::MAX));
                self.values.push(value);
            }
        }
        self.offsets.push(self.values.len());
        Ok(())
    }

    fn entry(&self, entry: &str, least: usize) -> Result<(usize, f64), ArffProblem> {
        let (digits, cell) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
        if digits.is_empty() || cell.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(ArffProblem::Entry { text: entry.to_owned() });
        }
        let index = digits.parse().ok();
        let Some((index, attribute)) = index.and_then(|i: usize| Some((i, self.attributes.get(i)?))) else {
            let (text, attributes) = (digits.to_owned(), self.attributes.len());
            return Err(ArffProblem::IndexOutOfRange { text, attributes });
        };
        if index < least {
            return Err(ArffProblem::IndexNotRising { index });
        }
        Ok((index, attribute.value(cell.trim_start())?))
    }
}

impl Attribute {
    /// The number in a cell.
    fn value(&self, cell: &str) -> Result<f64, ArffProblem> {
        let name = || self.name.clone();
        match (cell, self.kind) {
            ("" | "?", _) => Err(ArffProblem::Missing { name: name() }),
            ("0", _) => Ok(0.0),
            ("1", _) => Ok(1.0),
            (_, AttributeKind::Binary) => Err(ArffProblem::NotBinary { name: name(), text: cell.to_owned() }),
            (_, AttributeKind::Number) => {
                let number = cell.parse().ok().filter(|number: &f64| number.abs() <= LARGEST);
                number.ok_or_else(|| ArffProblem::BadNumber { name: name(), text: cell.to_owned() })
            }
        }
    }
}

fn is_binary(text: &str) -> bool {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    inner.is_some_and(|inner| inner.split(',').map(str::trim).eq(["0", "1"]))
}
