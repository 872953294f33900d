//! Downloads official files from their publishers.

mod error;
mod limits;

pub use error::{FetchError, Wait};
pub use limits::Limits;

use atomic_files::AtomicFile;
use comfy_table::Table;
use datasets::{OfficialFile, Set, unpack_single_member};
use indicatif::{ProgressBar, ProgressStyle};
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use ureq::http::{Response, StatusCode, header};
use ureq::{Agent, Body};

/// The request for a fetch: sets, server and folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchOptions {
    /// The folder for the files; created if absent.
    pub directory: PathBuf,
    /// The requested sets.
    pub sets: Vec<Set>,
    /// The base address of all download paths, with its last slash: a mirror of all publishers. `None`: the
    /// [`Home::address`](datasets::Home::address) of each file.
    pub home: Option<String>,
    /// Whether to draw a progress bar on standard error, if that is a terminal.
    pub progress: bool,
    /// The limits on times and sizes.
    pub limits: Limits,
}

/// The sets all of whose files have an address.
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

/// Downloads the missing files of the sets, one after the other, and checks each SHA-256.
///
/// A download grows under a name that ends in `.part`; an interrupted download is continued by HTTP range
/// requests, or started again if the server does not serve ranges. Only checked content is moved to the final
/// name, in one step. A file with folders in its name is put into these folders. Slice localisation is
/// published only as a zip archive without a known sum: its single file is unpacked and checked against the
/// CRC-32 of the archive.
///
/// Every wait, download and archive has its [`Limits`]: no server can stall a fetch forever or fill the disc.
/// Reading and writing stop at the largest possible size of the file.
///
/// # Errors
/// [`FetchError`]; files that were complete before the error stay. An existing file with other than the
/// official content is an error too, and is left alone.
pub fn fetch(options: &FetchOptions) -> Result<Table, FetchError> {
    fetch_with(&options.limits.agent(true), options, &OfficialFile::ALL)
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

/// Fetches one file, and returns its path.
fn fetch_file(agent: &Agent, options: &FetchOptions, file: &OfficialFile) -> Result<PathBuf, FetchError> {
    let by_hand =
        || FetchError::ByHand { file: file.name, home: file.home, directory: options.directory.clone() };
    let home = options.home.as_deref().or(file.home.address()).ok_or_else(by_hand)?;
    let url = format!("{home}{}", file.download);
    let published_as = file.download.rsplit('/').next().unwrap_or(file.name);
    // The folder in the file's own name; only the Open Bandit Dataset has one.
    let directory = match file.name.rsplit_once('/') {
        Some((folders, _)) => options.directory.join(folders),
        None => options.directory.clone(),
    };
    fs::create_dir_all(&directory).map_err(io_error(&directory))?;
    let part = directory.join(format!("{published_as}.part"));
    let bar = if options.progress { progress_bar(file.name) } else { ProgressBar::hidden() };
    let limits = &options.limits;
    let download = Download { agent, url: &url, part: &part, limits, most: limits.of_download(file) };
    loop {
        let arrived = download.run(&bar);
        // The earlier part may have been the beginning of another version.
        let continued = !matches!(arrived, Ok(Start::Beginning) | Err((Start::Beginning, _)));
        let moved = arrived.map_err(|(_, error)| error).and_then(|_| {
            if published_as.ends_with(".zip") {
                return unpack(&part, &directory, file.name, limits.of_content(file));
            }
            let path = directory.join(published_as);
            file.verify(&part)?;
            rename(&part, &path).map(|()| path)
        });
        match moved {
            Err(FetchError::Content(_) | FetchError::TooLarge { .. }) if continued => remove(&part)?,
            Err(error @ (FetchError::Content(_) | FetchError::TooLarge { .. })) => {
                remove(&part)?;
                return Err(error);
            }
            other => {
                bar.finish_and_clear();
                return other;
            }
        }
    }
}

/// The starting point of a download.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Start {
    Beginning,
    /// After the bytes of an earlier download.
    Continued,
}

