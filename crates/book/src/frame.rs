//! What stands around a page: its title, the navigation, the style.

use crate::place::relative;

/// The only file of the site that is not of the checkout.
pub(crate) const STYLE: &str = include_str!("style.css");
pub(crate) const STYLE_FILE: &str = "style.css";

/// A heading of the navigation, and what is below it: a path of the site and a title as HTML.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) title: String,
    pub(crate) entries: Vec<(String, String)>,
}

/// The whole page at a path of the site.
pub(crate) fn around(path: &str, title: &str, body: &str, navigation: &[Group]) -> String {
    let mut list = String::new();
    for group in navigation {
        if !group.title.is_empty() {
            list.push_str(&format!("<h2>{}</h2>\n", escape(&group.title)));
        }
        list.push_str("<ul>\n");
        for (to, name) in &group.entries {
            let current = if to == path { " aria-current=\"page\"" } else { "" };
            list.push_str(&format!("<li><a href=\"{}\"{current}>{name}</a></li>\n", relative(path, to)));
        }
        list.push_str("</ul>\n");
    }
    let (style, title) = (relative(path, STYLE_FILE), escape(title));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<link rel=\"stylesheet\" href=\"{style}\">\n</head>\n<body>\n\
         <a class=\"to-pages\" href=\"#pages\">All pages</a>\n<main>\n{body}</main>\n\
         <nav id=\"pages\" aria-label=\"All pages\">\n{list}</nav>\n</body>\n</html>\n"
    )
}

/// The page of a file that is no page.
pub(crate) fn text(name: &str, content: &str) -> String {
    format!("<h1>{}</h1>\n<pre tabindex=\"0\"><code>{}</code></pre>\n", escape(name), escape(content))
}

/// The page of a folder: the names in it, with the addresses of those that are on the site.
pub(crate) fn folder<'a>(path: &str, names: impl Iterator<Item = (&'a str, Option<String>)>) -> String {
    let lines = names.map(|(name, address)| match (escape(name), address) {
        (name, None) => format!("{name}\n"),
        (name, Some(address)) => format!("<a href=\"{}\">{name}</a>\n", escape(&address)),
    });
    format!("<h1>{}</h1>\n<pre tabindex=\"0\">{}</pre>\n", escape(path), lines.collect::<String>())
}

/// Text as HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
