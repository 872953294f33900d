//! Follows the links from `README.md`, and writes what they lead to.

use crate::frame::{self, Group, escape};
use crate::page::{Page, page};
use crate::place::{Kind, kind, on_site, relative, resolve};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The front page.
const FRONT: &str = "README.md";
/// The page whose headings and links are the navigation.
const MAP: &str = "docs/README.md";
/// The folder of which every page has to be reached.
const DOCS: &str = "docs";
/// References that other programs write: a folder of the site, its first page, its name. They are linked
/// where they are.
const REFERENCES: [(&str, &str, &str); 2] =
    [("rust", "ocoboost/index.html", "Rust"), ("python", "ocoboost.html", "Python")];

/// Why there is no site.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SiteError {
    #[error("{path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error("links that lead nowhere:\n{}", .0.join("\n"))]
    Links(Vec<String>),
    #[error("no link leads to {}", .0.join(", "))]
    Unreached(Vec<String>),
}

/// Writes the site, and returns the number of its pages.
pub(crate) fn build(root: &Path, out: &Path) -> Result<usize, SiteError> {
    let found = Found::from(root)?;
    let broken = found.broken();
    if !broken.is_empty() {
        return Err(SiteError::Links(broken));
    }
    let mut pages = Vec::new();
    markdown_below(root, DOCS, &mut pages)?;
    pages.retain(|path| !found.pages.contains_key(path));
    if !pages.is_empty() {
        return Err(SiteError::Unreached(pages));
    }
    found.write(root, out)
}

/// What the links lead to.
#[derive(Debug, Default)]
struct Found {
    /// The pages by their paths in the checkout.
    pages: BTreeMap<String, Page>,
    /// Everything else.
    others: BTreeMap<String, Kind>,
    links: Vec<Link>,
    missing: Vec<String>,
}

/// A link to a heading.
#[derive(Debug)]
struct Link {
    from: String,
    to: String,
    anchor: String,
}

impl Found {
    fn from(root: &Path) -> Result<Self, SiteError> {
        let mut found = Self::default();
        let mut open = vec![FRONT.to_owned(), MAP.to_owned()];
        while let Some(path) = open.pop() {
            if found.pages.contains_key(&path) {
                continue;
            }
            let text = read(root, &path)?;
            let made = page(&text, |target| found.address(root, &path, target, &mut open));
            found.pages.insert(path, made);
        }
        Ok(found)
    }

    /// The address on the site that a link of a page becomes. Where it leads to is noted.
    fn address(&mut self, root: &Path, from: &str, target: &str, open: &mut Vec<String>) -> String {
        if target.contains("://") || target.starts_with("mailto:") {
            return target.to_owned();
        }
        let (file, anchor) = target.split_once('#').map_or((target, None), |(file, name)| (file, Some(name)));
        let path = if file.is_empty() { Some(from.to_owned()) } else { resolve(from, file) };
        let Some(path) = path.filter(|path| root.join(path).exists()) else {
            self.missing.push(format!("{from}: {target}"));
            return target.to_owned();
        };
        let is_folder = root.join(&path).is_dir();
        let readme = format!("{path}/README.md");
        let (path, kind) = match is_folder {
            true if root.join(&readme).is_file() => (readme, Kind::Markdown),
            true => (path, Kind::Folder),
            false => (path.clone(), kind(&path)),
        };
        let to = relative(&on_site(from, Kind::Markdown), &on_site(&path, kind));
        if kind == Kind::Markdown {
            open.push(path.clone());
        } else {
            self.others.insert(path.clone(), kind);
        }
        match anchor {
            None => to,
            Some(anchor) => {
                self.links.push(Link { from: from.to_owned(), to: path, anchor: anchor.to_owned() });
                if file.is_empty() { target.to_owned() } else { format!("{to}#{anchor}") }
            }
        }
    }

    /// The links to no file, and those to headings that their page does not have.
    fn broken(&self) -> Vec<String> {
        let is_there =
            |link: &&Link| self.pages.get(&link.to).is_some_and(|page| page.anchors.contains(&link.anchor));
        let headings = self.links.iter().filter(|link| !is_there(link));
        let headings = headings.map(|link| format!("{}: {}#{}", link.from, link.to, link.anchor));
        self.missing.iter().cloned().chain(headings).collect()
    }

