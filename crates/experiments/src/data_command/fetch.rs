//! Downloads official files from where they are published.

use comfy_table::Table;
use datasets::{DataError, Home, OfficialFile, Set, unpack_single_member};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use thiserror::Error;
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

/// What to fetch, from where, and to where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchOptions {
    /// The folder that receives the files; it is made if need be.
    pub directory: PathBuf,
    /// The sets wanted.
    pub sets: Vec<Set>,
    /// The address that download paths are appended to, with its last slash: a mirror of all homes, or, where this is
    /// `None`, [`Home::address`] of each file's own.
    pub home: Option<String>,
    /// Whether to draw a progress bar, which goes to standard error where that is a terminal.
    pub progress: bool,
}

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
    /// The connection broke. What has arrived is kept, and the next fetch continues from there.
    #[error("{url}: interrupted after {received} bytes: {source}")]
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

/// The sets of whose files each has an address.
///
/// ```
/// use datasets::{ClassificationName, Name};
/// let sets = experiments::data_command::fetch::fetchable();
/// assert!(sets.contains(&Name::Adult.into()) && sets.contains(&ClassificationName::Fashion.into()));
/// assert!(!sets.contains(&ClassificationName::Scene.into()));
/// ```
pub fn fetchable() -> Vec<Set> {
    let has_address = |file: &OfficialFile| file.home.address().is_some();
    Set::all().filter(|&set| OfficialFile::of(set).all(has_address)).collect()
}

/// Downloads the files of the sets that are not in the folder yet, one after the other, and checks each SHA-256.
///
/// A download grows under a name that ends in `.part`; an interrupted one is continued by HTTP range requests, or
/// begun again where the server does not serve ranges. Only checked content is moved to the final name, in one step.
/// A file with folders in its name lies in these folders.
/// Slice localisation is published as a zip archive only, and no sum of it is known: its single file is unpacked, and
/// held to the CRC-32 of the archive.
///
/// # Errors
/// [`FetchError`]; files that were complete before the error stay. A file that is in the folder with other content than
/// the official one is an error too, and is left alone.
pub fn fetch(options: &FetchOptions) -> Result<Table, FetchError> {
    fetch_with(&agent(true), options, &OfficialFile::ALL)
}

fn fetch_with(agent: &Agent, options: &FetchOptions, files: &[OfficialFile]) -> Result<Table, FetchError> {
    fs::create_dir_all(&options.directory).map_err(io_error(&options.directory))?;
    let mut table = super::table(["set", "file", "result"]);
    for file in files.iter().filter(|file| options.sets.contains(&file.set)) {
        let result = if let Some(path) = file.locate(&options.directory) {
            file.verify(&path)?;
            "already here".to_owned()
        } else {
            let path = fetch_file(agent, options, file)?;
            format!("fetched to {}", path.display())
        };
        table.add_row([&file.set.to_string(), file.name, &result]);
    }
    Ok(table)
}

/// Fetches one file, and returns where it lies.
fn fetch_file(agent: &Agent, options: &FetchOptions, file: &OfficialFile) -> Result<PathBuf, FetchError> {
    let by_hand =
        || FetchError::ByHand { file: file.name, home: file.home, directory: options.directory.clone() };
    let home = options.home.as_deref().or(file.home.address()).ok_or_else(by_hand)?;
    let url = format!("{home}{}", file.download);
    let published_as = file.download.rsplit('/').next().unwrap_or(file.name);
    // The folder that the file's own name asks for, which is the folder itself but for the Open Bandit Dataset.
    let directory = match file.name.rsplit_once('/') {
        Some((folders, _)) => options.directory.join(folders),
        None => options.directory.clone(),
    };
    fs::create_dir_all(&directory).map_err(io_error(&directory))?;
    let part = directory.join(format!("{published_as}.part"));
    let bar = if options.progress { progress_bar(file.name) } else { ProgressBar::hidden() };
    loop {
        let continued = download(agent, &url, &part, &bar)?;
        let moved = if published_as.ends_with(".zip") {
            unpack(&part, &directory, file.name)
        } else {
            let path = directory.join(published_as);
            file.verify(&part).map_err(FetchError::from).and_then(|_| rename(&part, &path)).map(|()| path)
        };
        match moved {
            // What lay there from before may have been the beginning of another version.
            Err(FetchError::Content(_)) if continued => remove(&part)?,
            Err(FetchError::Content(error)) => {
                remove(&part)?;
                return Err(error.into());
            }
            other => {
                bar.finish_and_clear();
                return other;
            }
        }
    }
}

