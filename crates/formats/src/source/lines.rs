//! The lines of a stream, each of a bounded length.

use super::Stream;
use crate::FormatError;
use crate::error::Place;
use std::io::{BufRead, BufReader};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Hands out a line at a time. A line ends with \n, \r\n or \r alone, or with the stream; byte order marks in
/// front of the first one are left out.
pub(crate) struct Lines {
    stream: BufReader<Stream>,
    line: u64,
    limit: u64,
}

/// What a line ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// These characters.
    Line(&'static str),
    /// The stream.
    Stream,
}

impl Lines {
    pub(crate) fn new(stream: Stream) -> Self {
        let limit = stream.limits().line_bytes;
        Self { stream: BufReader::with_capacity(1 << 16, stream), line: 0, limit }
    }

    pub(crate) fn stream(&self) -> &Stream {
        self.stream.get_ref()
    }

    /// The number of the last line, from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    pub(crate) fn place(&self, row: Option<u64>, line: u64) -> Place {
        Place { file: self.stream().name().clone(), row, line: Some(line) }
    }

    /// Puts the next line behind what is in `line`, without its end; `None` behind the last one.
    pub(crate) fn read(&mut self, line: &mut Vec<u8>) -> Result<Option<End>, FormatError> {
        let before = line.len();
        let mut is_new = true;
        loop {
            let ahead = match self.stream.fill_buf() {
                Ok(ahead) => ahead,
                Err(error) => return Err(FormatError::io(self.stream.get_ref().name(), &error)),
            };
            if ahead.is_empty() {
                if is_new {
                    return Ok(None);
                }
                self.trim_mark(line, before);
                return Ok(Some(End::Stream));
            }
            if is_new {
                self.line += 1;
                is_new = false;
            }
            let end = ahead.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let part = ahead.get(..end.unwrap_or(ahead.len())).unwrap_or_default();
            line.extend_from_slice(part);
            let last = end.and_then(|end| ahead.get(end)).copied();
            let n = part.len() + usize::from(last.is_some());
            self.stream.consume(n);
            if (line.len() as u64) > self.limit {
                return Err(FormatError::LineTooLong {
                    place: self.place(None, self.line),
                    limit: self.limit,
                });
            }
            let ended_by = match last {
                None => continue,
                Some(b'\n') => "\n",
                Some(_) => match self.stream.fill_buf() {
                    Ok([b'\n', ..]) => {
                        self.stream.consume(1);
                        "\r\n"
                    }
                    Ok(_) => "\r",
                    Err(error) => return Err(FormatError::io(self.stream.get_ref().name(), &error)),
                },
            };
            self.trim_mark(line, before);
            return Ok(Some(End::Line(ended_by)));
        }
    }

    fn trim_mark(&self, line: &mut Vec<u8>, before: usize) {
        if self.line == 1 {
            let own = line.get(before..).unwrap_or_default();
            let marks =
                own.chunks(BYTE_ORDER_MARK.len()).take_while(|bytes| *bytes == BYTE_ORDER_MARK).count();
            line.drain(before..before + marks * BYTE_ORDER_MARK.len());
        }
    }
}
