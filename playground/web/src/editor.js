// The editor: highlighting, diagnostics at their places, and marks of what is being looked at.
import { defaultKeymap, history, historyKeymap, isolateHistory } from '@codemirror/commands';
import { cpp } from '@codemirror/lang-cpp';
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';

const KEYWORDS = new Set([
  'assume', 'at', 'atomic', 'else', 'for', 'forS', 'forU', 'forall', 'if', 'in', 'let', 'rd', 'skip', 'sync', 'then', 'wr',
]);
const DECLARES = new Set(['any', 'blocks', 'fill', 'global', 'grid', 'opaque', 'param', 'shared', 'threads']);
const KNOWN = new Set(['tid', 'bid', 'threadIdx', 'blockIdx', 'blockDim', 'gridDim', 'true', 'false']);

const calculus = StreamLanguage.define({
  name: 'babycuda',
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^(\/\/|#).*/)) return 'comment';
    if (stream.match(/^\d\w*/)) return 'number';
    const word = stream.match(/^[A-Za-z_]\w*/);
    if (word) {
      if (KEYWORDS.has(word[0])) return 'keyword';
      if (DECLARES.has(word[0])) return 'typeName';
      if (KNOWN.has(word[0])) return 'atom';
      return stream.match(/^\s*\[/, false) ? 'propertyName' : 'variableName';
    }
    if (stream.match(/^(:=|==|!=|<=|>=|&&|\|\||[-+*\/%<>=!])/)) return 'operator';
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' } },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: 'var(--math)' },
  { tag: [tags.typeName, tags.standard(tags.name)], color: 'var(--name)' },
  { tag: [tags.number, tags.atom, tags.bool, tags.string, tags.character], color: 'var(--vary)' },
  { tag: [tags.comment, tags.processingInstruction, tags.meta], color: 'var(--soft)' },
  { tag: [tags.propertyName, tags.function(tags.variableName)], color: 'var(--name)' },
]);

const mark = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(now, transaction) {
    let next = now.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(mark)) next = effect.value;
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '.9rem', backgroundColor: 'var(--paper)', color: 'var(--ink)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--soft)', border: '0' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { background: 'var(--select) !important' },
  '&.cm-focused': { outline: '2px solid var(--name)', outlineOffset: '-2px' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--ink)', border: '1px solid var(--edge)', maxWidth: '36rem' },
  '.cm-panels': { backgroundColor: 'var(--panel)', color: 'var(--ink)' },
  '.cm-step': { backgroundColor: 'var(--now)' },
  '.cm-next': { borderBottom: '2px dotted var(--name)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--now)' },
});

export class Editor {
  #view;
  #language = new Compartment();
  #quiet = false;

  constructor(parent, changed) {
    this.#view = new EditorView({
      parent,
      state: EditorState.create({
        extensions: [
          lineNumbers(), lintGutter(), highlightActiveLine(), highlightActiveLineGutter(), drawSelection(), history(),
          bracketMatching(), syntaxHighlighting(colours), theme, marks, this.#language.of([]),
          // The key Tab leaves the editor, as it leaves every field.
          keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': 'Program text', spellcheck: 'false' }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !this.#quiet) changed();
          }),
        ],
      }),
    });
  }

  get text() {
    return this.#view.state.doc.toString();
  }

  set text(text) {
    if (text === this.text) return;
    this.#quiet = true;
    this.#view.dispatch({ changes: { from: 0, to: this.#view.state.doc.length, insert: text }, selection: { anchor: 0 } });
    this.#quiet = false;
  }

  set language(language) {
    this.#view.dispatch({ effects: this.#language.reconfigure(language === 'cu' ? cpp() : calculus) });
  }

  #range({ from, to }) {
    const end = this.#view.state.doc.length;
    return { from: Math.min(from, end), to: Math.min(Math.max(to, from), end) };
  }

  /** Shows findings at their places: `{ place, severity, message }`. */
  diagnose(findings) {
    const shown = findings.map(({ place, severity, message }) => ({ ...this.#range(place), severity, message }));
    this.#view.dispatch(setDiagnostics(this.#view.state, shown));
  }

  /** Marks places of the present step, and those of the next ones. */
  mark(step, next = []) {
    const ranges = [[step, 'cm-step'], ...next.map((place) => [place, 'cm-next'])]
      .filter(([place]) => place)
      .map(([place, name]) => ({ ...this.#range(place), name }))
      .filter(({ from, to }) => from < to);
    ranges.sort((a, b) => a.from - b.from);
    const set = Decoration.set(ranges.map(({ from, to, name }) => Decoration.mark({ class: name }).range(from, to)), true);
    this.#view.dispatch({ effects: mark.of(set) });
  }

  /** Makes edits, whose offsets are in bytes of UTF-8. */
  edit(edits) {
    const bytes = new TextEncoder().encode(this.text);
    const units = (offset) => new TextDecoder().decode(bytes.subarray(0, offset)).length;
    const changes = edits.map(({ start, end, text }) => ({ from: units(start.offset), to: units(end.offset), insert: text }));
    // Undone by itself, however soon after it was typed.
    this.#view.dispatch({ changes, annotations: isolateHistory.of('full') });
  }

  /** Selects a place, and goes there. */
  select(place) {
    const { from, to } = this.#range(place);
    this.#view.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true });
    this.#view.focus();
  }
}