    fn write(&self, root: &Path, out: &Path) -> Result<usize, SiteError> {
        let navigation = self.navigation(&read(root, MAP)?, out);
        let put = |path: &str, title: &str, body: &str| {
            write(&out.join(path), &frame::around(path, title, body, &navigation))
        };
        for (path, page) in &self.pages {
            put(&on_site(path, Kind::Markdown), &page.title, &page.html)?;
        }
        for (path, kind) in &self.others {
            let place = on_site(path, *kind);
            match kind {
                Kind::Copy => {
                    let target = out.join(&place);
                    make_folder(&target)?;
                    let copied = fs::copy(root.join(path), &target);
                    copied.map_err(|source| SiteError::File { path: root.join(path), source })?;
                }
                Kind::Folder => {
                    let names = names(root, path)?;
                    let names = names.iter().map(|name| (name.as_str(), self.within(path, name)));
                    put(&place, path, &frame::folder(path, names))?;
                }
                Kind::Text | Kind::Markdown => put(&place, path, &frame::text(path, &read(root, path)?))?,
            }
        }
        write(&out.join(frame::STYLE_FILE), frame::STYLE)?;
        Ok(self.pages.len() + self.others.values().filter(|kind| **kind != Kind::Copy).count())
    }

    /// The address of what is in a folder from the folder's page, if it is on the site.
    fn within(&self, folder: &str, name: &str) -> Option<String> {
        let path = format!("{folder}/{}", name.trim_end_matches('/'));
        let readme = format!("{path}/README.md");
        let page = [&path, &readme].into_iter().find(|path| self.pages.contains_key(*path));
        let to = match page {
            Some(page) => on_site(page, Kind::Markdown),
            None => on_site(&path, *self.others.get(&path)?),
        };
        Some(relative(&on_site(folder, Kind::Folder), &to))
    }

    /// The headings of the map, each with the pages that it names first; and the references that are there.
    fn navigation(&self, map: &str, out: &Path) -> Vec<Group> {
        let (mut groups, mut seen) = (Vec::new(), BTreeSet::new());
        let front = [FRONT, MAP].map(|path| self.entry(path));
        groups.push(Group { title: String::new(), entries: front.into_iter().flatten().collect() });
        seen.extend([FRONT, MAP].map(str::to_owned));
        for section in map.split("\n## ").skip(1) {
            let mut entries = Vec::new();
            page(section, |target| {
                let file = target.split('#').next().unwrap_or_default();
                let path = resolve(MAP, file).filter(|path| self.pages.contains_key(path));
                entries
                    .extend(path.filter(|path| seen.insert(path.clone())).and_then(|path| self.entry(&path)));
                String::new()
            });
            let title = section.lines().next().unwrap_or_default().to_owned();
            groups.push(Group { title, entries });
        }
        let there = REFERENCES.iter().map(|(folder, first, name)| (format!("{folder}/{first}"), *name));
        let there = there.filter(|(path, _)| out.join(path).is_file());
        let entries: Vec<_> = there.map(|(path, name)| (path, name.to_owned())).collect();
        if !entries.is_empty() {
            groups.push(Group { title: "Reference".to_owned(), entries });
        }
        groups
    }

    /// The place of a page, and its title.
    fn entry(&self, path: &str) -> Option<(String, String)> {
        let page = self.pages.get(path)?;
        Some((on_site(path, Kind::Markdown), escape(&page.title)))
    }
}

/// The Markdown files of a folder and of those in it.
fn markdown_below(root: &Path, folder: &str, found: &mut Vec<String>) -> Result<(), SiteError> {
    for name in names(root, folder)? {
        let path = format!("{folder}/{name}");
        if name.ends_with('/') {
            markdown_below(root, path.trim_end_matches('/'), found)?;
        } else if kind(&path) == Kind::Markdown {
            found.push(path);
        }
    }
    Ok(())
}

/// The names in a folder in their order, those of folders with a slash.
fn names(root: &Path, folder: &str) -> Result<Vec<String>, SiteError> {
    let path = root.join(folder);
    let failed = |source| SiteError::File { path: path.clone(), source };
    let mut names = Vec::new();
    for entry in fs::read_dir(&path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let end = if entry.path().is_dir() { "/" } else { "" };
        names.push(entry.file_name().to_string_lossy().into_owned() + end);
    }
    names.sort_unstable();
    Ok(names)
}

