//! Why a file was not fetched.

use datasets::{DataError, Home};
use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, io};
use thiserror::Error;

/// Why a file was not fetched. Nothing then lies under its final name that did not lie there before.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FetchError {
    /// No answer from the server.
    #[error("{url}: {source}")]
    Request {
        /// The address.
        url: String,
        /// The cause.
        source: Box<ureq::Error>,
    },
    /// An answer other than the file.
    #[error("{url}: the server answered {status}")]
    Status {
        /// The address.
        url: String,
        /// The status code.
        status: u16,
    },
    /// The server was too slow. What has arrived is kept, and the next fetch continues from there.
    #[error("{url}: {wait} within {} s; the next fetch goes on behind the {received} bytes that are here", limit.as_secs_f64())]
    TimedOut {
        /// The address.
        url: String,
        /// What was waited for.
        wait: Wait,
        /// The longest wait for it.
        limit: Duration,
        /// How much of the file is here.
        received: u64,
    },
    /// The server sends more than the file can have, or says that it will. What has arrived is dropped.
    #[error("{url}: the server sends {got} bytes or more, at most {limit} are taken")]
    TooLarge {
        /// The address.
        url: String,
        /// The most bytes.
        limit: u64,
        /// The size that was announced, or what had arrived when the download was given up.
        got: u64,
    },
    /// The connection broke. What has arrived is kept, and the next fetch continues from there.
    #[error("{url}: interrupted after {received} bytes: {source}; the next fetch goes on from there")]
    Interrupted {
        /// The address.
        url: String,
        /// How much of the file is here.
        received: u64,
        /// The cause.
        source: io::Error,
    },
    /// A file could not be written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The publisher has no file that could be fetched.
    #[error(
        "{file} of {home} is published inside a RAR archive only: unpack it, and put the file into {} by hand",
        directory.display()
    )]
    ByHand {
        /// The file.
        file: &'static str,
        /// The publisher.
        home: Home,
        /// The folder asked for.
        directory: PathBuf,
    },
    /// The content is not that of the official file, or a damaged archive.
    #[error(transparent)]
    Content(#[from] DataError),
}

/// What a server was waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wait {
    /// For the address, the connection and its encryption.
    Connection,
    /// For the next bytes of an answer.
    NextBytes,
    /// For the answer to one request, to its last byte.
    Answer,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Connection => "no connection",
            Self::NextBytes => "not one more byte",
            Self::Answer => "the file had not arrived",
        })
    }
}
