//! The lines of a stream of comma-separated values, and the quoting that no reader may guess at.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// Hands out a line at most at a time and counts them, so that the reader behind it is never ahead of the
/// record it returns. (The position that a CSV record carries is where the search for it began: before blank
/// lines.)
///
/// A line ends where a CSV record may: at \n, \r\n, or \r alone. Byte order marks in front are not handed
/// out; of those the csv crate would leave out one.
///
/// It follows the quotation marks besides: the csv crate takes a mark that is not closed for one that ends
/// with the stream, and hands out what is left as one cell. Where the marks are not those of RFC 4180 it
/// remembers the first [`Misquoted`] cell and hands out nothing more. The marks of a legal stream are even in
/// number, so that no stream that lacks one of them passes.
pub(super) struct Lines<R> {
    source: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    line: u64,
    /// The last byte handed out; before the first, that of an end.
    last: u8,
    place: Place,
    /// The line on which the record begins, and the number of its cells that are complete.
    record: (u64, usize),
    misquoted: Option<Misquoted>,
}

/// A cell of the record whose quotation marks are wrong, from 0, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Misquoted {
    pub(super) cell: usize,
    pub(super) fault: Fault,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The stream ends in a quoted cell.
    Unclosed,
    /// A quotation mark inside a bare cell.
    Stray,
    /// Text behind the closing mark.
    TextBehind,
}

/// What the byte before was a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Nothing, or the end of a record.
    RecordStart,
    /// A comma.
    CellStart,
    Plain,
    Quoted,
    /// A mark in a quoted cell: it closes the cell or stands for one with the next.
    Mark,
    /// Blanks behind a closed cell.
    Behind,
}

const MARK: u8 = b'"';
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl<R: Read> Lines<R> {
    pub(super) fn open(mut source: R) -> io::Result<Self> {
        let mut first = Vec::new();
        loop {
            // A slow stream may hand out a part of a mark.
            source.by_ref().take(BYTE_ORDER_MARK.len() as u64).read_to_end(&mut first)?;
            if first != BYTE_ORDER_MARK {
                break;
            }
            first.clear();
        }
        let source = BufReader::with_capacity(1 << 16, Cursor::new(first).chain(source));
        let (place, record) = (Place::RecordStart, (0, 0));
        Ok(Self { source, line: 0, last: b'\n', place, record, misquoted: None })
    }

    /// The line that was handed out last.
    pub(super) fn last(&self) -> u64 {
        self.line
    }

    /// The line on which the last record begins.
    pub(super) fn of_record(&self) -> u64 {
        self.record.0
    }

    pub(super) fn misquoted(&self) -> Option<Misquoted> {
        self.misquoted
    }

    /// Follows a line, or its legally quoted beginning.
    fn follow(&mut self, bytes: &[u8]) {
        let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let is_whole = self.place == Place::RecordStart && bytes.last().is_some_and(is_end);
        if is_whole && !bytes.contains(&MARK) {
            if !bytes.first().is_some_and(is_end) {
                self.record = (self.line, 0);
            }
            return;
        }
        for byte in bytes {
            if self.place == Place::RecordStart && !is_end(byte) {
                self.record = (self.line, 0);
            }
            let next = match (self.place, *byte) {
                (Place::Quoted, MARK) => Ok(Place::Mark),
                (Place::Quoted, _) | (Place::Mark | Place::RecordStart | Place::CellStart, MARK) => {
                    Ok(Place::Quoted)
                }
                (_, b'\n' | b'\r') => Ok(Place::RecordStart),
                (_, b',') => Ok(Place::CellStart),
                (Place::Mark | Place::Behind, b' ' | b'\t') => Ok(Place::Behind),
                (Place::Mark | Place::Behind, _) => Err(Fault::TextBehind),
                (Place::Plain, MARK) => Err(Fault::Stray),
                (Place::RecordStart | Place::CellStart | Place::Plain, _) => Ok(Place::Plain),
            };
            match next {
                Ok(place) => self.place = place,
                Err(fault) => return self.misquoted = Some(Misquoted { cell: self.record.1, fault }),
            }
            self.record.1 += usize::from(self.place == Place::CellStart);
        }
    }
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.misquoted.is_some() {
            return Ok(0);
        }
        let ahead = self.source.fill_buf()?;
        if ahead.is_empty() && self.place == Place::Quoted {
            self.misquoted = Some(Misquoted { cell: self.record.1, fault: Fault::Unclosed });
        }
        let line = match ahead.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(end) if ahead.get(end..end + 2) == Some(b"\r\n") => end + 2,
            Some(end) => end + 1,
            None => ahead.len(),
        };
        let n = line.min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..n), ahead.get(..n)) {
            to.copy_from_slice(from);
        }
        if let (Some(first), Some(last)) = (ahead.first(), n.checked_sub(1).and_then(|end| ahead.get(end))) {
            // A \n behind a \r that was handed out before belongs to the same end.
            let is_new = self.last == b'\n' || (self.last == b'\r' && *first != b'\n');
            self.line += u64::from(is_new);
            self.last = *last;
        }
        self.source.consume(n);
        self.follow(buffer.get(..n).unwrap_or_default());
        Ok(n)
    }
}
