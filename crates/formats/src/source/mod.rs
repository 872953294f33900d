//! Where the bytes come from: a file, standard input, memory; compressed or not.

mod bytes;
mod detect;
mod lines;

pub(crate) use bytes::Stream;
pub(crate) use detect::{detect, has_semicolons};
pub(crate) use lines::{End, Lines};

use crate::FormatError;
use crate::facts::FileName;
use crate::options::Limits;
use arrow_array::RecordBatchReader;
use std::fmt;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// A file, standard input, bytes or columns in memory, with the name that messages use. gzip and zstd are
/// recognised by their first bytes and decompressed.
///
/// ```
/// use formats::{LogOptions, Source, quiet, read_log};
/// let text = "age,action,propensity,reward\n41,news,0.5,1\n7,sport,0.25,0\n";
/// let read = read_log(Source::bytes("log.csv", text), &LogOptions::default(), &mut quiet)?;
/// assert_eq!(read.rewards, [1.0, 0.0]);
/// assert!(Source::path("no/such/file.csv").is_err());
/// # Ok::<(), formats::FormatError>(())
/// ```
pub struct Source {
    name: FileName,
    input: Input,
}

enum Input {
    File(OnDisk),
    Bytes(Vec<u8>),
    Stream(Box<dyn Read + Send>),
    Batches(Box<dyn RecordBatchReader + Send>),
}

/// A regular file, which is open or is opened once more.
struct OnDisk {
    path: PathBuf,
    file: Option<File>,
    length: u64,
}

impl OnDisk {
    fn open(&mut self, name: &FileName) -> Result<File, FormatError> {
        let opened = self.file.take().map_or_else(|| File::open(&self.path), Ok);
        opened.map_err(|error| FormatError::io(name, &error))
    }
}

/// A source that was opened: bytes, or batches of columns that are in memory already.
pub(crate) enum Open {
    Bytes(Box<Stream>),
    Batches(FileName, Box<dyn RecordBatchReader + Send>),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Source {
    /// A file; `-` is standard input.
    ///
    /// # Errors
    /// [`FormatError::Io`] for a file that cannot be opened.
    pub fn path(path: impl AsRef<Path>) -> Result<Self, FormatError> {
        let path = path.as_ref();
        if path.as_os_str() == "-" {
            return Ok(Self::reader("standard input", std::io::stdin()));
        }
        let name: FileName = path.to_string_lossy().into();
        let opened = File::open(path).and_then(|file| file.metadata().map(|metadata| (file, metadata)));
        let (file, metadata) = opened.map_err(|error| FormatError::io(&name, &error))?;
        if metadata.is_dir() {
            let kind = std::io::ErrorKind::IsADirectory;
            return Err(FormatError::Io { file: name, kind, message: "this is a folder".into() });
        }
        let input = if metadata.is_file() {
            Input::File(OnDisk { path: path.to_owned(), file: Some(file), length: metadata.len() })
        } else {
            Input::Stream(Box::new(file))
        };
        Ok(Self { name, input })
    }

    /// Bytes in memory, under a name that may say the format by its end.
    #[must_use]
    pub fn bytes(name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), input: Input::Bytes(bytes.into()) }
    }

    /// A stream, under a name that may say the format by its end.
    #[must_use]
    pub fn reader(name: &str, reader: impl Read + Send + 'static) -> Self {
        Self { name: name.into(), input: Input::Stream(Box::new(reader)) }
    }

    /// Batches of columns in memory, such as those of a data frame. Nothing is copied before a row is read,
    /// and no checksum is known of them.
    ///
    /// ```
    /// use arrow_array::{Float64Array, RecordBatch, RecordBatchIterator, StringArray};
    /// use formats::{LogOptions, Source, quiet, read_log};
    /// use std::sync::Arc;
    /// let batch = RecordBatch::try_from_iter([
    ///     ("age", Arc::new(Float64Array::from(vec![41.0, 7.0])) as arrow_array::ArrayRef),
    ///     ("action", Arc::new(StringArray::from(vec!["news", "sport"]))),
    ///     ("propensity", Arc::new(Float64Array::from(vec![0.5, 0.25]))),
    ///     ("reward", Arc::new(Float64Array::from(vec![1.0, 0.0]))),
    /// ])?;
    /// let schema = batch.schema();
    /// let frame = Source::batches("the frame", RecordBatchIterator::new([Ok(batch)], schema));
    /// let read = read_log(frame, &LogOptions::default(), &mut quiet)?;
    /// assert_eq!((read.schema.feature_names(), read.rewards), (vec!["age".to_owned()], vec![1.0, 0.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn batches(name: &str, batches: impl RecordBatchReader + Send + 'static) -> Self {
        Self { name: name.into(), input: Input::Batches(Box::new(batches)) }
    }

    /// The name that messages use.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes as they lie on the disk or in memory; `None` of a stream and of batches.
    pub(crate) fn length(&self) -> Option<u64> {
        match &self.input {
            Input::File(on_disk) => Some(on_disk.length),
            Input::Bytes(bytes) => Some(bytes.len() as u64),
            Input::Stream(_) | Input::Batches(_) => None,
        }
    }

    /// Closes the file until it is read, as many files cannot be open at once.
    pub(crate) fn close(&mut self) {
        if let Input::File(on_disk) = &mut self.input {
            on_disk.file = None;
        }
    }

    /// Once more the same source, which several ranks have: a file, or bytes.
    pub(crate) fn again(&self) -> Result<Self, FormatError> {
        let input = match &self.input {
            Input::File(OnDisk { path, length, .. }) => {
                Input::File(OnDisk { path: path.clone(), file: None, length: *length })
            }
            Input::Bytes(bytes) => Input::Bytes(bytes.clone()),
            Input::Stream(_) | Input::Batches(_) => {
                return Err(FormatError::StreamOfRanks { file: self.name.clone() });
            }
        };
        Ok(Self { name: self.name.clone(), input })
    }

    /// The file, if it begins with these bytes.
    pub(crate) fn file_with(&self, magic: [u8; 4]) -> Result<Option<File>, FormatError> {
        let Input::File(OnDisk { path, .. }) = &self.input else { return Ok(None) };
        let failed = |error: std::io::Error| FormatError::io(&self.name, &error);
        let mut file = File::open(path).map_err(failed)?;
        let mut first = Vec::new();
        file.by_ref().take(4).read_to_end(&mut first).map_err(failed)?;
        Ok((first == magic).then_some(file))
    }

    pub(crate) fn open(self, limits: Limits) -> Result<Open, FormatError> {
        Ok(match self.input {
            Input::File(mut on_disk) => {
                let file = on_disk.open(&self.name)?;
                Open::Bytes(Stream::of_file(self.name, file, on_disk.length, limits)?.into())
            }
            Input::Bytes(bytes) => {
                Open::Bytes(Stream::of_reader(self.name, Cursor::new(bytes), limits)?.0.into())
            }
            Input::Stream(reader) => Open::Bytes(Stream::of_reader(self.name, reader, limits)?.0.into()),
            Input::Batches(batches) => Open::Batches(self.name, batches),
        })
    }
}
