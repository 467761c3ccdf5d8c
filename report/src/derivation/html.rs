//! Inference rules as a page: they fold and unfold, one after the other can be walked through, and
//! each shows its rule with what stands for the letters. The page needs nothing else, and no script
//! for folding.

use super::drawing::{Drawing, Given, Node};
use super::formula::{Formula, Kind, Piece, clip, code, schematic};
use super::letter::{THREAD, settled};
use super::outline::{Outline, Section};
use super::texts::range;
use crate::markup::escape;
use babycuda_core::deep::grow;
use babycuda_core::rules::Rule;
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

/// Characters of a formula: in the tree, and beside its rule.
const LONG: usize = 600;
const CARD: usize = 1500;

/// No page that this one could load, and no text that could become a part of it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
    base-uri 'none'; form-action 'none'";

struct Page<'a> {
    drawing: &'a Drawing,
    outline: Outline,
    /// The numbers that threads have in what is drawn once for them.
    tables: Vec<Arc<Vec<String>>>,
    known: HashMap<Arc<Vec<String>>, usize>,
    out: String,
    /// How many nodes were written.
    shown: usize,
}

impl Page<'_> {
    /// The line of a name and what it stands for, which is the same for all threads.
    fn meaning(&mut self, name: &str, meaning: &Formula) {
        let _ = write!(self.out, "<dt>{}</dt><dd>", escape(name));
        let fixed = |piece: &Piece| Piece { values: None, ..piece.clone() };
        self.formula(&meaning.iter().map(fixed).collect(), usize::MAX);
        self.out.push_str("</dd>\n");
    }

    fn formula(&mut self, formula: &Formula, most: usize) {
        self.out.push_str("<span class=\"f\">");
        for piece in clip(formula, most) {
            let text = escape(&piece.text);
            if let Some(values) = piece.values {
                let next = self.tables.len();
                let table = *self.known.entry(values.clone()).or_insert(next);
                if table == next {
                    self.tables.push(values);
                }
                let _ = match piece.kind {
                    Kind::Sub => {
                        write!(self.out, "<sub><var data-t=\"{table}\">{text}</var></sub>")
                    }
                    _ => write!(self.out, "<var data-t=\"{table}\">{text}</var>"),
                };
                continue;
            }
            let _ = match piece.kind {
                Kind::Math => write!(self.out, "<i>{text}</i>"),
                Kind::Code => write!(self.out, "{text}"),
                Kind::Sub => write!(self.out, "<sub>{text}</sub>"),
                Kind::Name => write!(self.out, "<b>{text}</b>"),
            };
        }
        self.out.push_str("</span>");
    }

    /// The rule as the ledger prints it, its premises as they are here, and what the letters are.
    fn card(&mut self, shown: usize, node: &Node) {
        let rule = node.rule;
        let _ = write!(self.out, "<div class=\"card\" id=\"c{shown}\" role=\"note\">");
        self.schema(rule);
        let _ = write!(self.out, "<p>{}</p><table>", escape(&rule.source.to_string()));
        for premise in &node.premises {
            let text = schematic(rule.premise(premise.number).unwrap_or(""));
            let first = (format!("premise {}: ", premise.number), text);
            match &premise.given {
                Given::Side(formula) | Given::Unseen(formula) => self.row(&first, formula),
                Given::Fails(formula, why) => {
                    self.row(&first, formula);
                    self.row(&("fails".to_owned(), Formula::new()), &vec![code(why)]);
                }
                Given::Derived(child, _) | Given::Family(child, _) => {
                    let conclusion = self.drawing.nodes[*child].conclusion.clone();
                    self.row(&first, &conclusion);
                }
                Given::Omitted(_) => {}
            }
        }
        for (letter, formula) in &node.bindings {
            self.row(&(format!("{letter} :="), Formula::new()), formula);
        }
        self.out.push_str("</table></div>\n");
    }

    /// The rule as the ledger has it, its premises in as many lines as they need.
    fn schema(&mut self, rule: &Rule) {
        self.out.push_str("<div class=\"schema\"><div class=\"above\">");
        for premise in rule.premises {
            self.formula(&schematic(premise), usize::MAX);
        }
        self.out.push_str("</div><div class=\"below\">");
        self.formula(&schematic(rule.conclusion), usize::MAX);
        let _ = write!(self.out, "<span class=\"rule\">{}</span></div></div>", escape(rule.id));
    }

    fn row(&mut self, (first, text): &(String, Formula), formula: &Formula) {
        let _ = write!(self.out, "<tr><td>{}", escape(first));
        if !text.is_empty() {
            self.formula(text, usize::MAX);
        }
        self.out.push_str("</td><td>");
        self.formula(formula, CARD);
        self.out.push_str("</td></tr>");
    }

    fn node(&mut self, place: usize) {
        let drawing = self.drawing;
        let node = &drawing.nodes[place];
        let mut class = String::from("fold");
        class.push_str(if node.premises.is_empty() { " leaf" } else { "" });
        class.push_str(if node.stopped { " stop" } else { "" });
        let open = if self.outline.open[place] { " open" } else { "" };
        let step = self.outline.step(place, None);
        // A node may stand in several places.
        let shown = self.shown;
        self.shown += 1;
        let controls = match node.premises.is_empty() {
            true => String::new(),
            false => format!(" aria-controls=\"p{shown}\""),
        };
        let _ = write!(
            self.out,
            "<div class=\"node\"><details class=\"{class}\"{open}{step}><summary{controls} \
             aria-describedby=\"c{shown}\">"
        );
        self.formula(&node.conclusion, LONG);
        let _ = writeln!(
            self.out,
            "<span class=\"rule\">{}</span></summary></details>",
            escape(node.rule.id)
        );
        self.card(shown, node);
        if !node.premises.is_empty() {
            let _ = writeln!(
                self.out,
                "<ol class=\"premises\" id=\"p{shown}\" aria-label=\"premises of {}\">",
                escape(node.rule.id)
            );
            for (position, premise) in node.premises.iter().enumerate() {
                self.premise(place, position, &premise.given);
            }
            self.out.push_str("</ol>");
        }
        self.out.push_str("</div>\n");
    }

    fn premise(&mut self, place: usize, position: usize, given: &Given) {
        let step = self.outline.step(place, Some(position));
        match given {
            Given::Side(formula) => {
                let _ = write!(self.out, "<li class=\"side\"{step}>");
                self.formula(formula, LONG);
            }
            Given::Fails(formula, why) => {
                let _ = write!(self.out, "<li class=\"side fails\"{step}>✗ ");
                self.formula(formula, LONG);
                let _ = write!(self.out, "<br>fails: {}", escape(why));
            }
            Given::Unseen(formula) => {
                self.out.push_str("<li class=\"side unseen\">? ");
                self.formula(formula, LONG);
            }
            Given::Omitted(count) => {
                let _ = write!(
                    self.out,
                    "<li class=\"side unseen\">⋮ {count} more, which the format text has"
                );
            }
            Given::Derived(child, _) | Given::Family(child, _) => {
                match self.outline.names.get(child).copied() {
                    None => {
                        self.out.push_str("<li class=\"tree\">");
                        grow(|| self.node(*child));
                    }
                    Some(name) => {
                        let threads = match given {
                            Given::Family(_, threads) => {
                                format!("({THREAD}), {THREAD} = {}", escape(&range(threads)))
                            }
                            _ => String::new(),
                        };
                        let _ = write!(
                            self.out,
                            "<li class=\"far\"{step}><a href=\"#d{name}\">𝒟{name}{threads}</a> "
                        );
                        let conclusion = self.drawing.nodes[*child].conclusion.clone();
                        self.formula(&conclusion, LONG);
                    }
                }
            }
        }
        self.out.push_str("</li>\n");
    }

    fn section(&mut self, section: &Section) {
        if let Some(name) = section.name {
            let _ = write!(self.out, "<section id=\"d{name}\"><h2>𝒟{name}");
            match &section.threads {
                Some(threads) => {
                    let list: Vec<String> = threads.iter().map(u64::to_string).collect();
                    let _ = write!(
                        self.out,
                        "({THREAD}), for every thread {THREAD} = {}</h2>\n<label class=\"every\">show \
                         <input type=\"range\" min=\"-1\" max=\"{}\" value=\"-1\" data-threads=\"{}\">\
                         <output>every {THREAD}</output></label>\n",
                        escape(&range(threads)),
                        threads.len() - 1,
                        list.join(" ")
                    );
                }
                None => self.out.push_str("</h2>\n"),
            }
        } else {
            self.out.push_str("<section id=\"d0\">\n");
        }
        self.out.push_str("<div class=\"whole\">");
        self.node(section.node);
        self.out.push_str("</div></section>\n");
    }

    fn tables(&self) -> String {
        let digits = |value: &String| {
            let text: String = value.chars().filter(char::is_ascii_digit).collect();
            format!("\"{text}\"")
        };
        let rows = self.tables.iter().map(|values| {
            let values: Vec<String> = values.iter().map(digits).collect();
            format!("[{}]", values.join(","))
        });
        format!("[{}]", rows.collect::<Vec<_>>().join(","))
    }
}

