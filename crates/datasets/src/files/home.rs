//! Who publishes an official file, and where.

use std::fmt;

/// The publisher of a file, and the address that its download paths start from.
///
/// ```
/// use datasets::Home;
/// assert_eq!(Home::Uci { number: 31 }.to_string(), "UCI 31");
/// assert!(Home::Uci { number: 31 }.address().is_some());
/// assert_eq!(Home::Mulan.address(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// The UCI Machine Learning Repository.
    Uci {
        /// The number of the data set in the repository.
        number: u32,
    },
    /// The repository of Fashion-MNIST, by Zalando Research.
    FashionMnist,
    /// The repository of the Open Bandit Pipeline, by ZOZO Research: it holds a small version of their logs.
    OpenBandit,
    /// The multi-label sets of the Mulan library, which are published as RAR archives only: their files must
    /// be unpacked and put in place by hand.
    Mulan,
}

impl Home {
    /// What a download path is appended to, with its last slash; `None` where no plain, gzip or zip file is
    /// published.
    pub fn address(self) -> Option<&'static str> {
        match self {
            Self::Uci { .. } => Some("https://archive.ics.uci.edu/ml/machine-learning-databases/"),
            Self::FashionMnist => {
                Some("https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/")
            }
            Self::OpenBandit => Some("https://raw.githubusercontent.com/st-tech/zr-obp/master/"),
            Self::Mulan => None,
        }
    }
}

impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uci { number } => f.pad(&format!("UCI {number}")),
            Self::FashionMnist => f.pad("Fashion-MNIST"),
            Self::OpenBandit => f.pad("Open Bandit"),
            Self::Mulan => f.pad("Mulan"),
        }
    }
}
