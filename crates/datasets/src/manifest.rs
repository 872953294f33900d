//! The official files: where they are published, and the sums by which they are known.

use crate::source::Source;
use crate::{DataError, Name, SourceFile};
use std::path::{Path, PathBuf};

/// One official file of a data set of the UCI Machine Learning Repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfficialFile {
    /// The set it belongs to.
    pub set: Name,
    /// Its official name, uncompressed.
    pub name: &'static str,
    /// The number of the data set in the repository.
    pub uci: u32,
    /// Where it is published, below [`OfficialFile::HOME`]: the file itself, or a `.gz` or `.zip` of it.
    pub download: &'static str,
    /// SHA-256 of the uncompressed content, hexadecimal, where it is known.
    pub sha256: Option<&'static str>,
    /// Size of the uncompressed content, where it is known.
    pub bytes: Option<u64>,
}

impl OfficialFile {
    /// The folder of the repository that the download paths start from.
    pub const HOME: &'static str = "https://archive.ics.uci.edu/ml/machine-learning-databases/";

    /// All files, set by set, the parts of a set in the order in which they are read.
    pub const ALL: [Self; 10] = [
        Self {
            set: Name::Abalone,
            name: "abalone.data",
            uci: 1,
            download: "abalone/abalone.data",
            sha256: Some("de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f"),
            bytes: Some(191_873),
        },
        Self {
            set: Name::Adult,
            name: "adult.data",
            uci: 2,
            download: "adult/adult.data",
            sha256: Some("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
            bytes: Some(3_974_305),
        },
        Self {
            set: Name::Adult,
            name: "adult.test",
            uci: 2,
            download: "adult/adult.test",
            sha256: Some("a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
            bytes: Some(2_003_153),
        },
        Self {
            set: Name::Census,
            name: "census-income.data",
            uci: 117,
            download: "census-income-mld/census-income.data.gz",
            sha256: Some("3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86"),
            bytes: Some(103_874_469),
        },
        Self {
            set: Name::Census,
            name: "census-income.test",
            uci: 117,
            download: "census-income-mld/census-income.test.gz",
            sha256: Some("98402b1ab879573d0a7f38a699a40258080e25e33d3401e7bf9c96d3fa0fab8c"),
            bytes: Some(51_918_813),
        },
        Self {
            set: Name::Letter,
            name: "letter-recognition.data",
            uci: 59,
            download: "letter-recognition/letter-recognition.data",
            sha256: Some("2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2"),
            bytes: Some(712_565),
        },
        Self {
            set: Name::Slice,
            name: "slice_localization_data.csv",
            uci: 206,
            download: "00206/slice_localization_data.zip",
            sha256: None,
            bytes: None,
        },
        Self {
            set: Name::BreastCancer,
            name: "breast-cancer-wisconsin.data",
            uci: 15,
            download: "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
            sha256: Some("402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64"),
            bytes: Some(19_889),
        },
        Self {
            set: Name::Ionosphere,
            name: "ionosphere.data",
            uci: 52,
            download: "ionosphere/ionosphere.data",
            sha256: Some("46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd"),
            bytes: Some(76_467),
        },
        Self {
            set: Name::Spambase,
            name: "spambase.data",
            uci: 94,
            download: "spambase/spambase.data",
            sha256: Some("b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12"),
            bytes: Some(702_942),
        },
    ];

    /// The files of one set.
    pub fn of(set: Name) -> impl Iterator<Item = &'static Self> {
        const { &Self::ALL }.iter().filter(move |file| file.set == set)
    }

    /// The file in a folder, plain or compressed; the plain one where both are there.
    pub fn locate(&self, directory: &Path) -> Option<PathBuf> {
        let candidates = [directory.join(self.name), directory.join(format!("{}.gz", self.name))];
        candidates.into_iter().find(|path| path.is_file())
    }

    /// Whether a file that was read has the official content; `None` where no official sum is known.
    ///
    /// # Errors
    /// [`DataError::WrongChecksum`] where it has not.
    pub fn check(&self, file: &SourceFile) -> Result<Option<()>, DataError> {
        let Some(expected) = self.sha256 else { return Ok(None) };
        if file.sha256 == expected {
            return Ok(Some(()));
        }
        let (path, expected, got) = (file.path.clone(), expected.to_owned(), file.sha256.clone());
        Err(DataError::WrongChecksum { path, expected, got })
    }

    /// Reads the file at `path`, plain or compressed, and compares its content with the official sum.
    ///
    /// # Errors
    /// [`DataError::WrongChecksum`], [`DataError::Io`], [`DataError::Truncated`].
    pub fn verify(&self, path: &Path) -> Result<SourceFile, DataError> {
        let file = Source::open(path)?.finish()?;
        self.check(&file)?;
        Ok(file)
    }
}

/// Looks for every official file in a folder and compares sums. *Cost:* one streaming pass over the files.
///
/// ```
/// use datasets::{OfficialFile, verify};
/// let empty = tempfile::tempdir()?;
/// let report = verify(empty.path());
/// assert_eq!(report.len(), OfficialFile::ALL.len());
/// assert!(report.iter().all(|(_, found)| found.is_none()));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn verify(directory: &Path) -> Vec<(&'static OfficialFile, Option<Result<SourceFile, DataError>>)> {
    let files = const { &OfficialFile::ALL }.iter();
    files.map(|file| (file, file.locate(directory).map(|path| file.verify(&path)))).collect()
}