/// A page of HTML that needs nothing else.
pub fn html(drawing: &Drawing) -> String {
    let outline = Outline::of(drawing);
    let sections = outline.sections.clone();
    let (tables, known, out) = (Vec::new(), HashMap::new(), String::new());
    let mut page = Page { drawing, outline, tables, known, out, shown: 0 };
    for section in &sections {
        page.section(section);
    }
    page.out.push_str("<section><h2>Names</h2>\n<dl>\n");
    for (name, meaning) in &drawing.legend {
        page.meaning(name, meaning);
    }
    page.out.push_str("</dl></section>\n");
    let notes: Vec<String> =
        drawing.notes.iter().map(|note| format!("<p>{}</p>\n", escape(note))).collect();
    let title = escape(&drawing.title);
    let (style, script) = (include_str!("page.css"), include_str!("page.js"));
    let (tables, body, notes) = (page.tables(), page.out, notes.concat());
    let page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body class=\"rules\">\n\
         <header><h1>{title}</h1>\n{notes}</header>\n\
         <nav aria-label=\"Derivation\"><button type=\"button\" data-act=\"start\">whole</button>\
         <button type=\"button\" data-act=\"back\">previous</button>\
         <button type=\"button\" data-act=\"next\">next</button><output id=\"place\"></output>\
         <button type=\"button\" data-act=\"fold\">fold all</button>\
         <button type=\"button\" data-act=\"unfold\">unfold all</button>\
         <button type=\"button\" data-act=\"layout\" aria-pressed=\"false\">outline</button></nav>\n\
         <main>\n{body}</main>\n\
         <script type=\"application/json\" id=\"tables\">{tables}</script>\n\
         <script>\n{script}</script>\n</body>\n</html>\n"
    );
    settled(&page, drawing)
}
