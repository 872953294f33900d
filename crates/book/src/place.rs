//! Where a file of the checkout is on the site. Paths have slashes and begin at the root of either.

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A page of its own.
    Markdown,
    /// A page with its text.
    Text,
    /// A page with the names in it.
    Folder,
    /// Copied as it is.
    Copy,
}

/// The kind of a file, by its name.
pub(crate) fn kind(path: &str) -> Kind {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("md") => Kind::Markdown,
        None | Some("rs" | "toml" | "py" | "pyi" | "txt" | "json" | "cff" | "sh") => Kind::Text,
        Some(_) => Kind::Copy,
    }
}

/// The path of a file on the site.
pub(crate) fn on_site(path: &str, kind: Kind) -> String {
    match kind {
        Kind::Markdown => match path.strip_suffix("README.md") {
            Some(folder) if folder.is_empty() || folder.ends_with('/') => format!("{folder}index.html"),
            _ => format!("{}.html", path.trim_end_matches(".md")),
        },
        Kind::Text => format!("{path}.html"),
        Kind::Folder => format!("{path}/index.html"),
        Kind::Copy => path.to_owned(),
    }
}

/// A relative address, from one path of the site to another.
pub(crate) fn relative(from: &str, to: &str) -> String {
    "../".repeat(from.matches('/').count()) + to
}

/// The path that a link of a file leads to; `None` outside the checkout.
pub(crate) fn resolve(from: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readme_is_the_index_of_its_folder() {
        let of = |path: &str| on_site(path, kind(path));
        assert_eq!(of("README.md"), "index.html");
        assert_eq!(of("docs/README.md"), "docs/index.html");
        assert_eq!(of("docs/guide/stream.md"), "docs/guide/stream.html");
        assert_eq!(of("docs/NOT-README.md"), "docs/NOT-README.html");
        assert_eq!(of("xtask/src/main.rs"), "xtask/src/main.rs.html");
        assert_eq!(of("LICENSE-MIT"), "LICENSE-MIT.html");
        assert_eq!(of("docs/benchmarks.svg"), "docs/benchmarks.svg");
    }

    #[test]
    fn addresses_are_relative() {
        assert_eq!(relative("index.html", "docs/index.html"), "docs/index.html");
        assert_eq!(relative("docs/guide/stream.html", "style.css"), "../../style.css");
        assert_eq!(resolve("docs/guide/stream.md", "../errata.md"), Some("docs/errata.md".into()));
        assert_eq!(resolve("README.md", "./docs//errata.md"), Some("docs/errata.md".into()));
        assert_eq!(resolve("docs/errata.md", "../../x.md"), None);
    }
}
