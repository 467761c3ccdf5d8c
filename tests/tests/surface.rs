//! The public surface of the crates that docs/STABILITY.md calls stable is what `tests/surface` has: a change is seen where it is
//! made. `BABYCUDA_BLESS=1` writes it.
//!
//! A line is an item that is `pub`, where it is defined; `pub use` says what a crate shows of private modules.

use quote::{ToTokens, quote};
use std::fs;
use std::path::{Path, PathBuf};
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Visibility};

const CRATES: [(&str, &str); 12] = [
    ("babycuda", "src"),
    ("clang", "clang/src"),
    ("core", "core/src"),
    ("detectors", "detectors/src"),
    ("frontend", "frontend/src"),
    ("gpu", "gpu/src"),
    ("kernel", "kernel/src"),
    ("protocols", "protocols/src"),
    ("semantics", "semantics/src"),
    ("smt", "smt/src"),
    ("traces", "traces/src"),
    ("typing", "typing/src"),
];

#[test]
fn the_public_surface_is_as_written() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, sources) in CRATES {
        let mut surface = Surface::default();
        surface.file(&root.join(sources).join("lib.rs"), &root.join(sources), "");
        let text = surface.lines.join("\n") + "\n";
        let path = root.join("tests/surface").join(format!("{name}.txt"));
        if std::env::var_os("BABYCUDA_BLESS").is_some() {
            fs::write(&path, &text).unwrap();
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        let new: Vec<&str> = text.lines().filter(|l| !written.lines().any(|k| k == *l)).collect();
        let gone: Vec<&str> = written.lines().filter(|l| !text.lines().any(|k| k == *l)).collect();
        assert!(
            written == text,
            "the surface of {name} is another one: BABYCUDA_BLESS=1 writes it\nnew: {new:#?}\ngone: {gone:#?}"
        );
        assert!(text.lines().count() > 10, "{name}: {text}");
    }
}

/// What the facade shows of other crates is stable as well.
#[test]
fn every_crate_that_the_facade_shows_has_its_surface_written() {
    let facade =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/lib.rs")).unwrap();
    let shown = facade.lines().filter_map(|line| line.strip_prefix("pub use babycuda_"));
    let shown: Vec<&str> = shown.filter_map(|rest| rest.split([':', ' ', ';']).next()).collect();
    assert!(shown.len() > 10, "{shown:?}");
    for name in shown {
        assert!(CRATES.iter().any(|(known, _)| *known == name), "babycuda_{name}");
    }
}

#[derive(Default)]
struct Surface {
    lines: Vec<String>,
}

impl Surface {
    /// All of a file, and of the modules that it names, whose files are in `folder`.
    fn file(&mut self, path: &Path, folder: &Path, module: &str) {
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let file = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        self.items(&file.items, folder, module);
    }

