//! The limits of a fetch on times and sizes.

use super::{FetchError, Wait};
use datasets::OfficialFile;
use std::io;
use std::time::Duration;
use ureq::{Agent, Timeout};

/// The most redirections of one request; more are taken for a circle.
const REDIRECTS: u32 = 10;

/// The limits of a fetch. If the manifest states a file's size, that size is the limit, packed or unpacked.
///
/// ```
/// use experiments::data_command::fetch::Limits;
/// let limits = Limits::default();
/// assert!(limits.connect <= limits.stall && limits.stall < limits.overall);
/// assert!(limits.download < limits.unpacked);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest wait for a connection.
    pub connect: Duration,
    /// The longest wait for the next bytes.
    pub stall: Duration,
    /// The longest time of one request, including redirections and the last byte of the file. The bytes
    /// received by then are kept, so that a slow connection gets a file in several fetches.
    pub overall: Duration,
    /// The most bytes of a download without a size in the manifest.
    pub download: u64,
    /// The most unpacked bytes of such a file's archive.
    pub unpacked: u64,
}

impl Default for Limits {
    /// 30 seconds, a minute, an hour; 256 MiB, 1 GiB: ten times the largest file.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(30),
            stall: Duration::from_secs(60),
            overall: Duration::from_secs(3600),
            download: 256 << 20,
            unpacked: 1 << 30,
        }
    }
}

impl Limits {
    /// The most bytes that a server may send for a file.
    pub(super) fn of_download(&self, file: &OfficialFile) -> u64 {
        match file.bytes {
            None => self.download,
            // Incompressible data grows by 5 bytes in 65,535, and the header holds a name.
            Some(bytes) if file.download.ends_with(".gz") || file.download.ends_with(".zip") => {
                bytes + bytes / 1_000 + (1 << 16)
            }
            Some(bytes) => bytes,
        }
    }

    /// The most bytes of a file without its packing.
    pub(super) fn of_content(&self, file: &OfficialFile) -> u64 {
        file.bytes.unwrap_or(self.unpacked)
    }

    /// An HTTP client that returns every status; with `proxied`, through the environment's proxy.
    pub(super) fn agent(&self, proxied: bool) -> Agent {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(REDIRECTS)
            .timeout_resolve(Some(self.connect))
            .timeout_connect(Some(self.connect))
            .timeout_per_read(Some(self.stall))
            .timeout_per_write(Some(self.stall))
            .timeout_global(Some(self.overall));
        if proxied { config.build().into() } else { config.proxy(None).build().into() }
    }

    /// The error of a request without an answer.
    pub(super) fn refusal(&self, url: &str, received: u64, error: ureq::Error) -> FetchError {
        let url = url.to_owned();
        match timeout(&error) {
            Some(timeout) => self.timed_out(url, received, timeout),
            None => FetchError::Request { url, source: Box::new(error) },
        }
    }

    /// The error of an answer that broke off.
    pub(super) fn interruption(&self, url: &str, received: u64, error: io::Error) -> FetchError {
        let url = url.to_owned();
        match carried(&error).and_then(timeout) {
            Some(timeout) => self.timed_out(url, received, timeout),
            None => FetchError::Interrupted { url, received, source: error },
        }
    }

    fn timed_out(&self, url: String, received: u64, timeout: Timeout) -> FetchError {
        let (wait, limit) = match timeout {
            Timeout::Resolve | Timeout::Connect => (Wait::Connection, self.connect),
            Timeout::PerRead | Timeout::PerWrite => (Wait::NextBytes, self.stall),
            _ => (Wait::Answer, self.overall),
        };
        FetchError::TimedOut { url, wait, limit, received }
    }
}

fn timeout(error: &ureq::Error) -> Option<Timeout> {
    match error {
        ureq::Error::Timeout(timeout) => Some(*timeout),
        ureq::Error::Io(error) => carried(error).and_then(timeout),
        _ => None,
    }
}

/// The client's own error in an error of its reader.
fn carried(error: &io::Error) -> Option<&ureq::Error> {
    error.get_ref()?.downcast_ref()
}