fn read(root: &Path, path: &str) -> Result<String, SiteError> {
    let path = root.join(path);
    fs::read_to_string(&path).map_err(|source| SiteError::File { path, source })
}

fn write(path: &Path, text: &str) -> Result<(), SiteError> {
    make_folder(path)?;
    fs::write(path, text).map_err(|source| SiteError::File { path: path.to_owned(), source })
}

/// Makes the folder that a file is in.
fn make_folder(path: &Path) -> Result<(), SiteError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|source| SiteError::File { path: folder.to_owned(), source })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may")]
    use super::*;

    const FILES: [(&str, &str); 7] = [
        (
            "README.md",
            "# Front\n\n[map](docs/README.md) [code](src/a.rs) [folder](src) [part](src/part) ![p](docs/p.svg)\n",
        ),
        (
            "docs/README.md",
            "# Map\n\n## By job\n\n- [one](one.md#a-part)\n- [one](one.md) [the front](../README.md)\n",
        ),
        (
            "docs/one.md",
            "# Page `<one>`\n\n## A part\n\n[up](../README.md) [here](#a-part) [out](https://example.org)\n",
        ),
        ("docs/p.svg", "<svg/>"),
        ("src/a.rs", "fn a() -> Vec<u8> {}\n"),
        ("src/<b>.rs", "fn b() {}\n"),
        ("src/part/README.md", "# Part\n"),
    ];

    fn checkout(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in FILES.iter().chain(files) {
            write(&folder.path().join(path), text).unwrap();
        }
        folder
    }

    fn error(files: &[(&str, &str)]) -> String {
        let folder = checkout(files);
        build(folder.path(), &folder.path().join("out")).unwrap_err().to_string()
    }

    #[test]
    fn a_site_has_every_page_and_what_it_links() {
        let folder = checkout(&[]);
        let out = folder.path().join("out");
        write(&out.join("rust/ocoboost/index.html"), "").unwrap();
        assert_eq!(build(folder.path(), &out).unwrap(), 6);
        let of = |path: &str| fs::read_to_string(out.join(path)).unwrap();
        let front = of("index.html");
        for part in ["<a href=\"docs/index.html\">map</a>", "src=\"docs/p.svg\"", "href=\"src/a.rs.html\""] {
            assert!(front.contains(part), "{part}: {front}");
        }
        let one = of("docs/one.html");
        // The title of a page is text, in the navigation of another and in its own.
        assert!(of("docs/index.html").contains("<a href=\"../docs/one.html\">Page &lt;one&gt;</a>"), "{one}");
        assert!(one.contains("<title>Page &lt;one&gt;</title>"), "{one}");
        assert_eq!(one.matches("docs/one.html").count(), 1, "named once in the navigation: {one}");
        assert!(one.contains("<a href=\"#a-part\">here</a>") && one.contains("https://example.org"));
        assert!(one.contains("href=\"../rust/ocoboost/index.html\"") && !one.contains("python/"), "{one}");
        assert!(of("src/a.rs.html").contains("Vec&lt;u8&gt;"));
        let folder = of("src/index.html");
        assert!(folder.contains("&lt;b&gt;.rs\n<a href=\"../src/a.rs.html\">a.rs</a>\n<a href=\"../src/part/index.html\">part/</a>\n"), "{folder}");
        assert_eq!(of("docs/p.svg"), "<svg/>");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let text =
            "# A\n[x](gone.md) [y](../README.md#gone) [z](#gone) [w](../src/a.rs#L1) [v](../../x) [u](#a)\n";
        let found = error(&[("docs/one.md", &format!("{text}\n## A part\n"))]);
        let lines: Vec<&str> = found.lines().skip(1).collect();
        let expected = [
            "docs/one.md: gone.md",
            "docs/one.md: ../../x",
            "docs/one.md: README.md#gone",
            "docs/one.md: docs/one.md#gone",
            "docs/one.md: src/a.rs#L1",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_page_that_no_link_leads_to_is_named() {
        assert_eq!(error(&[("docs/guide/two.md", "# Two\n")]), "no link leads to docs/guide/two.md");
    }
}
