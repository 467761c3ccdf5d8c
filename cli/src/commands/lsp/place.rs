//! Places in a text as editors count them: lines and columns from 0, columns in bytes or in units of UTF-16.

use babycuda_core::site::Span;
use line_index::{LineCol, LineIndex, WideEncoding, WideLineCol};
use lsp_types::{InitializeParams, Position, PositionEncodingKind, Range};

/// What columns are counted in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Columns {
    /// Bytes of UTF-8.
    Bytes,
    /// Units of UTF-16: what every editor understands.
    Utf16,
}

impl Columns {
    /// Bytes, if the editor has them.
    pub(super) fn of(editor: &InitializeParams) -> Columns {
        let general = editor.capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_ref());
        match offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
            true => Columns::Bytes,
            false => Columns::Utf16,
        }
    }

    /// Their name in the protocol.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Columns::Bytes => PositionEncodingKind::UTF8,
            Columns::Utf16 => PositionEncodingKind::UTF16,
        }
    }
}

/// A text, and where its lines are.
#[derive(Debug)]
pub(super) struct Lines {
    index: LineIndex,
    columns: Columns,
}

impl Lines {
    pub(super) fn of(text: &str, columns: Columns) -> Lines {
        Lines { index: LineIndex::new(text), columns }
    }

    /// The place of a byte; the beginning of the text for what is not in it.
    fn position(&self, byte: usize) -> Position {
        let size = u32::try_from(byte).ok().map(Into::into);
        let at = size.and_then(|size| self.index.try_line_col(size));
        let LineCol { line, col } = at.unwrap_or(LineCol { line: 0, col: 0 });
        let col = match self.columns {
            Columns::Bytes => Some(col),
            Columns::Utf16 => {
                let wide = self.index.to_wide(WideEncoding::Utf16, LineCol { line, col });
                wide.map(|wide| wide.col)
            }
        };
        Position::new(line, col.unwrap_or(0))
    }

    /// The places of a span.
    pub(super) fn range(&self, span: Span) -> Range {
        Range::new(self.position(span.start), self.position(span.end))
    }

    /// The byte at a place; `None` where the text has no such place.
    pub(super) fn byte(&self, at: Position) -> Option<usize> {
        let at = match self.columns {
            Columns::Bytes => LineCol { line: at.line, col: at.character },
            Columns::Utf16 => {
                let wide = WideLineCol { line: at.line, col: at.character };
                self.index.to_utf8(WideEncoding::Utf16, wide)?
            }
        };
        self.index.offset(at).map(|size| u32::from(size) as usize)
    }
}