    fn items(&mut self, items: &[Item], folder: &Path, module: &str) {
        for item in items {
            match item {
                Item::Mod(of) if !is_test(&of.attrs) => {
                    let name = of.ident.to_string();
                    let inner =
                        if module.is_empty() { name.clone() } else { format!("{module}::{name}") };
                    if is_public(&of.vis) {
                        self.say(module, &format!("pub mod {name}"));
                    }
                    match &of.content {
                        Some((_, items)) => self.items(items, &folder.join(&name), &inner),
                        None => {
                            let (file, below) = file_of(&of.attrs, folder, &name);
                            self.file(&file, &below, &inner);
                        }
                    }
                }
                Item::Impl(of) => {
                    let (ty, generics) = (&of.self_ty, &of.generics);
                    let of_type = words(quote!(impl #generics #ty));
                    match &of.trait_ {
                        Some((_, path, _)) => {
                            self.say(module, &words(quote!(impl #generics #path for #ty)));
                        }
                        None => {
                            for item in &of.items {
                                match item {
                                    ImplItem::Fn(f) if is_public(&f.vis) => {
                                        self.say(
                                            module,
                                            &format!("{of_type}: pub {}", words(&f.sig)),
                                        );
                                    }
                                    ImplItem::Const(c) if is_public(&c.vis) => {
                                        let (name, ty) = (&c.ident, &c.ty);
                                        let text = words(quote!(pub const #name: #ty));
                                        self.say(module, &format!("{of_type}: {text}"));
                                    }
                                    _ => {}
                                }
                            }
                        }
                    }
                }
                other => {
                    if let Some(text) = public(other) {
                        self.say(module, &text);
                    }
                }
            }
        }
    }

    fn say(&mut self, module: &str, text: &str) {
        let module = if module.is_empty() { String::new() } else { format!("{module}: ") };
        self.lines.push(format!("{module}{text}"));
    }
}

/// An item that is public; without the bodies of functions and the values of constants.
fn public(item: &Item) -> Option<String> {
    match item {
        Item::Fn(f) if is_public(&f.vis) => Some(format!("pub {}", words(&f.sig))),
        Item::Use(of) if is_public(&of.vis) => {
            let tree = &of.tree;
            Some(words(quote!(pub use #tree)))
        }
        Item::Const(c) if is_public(&c.vis) => {
            let (name, ty) = (&c.ident, &c.ty);
            Some(words(quote!(pub const #name: #ty)))
        }
        Item::Type(of) if is_public(&of.vis) => {
            let (name, generics, ty) = (&of.ident, &of.generics, &of.ty);
            Some(words(quote!(pub type #name #generics = #ty)))
        }
        Item::Macro(of) if of.attrs.iter().any(|a| a.path().is_ident("macro_export")) => {
            of.ident.as_ref().map(|name| format!("macro {name}!"))
        }
        Item::Struct(of) if is_public(&of.vis) => {
            let (name, generics) = (&of.ident, &of.generics);
            let shown = |field: &syn::Field| is_public(&field.vis).then(|| field_of(field));
            let mut fields: Vec<String> = of.fields.iter().filter_map(shown).collect();
            if of.fields.iter().any(|field| !is_public(&field.vis)) {
                fields.push("..".to_owned());
            }
            let head = words(quote!(pub struct #name #generics));
            Some(format!("{}{head} {{ {} }}", attributes(&of.attrs), fields.join(", ")))
        }
        Item::Enum(of) if is_public(&of.vis) => {
            let (name, generics) = (&of.ident, &of.generics);
            let variant = |v: &syn::Variant| {
                let fields: Vec<String> = v.fields.iter().map(field_of).collect();
                match v.fields {
                    Fields::Unit => v.ident.to_string(),
                    Fields::Unnamed(_) => format!("{}({})", v.ident, fields.join(", ")),
                    Fields::Named(_) => format!("{} {{ {} }}", v.ident, fields.join(", ")),
                }
            };
            let variants: Vec<String> = of.variants.iter().map(variant).collect();
            let head = words(quote!(pub enum #name #generics));
            Some(format!("{}{head} {{ {} }}", attributes(&of.attrs), variants.join(", ")))
        }
        Item::Trait(of) if is_public(&of.vis) => {
            let (name, generics, above) = (&of.ident, &of.generics, &of.supertraits);
            let item = |item: &TraitItem| match item {
                TraitItem::Fn(f) => {
                    let provided = if f.default.is_some() { " { .. }" } else { "" };
                    Some(words(&f.sig) + provided)
                }
                TraitItem::Type(of) => Some(format!("type {}", of.ident)),
                TraitItem::Const(c) => Some(format!("const {}: {}", c.ident, words(&c.ty))),
                _ => None,
            };
            let items: Vec<String> = of.items.iter().filter_map(item).collect();
            let head = words(quote!(pub trait #name #generics: #above));
            Some(format!("{head} {{ {} }}", items.join("; ")))
        }
        _ => None,
    }
}

fn field_of(field: &syn::Field) -> String {
    let ty = words(&field.ty);
    field.ident.as_ref().map_or_else(|| ty.clone(), |name| format!("{name}: {ty}"))
}

/// What is derived, and whether more may come.
fn attributes(attributes: &[Attribute]) -> String {
    let shown = attributes
        .iter()
        .filter(|a| a.path().is_ident("derive") || a.path().is_ident("non_exhaustive"));
    shown.map(|attribute| words(attribute) + " ").collect()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| a.path().is_ident("cfg") && words(a) == "#[cfg(test)]")
}

/// The file of a module, and the folder of the modules below it.
fn file_of(attributes: &[Attribute], folder: &Path, name: &str) -> (PathBuf, PathBuf) {
    assert!(attributes.iter().all(|a| !a.path().is_ident("path")), "{name}");
    let below = folder.join(name);
    let own = folder.join(format!("{name}.rs"));
    (if own.exists() { own } else { below.join("mod.rs") }, below)
}

/// As people write it, nearly: on one line, without documentation, and with few spaces.
fn words(tokens: impl ToTokens) -> String {
    let mut text = String::new();
    let spaced = tokens.to_token_stream().to_string();
    let mut chars = spaced.chars().peekable();
    while let Some(c) = chars.next() {
        let (before, next) = (text.chars().last(), chars.peek().copied());
        let close = |c: Option<char>| c.is_some_and(|c| ",;:.)>]?".contains(c));
        let open = |c: Option<char>| c.is_none_or(|c| "([<&#!.".contains(c) || c == ' ');
        let drop = c.is_whitespace()
            && (close(next)
                || open(before)
                || text.ends_with("::")
                || next.is_some_and(|c| "(<[!".contains(c))
                    && before.is_some_and(|c| c.is_alphanumeric() || c == '_'));
        if !drop {
            text.push(if c.is_whitespace() { ' ' } else { c });
        }
    }
    text.replace("->", " -> ").replace("  ", " ").replace("- >", "->")
}
