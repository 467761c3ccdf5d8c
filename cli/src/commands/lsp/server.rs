//! The messages of an editor, and what it is told.

use super::UNFINISHED;
use super::checks::{Checks, Done, Job};
use super::place::{Columns, Lines};
use super::show;
use crate::args::{CheckArgs, LimitArgs};
use crate::watch::Overrun;
use babycuda_files::input::File;
use babycuda_files::problem::Problem;
use babycuda_report::FileReport;
use crossbeam_channel::select;
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionParams, Diagnostic, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, Hover, HoverContents, HoverParams,
    InitializeParams, MarkupContent, MarkupKind, PublishDiagnosticsParams, ServerCapabilities,
    TextDocumentSyncKind, Uri,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What is known of the files that the editor has open.
pub(super) struct Server {
    connection: Connection,
    columns: Columns,
    checks: Checks,
    files: BTreeMap<Uri, Open>,
    /// So many texts were seen.
    texts: u64,
}

/// A file that is open.
struct Open {
    version: i32,
    /// The number of this text: of all that were ever written, no other has it.
    number: u64,
    text: String,
    /// Of this version, once it is checked.
    known: Option<Known>,
}

/// What was found.
struct Known {
    report: FileReport,
    lines: Lines,
    found: Vec<(usize, Diagnostic)>,
}

impl Server {
    /// Agrees with the editor on what both can do. `limits` are those of one check.
    ///
    /// # Errors
    /// When what the editor says is not the protocol.
    pub(super) fn start(
        connection: Connection,
        check: CheckArgs,
        limits: LimitArgs,
    ) -> Result<Server, ProtocolError> {
        let (id, params) = connection.initialize_start()?;
        let editor: InitializeParams = serde_json::from_value(params).unwrap_or_default();
        let columns = Columns::of(&editor);
        let capabilities = ServerCapabilities {
            position_encoding: Some(columns.kind()),
            text_document_sync: Some(TextDocumentSyncKind::FULL.into()),
            hover_provider: Some(true.into()),
            code_action_provider: Some(
                CodeActionOptions {
                    code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
                    ..CodeActionOptions::default()
                }
                .into(),
            ),
            ..ServerCapabilities::default()
        };
        let server = json!({ "name": "babycuda", "version": env!("CARGO_PKG_VERSION") });
        connection
            .initialize_finish(id, json!({ "capabilities": capabilities, "serverInfo": server }))?;
        let checks = Checks::new(check, limits);
        Ok(Server { connection, columns, checks, files: BTreeMap::new(), texts: 0 })
    }

