//! The kernels of a file.

use super::dropped::{Dropped, Names, text_around, uses_a_macro};
use super::{Lowered, Refusal, Translator};
use crate::diagnostics::{Diagnostic, MAIN, Unreadable};
use crate::document::{Document, Node};
use crate::index::{Index, arguments};
use crate::run::Source;
use crate::{ClangError, Found};
use babycuda_core::Span;
use babycuda_core::deep::grow;
use babycuda_kernel::Kernel;

/// Words that say that a declaration may matter to a kernel.
const MATTERS: [&str; 16] = [
    "__device__",
    "__global__",
    "__host__",
    "__constant__",
    "__shared__",
    "constexpr",
    "template",
    "struct",
    "class",
    "enum",
    "typedef",
    "using",
    "operator",
    "const",
    "texture",
    "surface",
];

/// The kernels of a document.
pub(crate) fn file(
    document: &Document,
    errors: &[Diagnostic],
    source: &Source<'_>,
) -> Result<Vec<Found>, ClangError> {
    let index = Index::new(document);
    let dropped: Vec<Dropped<'_>> =
        errors.iter().filter_map(|error| dropped(error, document, source)).collect();
    let names = (!dropped.is_empty()).then(|| Names::of(document, source));
    let mut found: Vec<Found> = Vec::new();
    for node in &index.functions {
        let is_kernel = |n: &Node| matches!(&*n.kind, "CUDAGlobalAttr" | "OpenCLKernelAttr");
        if !node.inner.iter().any(is_kernel) || node.body().is_none() {
            continue;
        }
        let mut translator = Translator::new(document, &index, errors, source);
        if translator.is_device(node) {
            continue;
        }
        let name = format!("{}{}", node.name, arguments(node));
        let at = translator.at(node);
        let span = Span::locate(source.text, translator.kernel[at].bytes.clone());
        let concerns = |names: &Names<'_>| {
            let mentioned = names.mentioned(node);
            dropped.iter().find(|dropped| dropped.concerns(&mentioned))
        };
        let kernel = match names.as_ref().and_then(concerns) {
            Some(Dropped { error, .. }) => Err(error.unreadable(source.text, &document.includes)),
            None if index.is_pattern(node) => {
                if index.functions.iter().any(|f| {
                    f.name == node.name && !index.is_pattern(f) && f.named.token == node.named.token
                }) {
                    continue;
                }
                let message = "template of which the file makes no kernel".to_owned();
                Err(Unreadable { span, message })
            }
            None => match translator.kernel(node) {
                Ok(()) => match translator.wrong.take() {
                    Some(error) => Err(error.unreadable(source.text, &document.includes)),
                    None => Ok(translator.kernel),
                },
                Err(refusal) => Err(unreadable(&translator.kernel, refusal, source, document)),
            },
        };
        found.push(Found { name, span, kernel });
    }
    if let Some(Dropped { error, .. }) = dropped.first()
        && found.is_empty()
    {
        return Err(ClangError::Source(error.unreadable(source.text, &document.includes)));
    }
    Ok(found)
}

fn unreadable(
    kernel: &Kernel,
    refusal: Refusal,
    source: &Source<'_>,
    document: &Document,
) -> Unreadable {
    match refusal.rejected {
        Some(error) => error.unreadable(source.text, &document.includes),
        None => {
            let span = Span::locate(source.text, kernel[refusal.at].bytes.clone());
            Unreadable { span, message: refusal.construct }
        }
    }
}

/// What an error may have dropped that kernels use. One within a declaration concerns those that use that.
fn dropped<'e>(
    error: &'e Diagnostic,
    document: &Document,
    source: &Source<'_>,
) -> Option<Dropped<'e>> {
    let (mut covered, mut before, mut after) = (false, 0usize, u32::MAX as usize);
    visit(&document.root, &mut |node| {
        let declares = node.kind.ends_with("Decl")
            && !matches!(&*node.kind, "NamespaceDecl" | "LinkageSpecDecl" | "TranslationUnitDecl");
        if !declares {
            return true;
        }
        let invalid = |n: &Node| n.is_invalid && marked(n);
        // Clang says of what a template makes that it is invalid, and not of the template.
        let of_template = node.kind.ends_with("TemplateDecl") && node.inner.iter().any(invalid);
        let holds = node.holds(&error.file, error.line, error.column);
        covered |= holds && !invalid(node) && !of_template;
        if let [Some(begin), Some(end)] = node.place.each_ref().map(|p| p.token.as_ref())
            && *begin.file == *error.file
        {
            if end.line < error.line {
                before = before.max(end.line as usize);
            }
            if begin.line > error.line {
                after = after.min(begin.line as usize);
            }
        }
        false
    });
    if covered {
        return None;
    }
    let text = text_around(error, source, before, after);
    let matters =
        |text: &String| MATTERS.iter().any(|word| text.contains(word)) || uses_a_macro(text);
    let harmless = text.as_ref().is_some_and(|text| !matters(text));
    (!harmless).then(|| Dropped::new(error, text.as_deref()))
}

/// Is a function, or what is in a declaration, made for devices?
fn marked(node: &Node) -> bool {
    let attribute = |n: &Node| n.kind.starts_with("CUDA");
    node.inner.iter().any(attribute) || !node.kind.contains("Function")
}

fn visit(node: &Node, f: &mut dyn FnMut(&Node) -> bool) {
    if f(node) {
        for child in &node.inner {
            grow(|| visit(child, f));
        }
    }
}

impl<'a> Translator<'a> {
    /// A kernel: its function and all that it needs.
    fn kernel(&mut self, node: &'a Node) -> Lowered<()> {
        self.entry(node)?;
        // They were found where they are used.
        let kernel = &mut self.kernel;
        kernel.globals.sort_by_key(|stmt| kernel.origins[stmt.at.0 as usize].bytes.start);
        if let Some(said) = node.child("ReqdWorkGroupSizeAttr") {
            self.kernel.block = self.work_group(said);
            if self.kernel.block.is_none() {
                return self.refuse(node, "`reqd_work_group_size` of sizes that are no numbers");
            }
        }
        if let Some(bounds) = node.child("CUDALaunchBoundsAttr") {
            let most = bounds.parts().next().or(bounds.inner.first());
            self.kernel.most_threads = most.and_then(|most| self.expr(most).ok());
        }
        Ok(())
    }

    /// The sizes that `reqd_work_group_size` says. Clang's document does not have them: the text does.
    fn work_group(&self, said: &Node) -> Option<[u32; 3]> {
        let token = said.place[0].token.as_ref().filter(|token| &*token.file == MAIN)?;
        let text = self.source.text.get(token.start..)?;
        let (_, rest) = text.split_at(text.find("reqd_work_group_size").filter(|at| *at < 8)?);
        let (list, _) = rest.split_once('(')?.1.split_once(')')?;
        let mut sizes = list.split(',').map(|size| size.trim().parse::<u32>());
        let sizes = [sizes.next()?.ok()?, sizes.next()?.ok()?, sizes.next()?.ok()?];
        sizes.iter().all(|size| *size > 0).then_some(sizes)
    }
}
