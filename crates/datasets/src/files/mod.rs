//! Data files: where to look, where to fetch, and their checksums.

mod archive;
mod home;
mod manifest;
mod search;
pub(crate) mod source;

pub use archive::unpack_single_member;
pub use home::Home;
pub use manifest::{OfficialFile, verify};
pub use search::SearchPath;
