//! Markdown as HTML, with links that are rewritten on the way.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use std::collections::{BTreeMap, BTreeSet};

/// A page without its frame.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The text of its first heading.
    pub(crate) title: String,
    pub(crate) html: String,
    /// The names that its headings can be linked by.
    pub(crate) anchors: BTreeSet<String>,
}

/// Turns a page into HTML. Every address of a link or a picture passes through `address`.
pub(crate) fn page(markdown: &str, mut address: impl FnMut(&str) -> String) -> Page {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let events: Vec<Event<'_>> = Parser::new_ext(markdown, options).collect();
    let (mut page, mut counts) = (Page::default(), BTreeMap::new());
    let mut rewritten = Vec::with_capacity(events.len());
    for (k, event) in events.iter().enumerate() {
        let event = match event.clone() {
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let text = heading(events.get(k + 1..).unwrap_or_default());
                if level == HeadingLevel::H1 && page.title.is_empty() {
                    page.title.clone_from(&text);
                }
                let id = unique(anchor(&text), &mut counts);
                page.anchors.insert(id.clone());
                Event::Start(Tag::Heading { level, id: Some(id.into()), classes, attrs })
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let dest_url = address(&dest_url).into();
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = address(&dest_url).into();
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            event => event,
        };
        // A wide table scrolls in a box of its own, which the keyboard reaches.
        if matches!(event, Event::Start(Tag::Table(_))) {
            rewritten.push(Event::Html(CowStr::Borrowed("<div class=\"wide\" tabindex=\"0\">")));
        }
        let is_end = matches!(event, Event::End(TagEnd::Table));
        rewritten.push(event);
        if is_end {
            rewritten.push(Event::Html(CowStr::Borrowed("</div>\n")));
        }
    }
    html::push_html(&mut page.html, rewritten.into_iter());
    page
}

/// The text of a heading, from what follows its start.
fn heading(events: &[Event<'_>]) -> String {
    let inside = events.iter().take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let texts = inside.filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        Event::SoftBreak => Some(" "),
        _ => None,
    });
    texts.collect()
}

/// The name of a heading in addresses: letters, digits and hyphens, with hyphens for spaces.
fn anchor(text: &str) -> String {
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The second heading of a name gets a number.
fn unique(name: String, counts: &mut BTreeMap<String, u32>) -> String {
    let count = counts.entry(name.clone()).or_default();
    *count += 1;
    if *count == 1 { name } else { format!("{name}-{}", *count - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_named_as_links_name_them() {
        let found = page("# A `b` (c), d\n\n## [L23] Two-step, 1.5x\n\n## Same\n\n## Same\n", str::to_owned);
        assert_eq!(found.title, "A b (c), d");
        let anchors: Vec<&str> = found.anchors.iter().map(String::as_str).collect();
        assert_eq!(anchors, ["a-b-c-d", "l23-two-step-15x", "same", "same-1"]);
        assert!(found.html.contains("<h2 id=\"same-1\">Same</h2>"), "{}", found.html);
    }

    #[test]
    fn addresses_are_rewritten_and_tables_have_a_box() {
        let found = page("[a](x.md#y) ![b](z.svg) `[c](d.md)`\n\n| a |\n|---|\n| b |\n", |found| {
            format!("<{found}>")
        });
        assert!(found.html.contains("href=\"%3Cx.md#y%3E\""), "{}", found.html);
        assert!(found.html.contains("src=\"%3Cz.svg%3E\"") && !found.html.contains("%3Cd.md"));
        let table = found.html.split("<div class=\"wide\" tabindex=\"0\">").nth(1).unwrap_or_default();
        assert!(table.starts_with("<table>") && table.ends_with("</table>\n</div>\n"), "{}", found.html);
    }
}
