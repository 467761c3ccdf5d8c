//! Runs beside their source as a page.

use super::{Beside, LEGEND, SoFar};
use crate::markup::{escape, page};
use std::fmt::Write;

/// A page of HTML that needs nothing else.
pub fn html(all: &[Beside]) -> String {
    let mut body = String::new();
    for beside in all {
        let _ = writeln!(body, "<h1>{}</h1>\n<div class=\"wide\"><table>", escape(&beside.title));
        body.push_str("<thead><tr><th></th><th scope=\"col\">source</th>");
        for thread in &beside.threads {
            let _ = write!(body, "<th scope=\"col\">thread {thread}</th>");
        }
        body.push_str("</tr></thead>\n");
        for part in &beside.phases {
            let (racy, span) =
                (if part.racy { " class=\"racy\"" } else { "" }, beside.threads.len() + 2);
            let _ = writeln!(
                body,
                "<tbody><tr{racy}><th scope=\"rowgroup\" colspan=\"{span}\">{}</th></tr>",
                escape(&part.heading)
            );
            for line in &part.lines {
                let (number, text) = (line.number, escape(&line.text));
                let _ =
                    write!(body, "<tr><td class=\"n\">{number}</td><th scope=\"row\">{text}</th>");
                line.so_far.iter().for_each(|so_far| cell(so_far, &mut body));
                body.push_str("</tr>\n");
            }
            body.push_str("</tbody>\n");
        }
        body.push_str("</table></div>\n");
        for note in beside.rest(beside.threads.len()).iter().chain(&beside.notes) {
            let _ = writeln!(body, "<p>{}</p>", escape(note));
        }
    }
    let title = all.first().map_or("run", |beside| beside.title.as_str());
    let _ = writeln!(body, "<p class=\"legend\">{}</p>", escape(LEGEND));
    page(title, include_str!("page.css"), &body)
}

fn cell(so_far: &SoFar, out: &mut String) {
    out.push_str("<td>");
    if let Some(more) = so_far.more() {
        let _ = write!(out, "<span>{more}</span> ");
    }
    for done in &so_far.done {
        let classes = [(done.here, "here"), (done.racy, "racy")];
        let classes: Vec<&str> =
            classes.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
        let _ =
            write!(out, "<span class=\"{}\">{}</span> ", classes.join(" "), escape(&done.marked()));
    }
    out.push_str("</td>");
}
