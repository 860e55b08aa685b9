// An editor for Python: CodeMirror, with what a reader of a chapter needs and no more.

import { defaultKeymap, history, historyKeymap, isolateHistory } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, keymap, lineNumbers } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";

const mark = StateEffect.define();

// The line in which an error occurred, until the code changes.
const marked = StateField.define({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) if (effect.is(mark)) return effect.value;
    return transaction.docChanged ? Decoration.none : decorations;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Code from elsewhere may be indented by tabs; beside spaces, Python refuses them.
const withoutTabs = (text) => text.replace(/^[ \t]+/gm, (indent) => indent.replaceAll("\t", "    "));

// host: the element it goes into. label: what it is called. describedBy: the id of a hint.
// onRun: Ctrl-Enter (on a Mac, Command-Enter too). onLeave: Escape. onChange: given the new code.
//
// Tab is left to the browser: it goes on to the next control, so that nobody is caught inside.
export function openEditor(host, { code, label, describedBy, onRun, onLeave, onChange }) {
  const run = () => (onRun(), true);
  const leave = () => (onLeave(), true);
  const view = new EditorView({
    parent: host,
    state: EditorState.create({
      doc: code,
      extensions: [
        keymap.of([
          { key: "Ctrl-Enter", run },
          { key: "Mod-Enter", run },
          { key: "Escape", run: leave },
        ]),
        lineNumbers(),
        history(),
        python(),
        indentUnit.of("    "),
        indentOnInput(),
        bracketMatching(),
        syntaxHighlighting(classHighlighter),
        marked,
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({
          "aria-label": label,
          ...(describedBy && { "aria-describedby": describedBy }),
        }),
        EditorView.clipboardInputFilter.of(withoutTabs),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });

  return {
    get code() {
      return view.state.doc.toString();
    },
    set code(text) {
      const changes = { from: 0, to: view.state.doc.length, insert: text };
      view.dispatch({ changes, annotations: isolateHistory.of("full") }); // undone by itself
    },
    focus: () => view.focus(),
    // Marks a line, counted from 1, and brings it into view.
    markLine(number) {
      const { from } = view.state.doc.line(Math.min(number, view.state.doc.lines));
      const line = Decoration.line({ class: "attn-error-line" }).range(from);
      view.dispatch({ effects: [mark.of(Decoration.set([line])), EditorView.scrollIntoView(from)] });
    },
    unmark: () => view.dispatch({ effects: mark.of(Decoration.none) }),
    close: () => view.destroy(),
  };
}
