//! Arrow's messages, one behind the other in a stream, or found by the index at the end of a file.
//!
//! The lengths that a message or the index states are checked before memory is asked for.

use super::{Batches, guarded, readable};
use crate::FormatError;
use crate::error::Place;
use crate::facts::{FileName, Progress};
use crate::options::Limits;
use crate::readers::Extent;
use crate::source::Stream;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_footer_length, read_record_batch};
use arrow_ipc::{MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::{Schema, SchemaRef};
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::sync::Arc;

pub(in crate::readers) struct IpcBatches {
    name: FileName,
    limits: Limits,
    input: Input,
    schema: SchemaRef,
    /// The places of the columns that are read.
    projection: Vec<usize>,
    dictionaries: HashMap<i64, ArrayRef>,
    rows: u64,
    is_done: bool,
}

enum Input {
    Stream(Box<Stream>),
    File(Box<Blocks>),
}

/// The messages of a file that are still to be read.
struct Blocks {
    file: File,
    length: u64,
    blocks: VecDeque<Block>,
    fingerprint: (u64, String),
    /// Where the last block ends.
    at: u64,
}

/// Where a message of a file is.
struct Block {
    start: u64,
    metadata: u64,
    body: u64,
}

const FORMAT: &str = "Arrow";
const MAGIC: &[u8] = b"ARROW1";
/// Bytes that a buffer may decompress to whatever its length.
const FREE_BYTES: i64 = 64 << 20;

/// The metadata and the body of a message.
type Message = (Vec<u8>, Buffer);

impl IpcBatches {
    pub(in crate::readers) fn open(
        mut stream: Stream,
        extent: &Extent,
        progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    ) -> Result<Self, FormatError> {
        let (name, limits) = (stream.name().clone(), stream.limits());
        let is_file = stream.beginning().starts_with(MAGIC);
        let place = Place { file: name.clone(), row: None, line: None };
        let (input, schema) = if is_file {
            let (file, fingerprint) = match stream.as_file()? {
                Some((file, length)) if !extent.is_hashed() => (file, (length, String::new())),
                _ => (stream.seekable(progress)?, stream.fingerprint()),
            };
            let (blocks, schema) = Blocks::open(file, fingerprint, &place)?;
            (Input::File(Box::new(blocks)), schema)
        } else {
            let Some((metadata, _)) = message(&mut stream, &place)? else {
                return Err(damaged(place, "there is no schema"));
            };
            let schema = guarded(FORMAT, place, || {
                let message = root_as_message(&metadata).map_err(|error| error.to_string())?;
                schema(message.header_as_schema().ok_or("the first message is no schema")?)
            })?;
            (Input::Stream(Box::new(stream)), schema)
        };
        let (projection, schema, dictionaries) = (readable(&schema), Arc::new(schema), HashMap::new());
        Ok(Self { name, limits, input, schema, projection, dictionaries, rows: 0, is_done: false })
    }

    fn place(&self) -> Place {
        let row = (self.rows > 0).then_some(self.rows);
        Place { file: self.name.clone(), row, line: None }
    }

    /// The next message, or `None` at the end.
    fn message(&mut self) -> Result<Option<Message>, FormatError> {
        let place = self.place();
        match &mut self.input {
            Input::Stream(stream) => message(stream, &place),
            Input::File(blocks) => blocks.message(&place),
        }
    }

    /// Bytes of the file so far.
    fn bytes(&self) -> u64 {
        match &self.input {
            Input::Stream(stream) => stream.decoded(),
            Input::File(blocks) => blocks.length,
        }
    }

    fn finish(&mut self) -> Result<(), FormatError> {
        self.is_done = true;
        match &mut self.input {
            Input::Stream(stream) => stream.drain(&mut |_| ControlFlow::Continue(()), &mut std::io::sink()),
            Input::File(_) => Ok(()),
        }
    }

    fn decode(&mut self, metadata: &[u8], body: &Buffer) -> Result<Option<RecordBatch>, FormatError> {
        let place = self.place();
        let limits = self.limits;
        let most_rows = 10_000_000_u64.saturating_add(self.bytes().saturating_mul(limits.ratio));
        let rows = self.rows;
        guarded(FORMAT, place, || {
            let message = root_as_message(metadata).map_err(|error| error.to_string())?;
            let version = message.version();
            if version < MetadataVersion::V4 {
                return Err("it is of an old version".to_owned());
            }
            match message.header_type() {
                MessageHeader::DictionaryBatch => {
                    let batch = message.header_as_dictionary_batch().ok_or("a dictionary is missing")?;
                    check(&batch.data().ok_or("a dictionary is empty")?, body, limits.ratio, most_rows)?;
                    read_dictionary(body, batch, &self.schema, &mut self.dictionaries, &version)
                        .map_err(|error| error.to_string())?;
                    Ok(None)
                }
                MessageHeader::RecordBatch => {
                    let batch = message.header_as_record_batch().ok_or("a batch is missing")?;
                    check(&batch, body, limits.ratio, most_rows.saturating_sub(rows))?;
                    let projection = Some(&*self.projection);
                    read_record_batch(
                        body,
                        batch,
                        self.schema.clone(),
                        &self.dictionaries,
                        projection,
                        &version,
                    )
                    .map(Some)
                    .map_err(|error| error.to_string())
                }
                _ => Err("a message is of no known kind".to_owned()),
            }
        })
    }
}

/// Refuses a batch that states more rows, or longer buffers, than its bytes account for, or buffers outside
/// of them.
fn check(
    batch: &arrow_ipc::RecordBatch<'_>,
    body: &Buffer,
    ratio: u64,
    most_rows: u64,
) -> Result<(), String> {
    if u64::try_from(batch.length()).is_ok_and(|rows| rows > most_rows) || batch.length() < 0 {
        return Err(format!("a batch states {} rows", batch.length()));
    }
    let (ratio, is_compressed) = (i64::try_from(ratio).unwrap_or(i64::MAX), batch.compression().is_some());
    for buffer in batch.buffers().into_iter().flatten() {
        let end = buffer.offset().checked_add(buffer.length()).and_then(|end| usize::try_from(end).ok());
        let is_within =
            end.is_some_and(|end| end <= body.len()) && buffer.offset() >= 0 && buffer.length() >= 0;
        if !is_within {
            return Err("a buffer is not within its batch".to_owned());
        }
        if !is_compressed {
            continue;
        }
        let bytes = usize::try_from(buffer.offset()).ok().and_then(|start| body.as_slice().get(start..));
        let length = bytes.and_then(|bytes| bytes.first_chunk::<8>()).map(|bytes| i64::from_le_bytes(*bytes));
        let most = buffer.length().saturating_mul(ratio).max(FREE_BYTES);
        if buffer.length() >= 8 && length.is_none_or(|length| length > most) {
            return Err(format!("a buffer of {} bytes states to be longer than {most}", buffer.length()));
        }
    }
    Ok(())
}

impl Batches for IpcBatches {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, FormatError> {
        while !self.is_done {
            let Some((metadata, body)) = self.message()? else {
                self.finish()?;
                break;
            };
            if let Some(batch) = self.decode(&metadata, &body)? {
                self.rows += batch.num_rows() as u64;
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }

    fn progress(&self, rows: u64) -> Progress {
        match &self.input {
            Input::Stream(stream) => stream.progress(rows),
            Input::File(blocks) => Progress { bytes: blocks.at, total_bytes: Some(blocks.length), rows },
        }
    }

    fn fingerprint(&mut self) -> Result<(u64, String), FormatError> {
        Ok(match &self.input {
            Input::Stream(stream) => stream.fingerprint(),
            Input::File(blocks) => blocks.fingerprint.clone(),
        })
    }
}

impl Blocks {
    /// The messages that the index at the end of a file names: dictionaries, then batches.
    fn open(
        mut file: File,
        fingerprint: (u64, String),
        place: &Place,
    ) -> Result<(Self, Schema), FormatError> {
        let io = |error: std::io::Error| damaged(place.clone(), &error.to_string());
        let length = fingerprint.0;
        let end: u64 = length.checked_sub(10).ok_or_else(|| damaged(place.clone(), "its end is missing"))?;
        let mut last = [0; 10];
        file.seek(SeekFrom::Start(end)).map_err(io)?;
        file.read_exact(&mut last).map_err(io)?;
        let of_index = guarded(FORMAT, place.clone(), || {
            read_footer_length(last).map_err(|_| "its end is missing".to_owned())
        })?;
        let start = end.checked_sub(of_index as u64);
        let start = start.ok_or_else(|| damaged(place.clone(), "its index is longer than the file"))?;
        let mut index = Vec::new();
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        file.by_ref().take(of_index as u64).read_to_end(&mut index).map_err(io)?;
        let (schema, blocks) = guarded(FORMAT, place.clone(), || {
            let footer = root_as_footer(&index).map_err(|error| error.to_string())?;
            let schema = schema(footer.schema().ok_or("there is no schema")?)?;
            let dictionaries = footer.dictionaries().into_iter().flatten();
            let blocks = dictionaries.chain(footer.recordBatches().into_iter().flatten()).map(|block| {
                let own = |number: i64| u64::try_from(number).ok().filter(|number| *number <= start);
                let parts =
                    (own(block.offset()), own(block.metaDataLength().into()), own(block.bodyLength()));
                match parts {
                    (Some(at), Some(metadata), Some(body)) if at + metadata + body <= start => {
                        Ok(Block { start: at, metadata, body })
                    }
                    _ => Err("a batch is not within the file".to_owned()),
                }
            });
            Ok((schema, blocks.collect::<Result<VecDeque<_>, _>>()?))
        })?;
        Ok((Self { file, length, blocks, fingerprint, at: 0 }, schema))
    }

    fn message(&mut self, place: &Place) -> Result<Option<Message>, FormatError> {
        let Some(block) = self.blocks.pop_front() else { return Ok(None) };
        self.at = block.start + block.metadata + block.body;
        let io = |error: std::io::Error| damaged(place.clone(), &error.to_string());
        self.file.seek(SeekFrom::Start(block.start)).map_err(io)?;
        let (mut metadata, mut body) = (Vec::new(), Vec::new());
        self.file.by_ref().take(block.metadata).read_to_end(&mut metadata).map_err(io)?;
        self.file.by_ref().take(block.body).read_to_end(&mut body).map_err(io)?;
        // A mark, in files that are not old, and the length stand before the metadata.
        let before = if metadata.starts_with(&[0xff; 4]) { 8 } else { 4 };
        metadata.drain(..before.min(metadata.len()));
        Ok(Some((metadata, Buffer::from_vec(body))))
    }
}

fn damaged(place: Place, message: &str) -> FormatError {
    FormatError::Damaged { place, format: FORMAT, message: message.to_owned() }
}

fn schema(schema: arrow_ipc::Schema<'_>) -> Result<Schema, String> {
    if !schema.endianness().equals_to_target_endianness() {
        return Err("the bytes of its numbers are in another order".to_owned());
    }
    try_fb_to_schema(schema).map_err(|error| error.to_string())
}

/// The next message of a stream, or `None` at the end.
fn message(stream: &mut Stream, place: &Place) -> Result<Option<Message>, FormatError> {
    let mut word = take(stream, 4)?;
    if word.is_empty() {
        // A stream may end without a mark.
        return Ok(None);
    }
    if word == [0xff; 4] {
        word = take(stream, 4)?;
    }
    let length = <[u8; 4]>::try_from(word).map(u32::from_le_bytes);
    let length = length.map_err(|_| damaged(place.clone(), "it ends within a message"))?;
    if length == 0 {
        return Ok(None);
    }
    let metadata = take(stream, u64::from(length))?;
    if metadata.len() as u64 != u64::from(length) {
        return Err(damaged(place.clone(), "it ends within a message"));
    }
    let length = guarded(FORMAT, place.clone(), || {
        let message = root_as_message(&metadata).map_err(|error| error.to_string())?;
        u64::try_from(message.bodyLength()).map_err(|_| "a length is negative".to_owned())
    })?;
    let body = take(stream, length)?;
    if body.len() as u64 != length {
        return Err(damaged(place.clone(), "it ends within a batch"));
    }
    Ok(Some((metadata, Buffer::from_vec(body))))
}

/// Up to `length` bytes. Memory grows with the bytes that come, so that a length alone asks for none.
fn take(stream: &mut Stream, length: u64) -> Result<Vec<u8>, FormatError> {
    let mut bytes = Vec::new();
    let read = stream.by_ref().take(length).read_to_end(&mut bytes);
    read.map_err(|error| FormatError::io(stream.name(), &error))?;
    Ok(bytes)
}