/// Downloads to `part`, from where an earlier download stopped. Returns whether anything was there before.
fn download(agent: &Agent, url: &str, part: &Path, bar: &ProgressBar) -> Result<bool, FetchError> {
    let here = fs::metadata(part).map_or(0, |metadata| metadata.len());
    let mut response = request(agent, url, here)?;
    if response.status() == StatusCode::RANGE_NOT_SATISFIABLE && here > 0 {
        // There are no bytes behind those that are here. Whether these are the file, its sum will tell.
        return Ok(true);
    }
    if response.status() == StatusCode::PARTIAL_CONTENT && !starts_at(&response, here) {
        response = request(agent, url, 0)?;
    }
    let continued = response.status() == StatusCode::PARTIAL_CONTENT;
    if !continued && response.status() != StatusCode::OK {
        return Err(FetchError::Status { url: url.to_owned(), status: response.status().as_u16() });
    }

    let start = if continued { here } else { 0 };
    let mut out = OpenOptions::new();
    out.create(true).append(continued).write(true).truncate(!continued);
    let mut out = out.open(part).map_err(io_error(part))?;
    if let Some(length) = content_length(&response) {
        bar.set_length(start + length);
    }
    bar.set_position(start);
    bar.reset_eta();
    copy(&mut response.into_body().into_reader(), &mut out, bar)
        .map_err(|failed| failed.into_error(url, part, bar.position()))?;
    out.sync_all().map_err(io_error(part))?;
    Ok(continued)
}

fn request(agent: &Agent, url: &str, from: u64) -> Result<Response<Body>, FetchError> {
    let mut request = agent.get(url);
    if from > 0 {
        request = request.header(header::RANGE, format!("bytes={from}-"));
    }
    request.call().map_err(|e| FetchError::Request { url: url.to_owned(), source: Box::new(e) })
}

fn starts_at(response: &Response<Body>, first_byte: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|range| range.to_str().ok());
    range.is_some_and(|range| range.starts_with(&format!("bytes {first_byte}-")))
}

fn content_length(response: &Response<Body>) -> Option<u64> {
    response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Which side of a copy failed: a broken connection can be continued, a full disk cannot.
enum CopyFailure {
    Read(io::Error),
    Write(io::Error),
}

impl CopyFailure {
    fn into_error(self, url: &str, part: &Path, received: u64) -> FetchError {
        match self {
            Self::Read(source) => FetchError::Interrupted { url: url.to_owned(), received, source },
            Self::Write(source) => io_error(part)(source),
        }
    }
}

fn copy(from: &mut impl Read, to: &mut File, bar: &ProgressBar) -> Result<(), CopyFailure> {
    let mut buffer = [0; 1 << 14];
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(CopyFailure::Read(error)),
        };
        to.write_all(buffer.get(..n).unwrap_or_default()).map_err(CopyFailure::Write)?;
        bar.inc(n as u64);
    }
}

/// Unpacks the archive beside itself under a passing name, and moves the file to its final name.
fn unpack(archive: &Path, directory: &Path, name: &str) -> Result<PathBuf, FetchError> {
    let path = directory.join(name);
    let mut unpacked = NamedTempFile::new_in(directory).map_err(io_error(directory))?;
    unpack_single_member(archive, name, &mut unpacked)?;
    unpacked.as_file().sync_all().map_err(io_error(&path))?;
    unpacked.persist(&path).map_err(|e| io_error(&path)(e.error))?;
    remove(archive)?;
    Ok(path)
}

fn rename(from: &Path, to: &Path) -> Result<(), FetchError> {
    fs::rename(from, to).map_err(io_error(to))
}

fn remove(path: &Path) -> Result<(), FetchError> {
    fs::remove_file(path).map_err(io_error(path))
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> FetchError + use<> {
    let path = path.to_owned();
    move |source| FetchError::Io { path, source }
}

/// An HTTP client that hands every status over, through the proxy that the environment names if `proxied`.
fn agent(proxied: bool) -> Agent {
    let config = Agent::config_builder().http_status_as_error(false);
    if proxied { config.build().into() } else { config.proxy(None).build().into() }
}

fn progress_bar(name: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix:<28} {bar:24} {bytes}/{total_bytes} {bytes_per_sec} eta {eta}");
    let bar = ProgressBar::new(0).with_prefix(name);
    // The template is fixed and valid; without it the bar has its default look.
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests;
