/* The page: one of four views, and the header above all of them. */

import { Compare } from "./compare.js";
import { Component, html, render, useEffect, useLayoutEffect, useRef, useState } from "./library.js";
import { IconButton, ErrorMessage, useKeys } from "./components.js";
import { Play } from "./play.js";
import { Replay } from "./replay.js";
import { address, replaceAddress, useRoute } from "./route.js";
import { Write } from "./write.js";

const VIEWS = {
  play: ["Play", Play],
  replay: ["Replay", Replay],
  league: ["Compare", Compare],
  write: ["Write", Write],
};

const KEYS = [
  ["Arrow keys", "on the board: go from move to move, or play up, down, left, right; in a replay: step"],
  ["Enter", "play the move, or pick up the piece"],
  ["Space", "start and pause a replay"],
  [", and .", "one turn back, one turn on"],
  ["Home, End", "first and last turn"],
  ["N, Shift+N", "next and previous event"],
  ["H", "hint: what would the analyst play?"],
  ["W", "why not …? Then choose a move"],
  ["E", "explain the last move"],
  ["U, R", "undo; restart with the same seed"],
  ["Escape", "put the piece down; leave a line"],
  ["Ctrl+S", "save the file"],
  ["?", "show these keys"],
];

function useTheme() {
  const [theme, setTheme] = useState(localStorage.getItem("theme"));
  useLayoutEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
    dispatchEvent(new Event("themechange"));
  }, [theme]);
  const dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const toggle = () => {
    const other = dark ? "light" : "dark";
    localStorage.setItem("theme", other);
    setTheme(other);
  };
  return [dark, toggle];
}

/** Shows an error of a view in its place. Other views still work. */
class ErrorBoundary extends Component {
  componentDidCatch(error) {
    this.setState({ error });
  }

  render({ children }) {
    const { error } = this.state;
    return error ? html`<main><${ErrorMessage} text=${`This cannot be shown: ${error.message}`} /></main>` : children;
  }
}

function Page() {
  const route = useRoute();
  const [dark, toggle] = useTheme();
  const help = useRef(null);
  const [title, View] = VIEWS[route.view] ?? VIEWS.play;
  useEffect(() => { document.title = `${[title, ...route.parts].join(" · ")} · Sparring`; }, [route]);
  useKeys({ "?": () => help.current.showModal() });
  return html`
    <header class="top">
      <a class="brand" href=${address("play")}><img src="icon.svg" width="24" height="24" alt="" /> Sparring</a>
      <nav aria-label="Views">${Object.entries(VIEWS).map(([view, [label]]) => html`
        <a key=${view} href=${address(view)} aria-current=${route.view === view && "page"}>${label}</a>`)}</nav>
      <span class="grow"></span>
      <${IconButton} icon="keys" label="Keys" keys="?" onClick=${() => help.current.showModal()} />
      <${IconButton} icon=${dark ? "sun" : "moon"} label=${dark ? "Light" : "Dark"} onClick=${toggle} />
    </header>
    <${ErrorBoundary} key=${route.hash}><${View} route=${route} /></${ErrorBoundary}>
    <dialog ref=${help} aria-labelledby="keys-title">
      <form method="dialog"><h2 id="keys-title">Keys</h2>
        <dl class="keys">${KEYS.map(([key, what]) => html`<div key=${key}><dt>${key}</dt><dd>${what}</dd></div>`)}</dl>
        <button class="primary">Close</button>
      </form>
    </dialog>`;
}

/** Exchanges the token behind the # for a cookie, so that no address that is copied has it. */
async function enter() {
  const [, token] = location.hash.match(/^#token=(.*)/) ?? [];
  if (token === undefined) return;
  replaceAddress(address("play"));
  await fetch("/", { headers: { Authorization: `Bearer ${token}` } }).catch(() => {});
}

addEventListener("hashchange", async () => {
  if (location.hash.startsWith("#token=")) await enter().then(() => location.reload());
});
await enter();
render(html`<${Page} />`, document.body);
