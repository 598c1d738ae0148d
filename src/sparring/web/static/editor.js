/* A text field with numbered lines and errors at their lines. */

import { html, useRef } from "./library.js";

const [MIN_LINES, MAX_LINES] = [14, 28];
/* Height of the field. It can also be resized. */

export function Editor({ name, text, setText, errors }) {
  const area = useRef(null);
  const gutter = useRef(null);
  const leaving = useRef(false);
  const wrong = new Set(errors.map((error) => error.line));
  const count = text.split("\n").length;
  const keys = (event) => {
    // Tab indents. After Escape it leaves the field.
    if (event.key === "Tab" && !event.shiftKey && !leaving.current) {
      event.preventDefault();
      event.target.setRangeText("    ", event.target.selectionStart, event.target.selectionEnd, "end");
      setText(event.target.value);
    }
    leaving.current = event.key === "Escape";
  };
  const show = (line) => {
    const before = text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    const end = text.indexOf("\n", before);
    area.current.focus();
    area.current.setSelectionRange(before, end < 0 ? text.length : end);
  };
  return html`
    <div class="editor">
      <div class="gutter" ref=${gutter} aria-hidden="true">${Array.from({ length: count }, (_, index) => html`
        <span key=${index} class=${wrong.has(index + 1) ? "wrong" : ""}>${index + 1}</span>`)}</div>
      <textarea ref=${area} aria-label=${`Text of ${name}; Escape, then Tab leaves it`} spellcheck="false"
        autocapitalize="off" autocomplete="off" wrap="off" rows=${Math.min(MAX_LINES, Math.max(MIN_LINES, count))} value=${text}
        onInput=${(event) => setText(event.target.value)} onKeyDown=${keys}
        onScroll=${(event) => { gutter.current.scrollTop = event.target.scrollTop; }}></textarea>
    </div>
    <div role="alert">
      ${errors.length > 0 && html`
        <ul class="errors">${errors.map(({ line, message }, index) => html`
          <li key=${index}>
            ${line && html`<button type="button" class="quiet" onClick=${() => show(line)}>line ${line}</button>`}
            ${" "}${message}
          </li>`)}</ul>`}
    </div>`;
}
