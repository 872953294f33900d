//! The official files: where they are published, and the sums by which they are known.

use crate::dataset::SourceFile;
use crate::error::DataError;
use crate::files::Home;
use crate::files::source::Source;
use crate::names::{ClassificationName, Name, Set};
use std::path::{Path, PathBuf};

/// One official file of a data set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfficialFile {
    /// The set it belongs to.
    pub set: Set,
    /// Its official name, uncompressed; with the folders that it lies in, where its name alone is not unique.
    pub name: &'static str,
    /// Who publishes it.
    pub home: Home,
    /// Where it is published, below [`Home::address`]: the file itself, or a `.gz` or `.zip` of it.
    pub download: &'static str,
    /// SHA-256 of the uncompressed content, hexadecimal, where it is known.
    pub sha256: Option<&'static str>,
    /// Size of the uncompressed content, where it is known.
    pub bytes: Option<u64>,
}

impl OfficialFile {
    /// All files, set by set, the parts of a set in the order in which they are read.
    pub const ALL: [Self; 21] = [
        Self {
            set: Set::Table(Name::Abalone),
            name: "abalone.data",
            home: Home::Uci { number: 1 },
            download: "abalone/abalone.data",
            sha256: Some("de37cdcdcaaa50c309d514f248f7c2302a5f1f88c168905eba23fe2fbc78449f"),
            bytes: Some(191_873),
        },
        Self {
            set: Set::Table(Name::Adult),
            name: "adult.data",
            home: Home::Uci { number: 2 },
            download: "adult/adult.data",
            sha256: Some("5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
            bytes: Some(3_974_305),
        },
        Self {
            set: Set::Table(Name::Adult),
            name: "adult.test",
            home: Home::Uci { number: 2 },
            download: "adult/adult.test",
            sha256: Some("a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
            bytes: Some(2_003_153),
        },
        Self {
            set: Set::Table(Name::Census),
            name: "census-income.data",
            home: Home::Uci { number: 117 },
            download: "census-income-mld/census-income.data.gz",
            sha256: Some("3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86"),
            bytes: Some(103_874_469),
        },
        Self {
            set: Set::Table(Name::Census),
            name: "census-income.test",
            home: Home::Uci { number: 117 },
            download: "census-income-mld/census-income.test.gz",
            sha256: Some("98402b1ab879573d0a7f38a699a40258080e25e33d3401e7bf9c96d3fa0fab8c"),
            bytes: Some(51_918_813),
        },
        Self {
            set: Set::Table(Name::Letter),
            name: "letter-recognition.data",
            home: Home::Uci { number: 59 },
            download: "letter-recognition/letter-recognition.data",
            sha256: Some("2b89f3602cf768d3c8355267d2f13f2417809e101fc2b5ceee10db19a60de6e2"),
            bytes: Some(712_565),
        },
        Self {
            set: Set::Table(Name::Slice),
            name: "slice_localization_data.csv",
            home: Home::Uci { number: 206 },
            download: "00206/slice_localization_data.zip",
            sha256: None,
            bytes: None,
        },
        Self {
            set: Set::Table(Name::BreastCancer),
            name: "breast-cancer-wisconsin.data",
            home: Home::Uci { number: 15 },
            download: "breast-cancer-wisconsin/breast-cancer-wisconsin.data",
            sha256: Some("402c585309c399237740f635ef9919dc512cca12cbeb20de5e563a4593f22b64"),
            bytes: Some(19_889),
        },
        Self {
            set: Set::Table(Name::Ionosphere),
            name: "ionosphere.data",
            home: Home::Uci { number: 52 },
            download: "ionosphere/ionosphere.data",
            sha256: Some("46d52186b84e20be52918adb93e8fb9926b34795ff7504c24350ae0616a04bbd"),
            bytes: Some(76_467),
        },
        Self {
            set: Set::Table(Name::Spambase),
            name: "spambase.data",
            home: Home::Uci { number: 94 },
            download: "spambase/spambase.data",
            sha256: Some("b1ef93de71f97714d3d7d4f58fc9f718da7bbc8ac8a150eff2778616a8097b12"),
            bytes: Some(702_942),
        },
        Self {
            set: Set::Classification(ClassificationName::Covertype),
            name: "covtype.data",
            home: Home::Uci { number: 31 },
            download: "covtype/covtype.data.gz",
            sha256: Some("0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945"),
            bytes: Some(75_169_317),
        },
        Self {
            set: Set::Classification(ClassificationName::Fashion),
            name: "train-images-idx3-ubyte",
            home: Home::FashionMnist,
            download: "train-images-idx3-ubyte.gz",
            sha256: Some("c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888"),
            bytes: Some(47_040_016),
        },
        Self {
            set: Set::Classification(ClassificationName::Fashion),
            name: "train-labels-idx1-ubyte",
            home: Home::FashionMnist,
            download: "train-labels-idx1-ubyte.gz",
            sha256: Some("bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9"),
            bytes: Some(60_008),
        },
        Self {
            set: Set::Classification(ClassificationName::Fashion),
            name: "t10k-images-idx3-ubyte",
            home: Home::FashionMnist,
            download: "t10k-images-idx3-ubyte.gz",
            sha256: Some("5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b"),
            bytes: Some(7_840_016),
        },
        Self {
            set: Set::Classification(ClassificationName::Fashion),
            name: "t10k-labels-idx1-ubyte",
            home: Home::FashionMnist,
            download: "t10k-labels-idx1-ubyte.gz",
            sha256: Some("0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34"),
            bytes: Some(10_008),
        },
        Self {
            set: Set::Classification(ClassificationName::Scene),
            name: "scene.arff",
            home: Home::Mulan,
            download: "scene.arff",
            sha256: Some("5905548975b69b639ab31a295f7bf1ab7379a3f016450012722d28f660f4b143"),
            bytes: Some(6_210_984),
        },
        Self {
            set: Set::Classification(ClassificationName::Tmc),
            name: "tmc2007-500.arff",
            home: Home::Mulan,
            download: "tmc2007-500.arff",
            sha256: Some("3ea7e95dd80a78a3e7d521d77c3371bfef888da1d364b5a3bb71c7222ad7f013"),
            bytes: Some(4_193_699),
        },
        Self {
            set: Set::OpenBandit,
            name: "obd/bts/men/men.csv",
            home: Home::OpenBandit,
            download: "obd/bts/men/men.csv",
            sha256: Some("db6d1f7ed2d591ba521533e45286d4c1fba7fe57a8ad2e80342210335f43c527"),
            bytes: Some(3_240_432),
        },
        Self {
            set: Set::OpenBandit,
            name: "obd/bts/men/item_context.csv",
            home: Home::OpenBandit,
            download: "obd/bts/men/item_context.csv",
            sha256: Some("3b411ed6b0471316321a6b93f4f756bb25888eac6218cd71d0b603d41d85732d"),
            bytes: Some(4_287),
        },
        Self {
            set: Set::OpenBandit,
            name: "obd/random/men/men.csv",
            home: Home::OpenBandit,
            download: "obd/random/men/men.csv",
            sha256: Some("ede6d08c6877f99cd3770f7d09e26c738e6aa6de4445ccccfb1356ba5d06b1eb"),
            bytes: Some(3_336_811),
        },
        Self {
            set: Set::OpenBandit,
            name: "obd/random/men/item_context.csv",
            home: Home::OpenBandit,
            download: "obd/random/men/item_context.csv",
            sha256: Some("6d855c2b7e917d0448d71bbe62c023147495882c0fdc8c41e86fef86abf9fe09"),
            bytes: Some(4_287),
        },
    ];

    /// The files of one set.
    pub fn of(set: impl Into<Set>) -> impl Iterator<Item = &'static Self> {
        let set = set.into();
        const { &Self::ALL }.iter().filter(move |file| file.set == set)
    }

    /// The file in a folder, plain or compressed; the plain one where both are there.
    pub fn locate(&self, directory: &Path) -> Option<PathBuf> {
        let candidates = [directory.join(self.name), directory.join(format!("{}.gz", self.name))];
        candidates.into_iter().find(|path| path.is_file())
    }

    /// Opens the file at `path`, whose content may be as large as the official one.
    pub(crate) fn open(&self, path: &Path) -> Result<Source, DataError> {
        match self.bytes {
            Some(bytes) => Source::open_at_most(path, bytes),
            None => Source::open(path),
        }
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

    /// Reads the file at `path`, plain or compressed, and compares its content with the official sum. No more
    /// is read than one byte behind the official size.
    ///
    /// # Errors
    /// [`DataError::WrongChecksum`], [`DataError::TooLarge`], [`DataError::Io`], [`DataError::Truncated`].
    pub fn verify(&self, path: &Path) -> Result<SourceFile, DataError> {
        let file = self.open(path)?.finish()?;
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