    /// Answers until the editor ends; the exit status.
    ///
    /// # Errors
    /// When what the editor says is not the protocol.
    pub(super) fn run(mut self) -> Result<u8, ProtocolError> {
        loop {
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if self.connection.handle_shutdown(&request)? {
                            return Ok(0);
                        }
                        self.answer(request);
                    }
                    Ok(Message::Notification(notification)) if notification.method == "exit" => {
                        return Ok(1);
                    }
                    Ok(Message::Notification(notification)) => self.hear(notification),
                    // Nothing was asked of the editor.
                    Ok(Message::Response(_)) => {}
                    Err(_) => return Ok(1),
                },
                recv(self.checks.done) -> done => {
                    if let Ok(done) = done {
                        if let Some(status) = self.learn(done) {
                            return Ok(status);
                        }
                        self.checks.next();
                    }
                }
            }
        }
    }

    fn answer(&self, Request { id, method, params }: Request) {
        let response = match method.as_str() {
            "textDocument/hover" => with(id, params, |params| self.hover(&params)),
            "textDocument/codeAction" => with(id, params, |params| self.actions(&params)),
            _ => {
                let unknown = ErrorCode::MethodNotFound as i32;
                Response::new_err(id, unknown, format!("no method `{method}`"))
            }
        };
        self.send(response.into());
    }

    fn hear(&mut self, Notification { method, params }: Notification) {
        // Notifications have no answer, so that what is wrong with one cannot be said.
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(params) = serde_json::from_value::<DidOpenTextDocumentParams>(params) {
                    let document = params.text_document;
                    self.write(document.uri, document.version, document.text);
                }
            }
            "textDocument/didChange" => {
                if let Ok(params) = serde_json::from_value::<DidChangeTextDocumentParams>(params) {
                    let document = params.text_document;
                    // Every change is of the whole text: so it was agreed.
                    if let Some(change) = params.content_changes.into_iter().next_back() {
                        self.write(document.uri, document.version, change.text);
                    }
                }
            }
            "textDocument/didClose" => {
                if let Ok(params) = serde_json::from_value::<DidCloseTextDocumentParams>(params) {
                    let uri = params.text_document.uri;
                    self.files.remove(&uri);
                    self.checks.remove(&uri);
                    self.publish(&uri, None, Vec::new());
                }
            }
            _ => {}
        }
    }

    /// The file has this text now.
    fn write(&mut self, uri: Uri, version: i32, text: String) {
        let file = File::new(&path(&uri), text.clone());
        self.texts += 1;
        let number = self.texts;
        self.files.insert(uri.clone(), Open { version, number, text, known: None });
        match file {
            Ok(file) => self.checks.add(Job { uri, text: number, file }),
            Err(problem) => self.say(&uri, version, &problem),
        }
    }

    /// A check has ended: `Some` where this program has to end, too.
    fn learn(&mut self, Done { uri, text, result }: Done) -> Option<u8> {
        // The text may have changed, or have been closed.
        let open = self.files.get_mut(&uri).filter(|open| open.number == text);
        let version = open.as_ref().map_or(0, |open| open.version);
        match (result, open) {
            (Err(overrun @ Overrun::Memory(_)), _) => {
                let text = format!("babycuda: {overrun}; {}", overrun.help());
                let params = json!({ "type": 1, "message": text });
                self.send(Notification::new("window/showMessage".to_owned(), params).into());
                return Some(UNFINISHED);
            }
            (_, None) => {}
            (Err(overrun), Some(_)) => {
                let why = format!("not decided: {overrun}; {}", overrun.help());
                self.publish(&uri, Some(version), vec![show::undecided(&why)]);
            }
            (Ok(Err(problem)), Some(_)) => self.say(&uri, version, &problem),
            (Ok(Ok(report)), Some(open)) => {
                let lines = Lines::of(&report.text, self.columns);
                let found = show::diagnostics(&report, &uri, &lines);
                let shown = found.iter().map(|(_, diagnostic)| diagnostic.clone()).collect();
                open.known = Some(Known { report, lines, found });
                self.publish(&uri, Some(version), shown);
            }
        }
        None
    }

    fn hover(&self, params: &HoverParams) -> Option<Hover> {
        let at = &params.text_document_position_params;
        let Open { text, known, .. } = self.files.get(&at.text_document.uri)?;
        let Known { report, lines, .. } = known.as_ref()?;
        let file = File::new(&path(&at.text_document.uri), text.clone()).ok()?;
        let units = || show::units(&file, self.checks.args());
        let value = show::hover(report, units, lines.byte(at.position)?)?;
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        Some(Hover { contents, range: None })
    }

    fn actions(&self, params: &CodeActionParams) -> Value {
        let uri = &params.text_document.uri;
        let known = self.files.get(uri).and_then(|open| open.known.as_ref());
        let only = params.context.only.as_ref();
        let wanted = only.is_none_or(|kinds| kinds.contains(&CodeActionKind::QUICKFIX));
        let actions = known.filter(|_| wanted).map(|Known { report, lines, found }| {
            show::actions(report, found, uri, lines, params.range)
        });
        json!(actions.unwrap_or_default())
    }

    /// Tells why a file cannot be checked.
    fn say(&self, uri: &Uri, version: i32, problem: &Problem) {
        let text = self.files.get(uri).map_or("", |open| &open.text);
        let lines = Lines::of(text, self.columns);
        self.publish(uri, Some(version), vec![show::problem(problem, &lines)]);
    }

    fn publish(&self, uri: &Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams { uri: uri.clone(), diagnostics, version };
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Notification::new(method, params).into());
    }

    fn send(&self, message: Message) {
        // An editor that is gone is noticed where its messages are read.
        let _ = self.connection.sender.send(message);
    }
}

/// The answer to a request with these parameters.
fn with<P: serde::de::DeserializeOwned, A: serde::Serialize>(
    id: RequestId,
    params: Value,
    answer: impl FnOnce(P) -> A,
) -> Response {
    match serde_json::from_value(params) {
        Ok(params) => Response::new_ok(id, answer(params)),
        Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
    }
}

/// The path of a file; `-` of what is none.
fn path(uri: &Uri) -> String {
    match uri.scheme().map(|scheme| scheme.as_str()) {
        Some("file") => uri.path().as_estr().decode().into_string_lossy().into_owned(),
        _ => "-".to_owned(),
    }
}
