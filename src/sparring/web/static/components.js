/* Small components of several views. */

import { html, useEffect, useRef, useState } from "./library.js";

const ICONS = {
  first: "M6 5v14M19 5l-9 7 9 7z",
  back: "M16 5l-9 7 9 7z",
  play: "M8 5l11 7-11 7z",
  pause: "M8 5v14M16 5v14",
  next: "M8 5l9 7-9 7z",
  last: "M18 5v14M5 5l9 7-9 7z",
  backEvent: "M12 5l-8 7 8 7zM20 5l-8 7 8 7z",
  nextEvent: "M4 5l8 7-8 7zM12 5l8 7-8 7z",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2",
  moon: "M20 14A8.5 8.5 0 0110 4a8.5 8.5 0 1010 10z",
  keys: "M3 7h18v11H3zM6.5 10.5h1M10 10.5h1M13.5 10.5h1M17 10.5h.5M8 14.5h8",
};

function Icon({ name }) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;
}

export function IconButton({ icon, label, onClick, disabled, keys }) {
  return html`
    <button type="button" class="icon-button" aria-label=${label} title=${keys ? `${label} (${keys})` : label}
      aria-keyshortcuts=${keys} disabled=${disabled} onClick=${onClick}><${Icon} name=${icon} /></button>`;
}

export function Dot({ colour }) {
  return html`
    <svg class="dot" viewBox="0 0 10 10" aria-hidden="true">
      <circle cx="5" cy="5" r="5" fill=${colour ?? "currentColor"} />
    </svg>`;
}

/** The result of a request, or its error message. The request is sent again, and the old one dropped, when
 * `dependencies` change. */
export function useAnswer(ask, dependencies) {
  const [answer, setAnswer] = useState({ value: undefined, error: "", busy: true });
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    setAnswer((before) => ({ ...before, busy: true }));
    Promise.resolve(signal).then(ask).then(
      (value) => signal.aborted || setAnswer({ value, error: "", busy: false }),
      (error) => signal.aborted || setAnswer({ value: undefined, error: error.message, busy: false }),
    );
    return () => control.abort();
  }, dependencies);
  return answer;
}

export function ErrorMessage({ text }) {
  return text ? html`<p class="error-message" role="alert">${text}</p>` : null;
}

/** A button that copies the result of `text`. */
export function Copy({ text, label, children }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  };
  return html`
    <button type="button" class="quiet" title=${label} aria-label=${done ? "copied" : label} onClick=${copy}>
      ${done ? "copied" : children}
    </button>`;
}

const isTextField = (element) => element?.matches("input:not([type=range]), textarea, select, [contenteditable]");

/** Keys of a whole view, except while a field, a dialog or a focused link needs them. */
export function useKeys(keys) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const pressed = (event) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTextField(document.activeElement) || document.querySelector("dialog[open]")) return;
      if (event.key === " " && document.activeElement?.matches("button, a, summary")) return;
      const name = event.shiftKey && /^[A-Z]$/.test(event.key) ? `shift+${event.key.toLowerCase()}` : event.key;
      if (!latest.current[name]) return;
      if (latest.current[name](event) !== false) event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

/** A number between 0 and 1 as a bar that begins at `from`. */
export function Bar({ share, from = 0, kind = "" }) {
  const [low, high] = share < from ? [share, from] : [from, share];
  return html`<svg class=${`bar ${kind}`} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect class="track" width="100" height="8" />
    <rect class="fill" x=${100 * low} width=${Math.max(0.8, 100 * (high - low))} height="8" />
  </svg>`;
}