/// One download under its temporary name.
struct Download<'a> {
    agent: &'a Agent,
    url: &'a str,
    part: &'a Path,
    limits: &'a Limits,
    /// The largest possible size of the file, in bytes.
    most: u64,
}

impl Download<'_> {
    /// Downloads from where an earlier download stopped.
    fn run(&self, bar: &ProgressBar) -> Result<Start, (Start, FetchError)> {
        let here = fs::metadata(self.part).map_or(0, |metadata| metadata.len());
        let first = if here > 0 { Start::Continued } else { Start::Beginning };
        let mut response = self.request(here).map_err(|error| (first, error))?;
        if first == Start::Continued && response.status() == StatusCode::RANGE_NOT_SATISFIABLE {
            // The part has all bytes already. The sum decides whether they are the file.
            return Ok(Start::Continued);
        }
        let is_rest = |response: &Response<Body>| response.status() == StatusCode::PARTIAL_CONTENT;
        let start = match first {
            Start::Continued if is_rest(&response) && starts_at(&response, here) => Start::Continued,
            Start::Continued if is_rest(&response) => {
                response = self.request(0).map_err(|error| (first, error))?;
                Start::Beginning
            }
            _ => Start::Beginning,
        };
        // An unrequested range is not an answer.
        if start == Start::Beginning && response.status() != StatusCode::OK {
            let status = response.status().as_u16();
            return Err((start, FetchError::Status { url: self.url.to_owned(), status }));
        }
        let from = if start == Start::Continued { here } else { 0 };
        self.receive(response, from, bar).map(|()| start).map_err(|error| (start, error))
    }

    /// Writes the body after the first `from` bytes.
    fn receive(&self, response: Response<Body>, from: u64, bar: &ProgressBar) -> Result<(), FetchError> {
        let mut out = OpenOptions::new();
        out.create(true).append(from > 0).write(true).truncate(from == 0);
        let mut out = out.open(self.part).map_err(io_error(self.part))?;
        if let Some(length) = content_length(&response) {
            let got = from.saturating_add(length);
            if got > self.most {
                return Err(self.too_large(got));
            }
            bar.set_length(got);
        }
        bar.set_position(from);
        bar.reset_eta();
        let mut body = response.into_body().into_reader();
        let mut received = from;
        let mut buffer = [0; 1 << 14];
        loop {
            let n = match body.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.limits.interruption(self.url, received, error)),
            };
            let got = received + n as u64;
            if got > self.most {
                return Err(self.too_large(got));
            }
            out.write_all(buffer.get(..n).unwrap_or_default()).map_err(io_error(self.part))?;
            received = got;
            bar.set_position(received);
        }
        out.sync_all().map_err(io_error(self.part))
    }

    fn request(&self, from: u64) -> Result<Response<Body>, FetchError> {
        let mut request = self.agent.get(self.url);
        if from > 0 {
            request = request.header(header::RANGE, format!("bytes={from}-"));
        }
        request.call().map_err(|error| self.limits.refusal(self.url, from, error))
    }

    fn too_large(&self, got: u64) -> FetchError {
        FetchError::TooLarge { url: self.url.to_owned(), limit: self.most, got }
    }
}

fn starts_at(response: &Response<Body>, first_byte: u64) -> bool {
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|range| range.to_str().ok());
    range.is_some_and(|range| range.starts_with(&format!("bytes {first_byte}-")))
}

fn content_length(response: &Response<Body>) -> Option<u64> {
    response.headers().get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Unpacks the archive beside itself under a temporary name, and moves the file to its final name.
fn unpack(archive: &Path, directory: &Path, name: &str, limit: u64) -> Result<PathBuf, FetchError> {
    let path = directory.join(name);
    let mut unpacked = AtomicFile::create(&path).map_err(io_error(&path))?;
    unpack_single_member(archive, name, limit, &mut unpacked)?;
    unpacked.commit().map_err(io_error(&path))?;
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

fn progress_bar(name: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{prefix:<28} {bar:24} {bytes}/{total_bytes} {bytes_per_sec} eta {eta}");
    let bar = ProgressBar::new(0).with_prefix(name);
    // The template is fixed and valid; the fallback is the default style.
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests;
