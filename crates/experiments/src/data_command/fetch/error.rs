//! The errors of a fetch.

use datasets::{DataError, Home};
use std::path::PathBuf;
use std::time::Duration;
use std::{fmt, io};
use thiserror::Error;

/// The reason why a file was not fetched. The file under its final name, if any, is unchanged.
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
    /// The server was too slow. The received bytes are kept, and the next fetch continues from there.
    #[error("{url}: {wait} within {} s; the next fetch continues after the {received} bytes received", limit.as_secs_f64())]
    TimedOut {
        /// The address.
        url: String,
        /// The awaited event.
        wait: Wait,
        /// The time limit.
        limit: Duration,
        /// The number of bytes received.
        received: u64,
    },
    /// The server sends or announces more bytes than the file can have. The received bytes are dropped.
    #[error("{url}: the server sends {got} bytes or more; the limit is {limit}")]
    TooLarge {
        /// The address.
        url: String,
        /// The limit in bytes.
        limit: u64,
        /// The announced size, or the bytes received when the download was stopped.
        got: u64,
    },
    /// The connection broke. The received bytes are kept, and the next fetch continues from there.
    #[error("{url}: interrupted after {received} bytes: {source}; the next fetch continues from there")]
    Interrupted {
        /// The address.
        url: String,
        /// The number of bytes received.
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
    /// The publisher has no file that can be fetched.
    #[error(
        "{file} of {home} is published only inside a RAR archive: unpack it, and put the file into {} by hand",
        directory.display()
    )]
    ByHand {
        /// The file.
        file: &'static str,
        /// The publisher.
        home: Home,
        /// The requested folder.
        directory: PathBuf,
    },
    /// The content differs from the official file, or the archive is damaged.
    #[error(transparent)]
    Content(#[from] DataError),
}

/// The event awaited from a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wait {
    /// Name resolution, connection and encryption.
    Connection,
    /// The next bytes of an answer.
    NextBytes,
    /// The complete answer to one request.
    Answer,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Connection => "no connection",
            Self::NextBytes => "no further byte",
            Self::Answer => "no complete file",
        })
    }
}
