/* Write: a heuristic or an agent in a file of the user's folder, tried on the position shown and sent to a match. */

import { allGames, get, post, put } from "./api.js";
import { Board } from "./board.js";
import { Decision, usePreview } from "./decision.js";
import { remembered } from "./game.js";
import { html, useEffect, useRef, useState } from "./library.js";
import { Trouble, useAnswer } from "./parts.js";
import { filesChanged } from "./picker.js";
import { address } from "./route.js";

export function Write({ route }) {
  const [name] = route.parts;
  const files = useAnswer(() => get("files"), [name]);
  const games = useAnswer(allGames, []);
  const [fresh, setFresh] = useState("");
  const make = (event) => {
    event.preventDefault();
    const wanted = fresh.trim().replace(/(\.py)?$/, ".py");
    setFresh("");
    location.hash = address("write", [wanted]);
  };
  const folder = files.value?.folder;
  return html`
    <main class="write">
      <nav class="side" aria-label="Files">
        <h1>Write</h1>
        <${Trouble} text=${files.error || games.error} />
        ${files.value && folder === null && html`<p class="soft">Start the page with a folder of yours to write in: <code>spar web --folder .</code></p>`}
        ${folder !== null && folder !== undefined && html`
          <p class="soft small">in ${folder}</p>
          <ul class="experiments">${files.value.files.map((file) => html`<li key=${file.name}><a href=${address("write", [file.name])} aria-current=${file.name === name ? "page" : undefined}>
            <b class="code">${file.name}</b><span class="soft">${[...file.heuristics, ...file.agents].join(", ")}</span></a></li>`)}</ul>
          <form class="row" onSubmit=${make}><label class="grow"><span class="unseen">Name of a new file</span>
            <input type="text" class="code" placeholder="my_idea.py" required pattern="[A-Za-z_][A-Za-z0-9_]*(\\.py)?" value=${fresh} onInput=${(event) => setFresh(event.target.value)} /></label>
            <button>New</button></form>`}
      </nav>
      <div class="stage">${name && games.value && files.value && folder !== null
        ? html`<${Editor} key=${name} name=${name} known=${files.value.files.some((file) => file.name === name)} games=${games.value} />`
        : html`<p class="soft">A heuristic is one function that names what it values. Choose a file, or make one.</p>`}</div>
    </main>`;
}

const beginning = (game, name) => `"""An idea for ${game}."""

from sparring import Terms, heuristic


@heuristic("${game}")
def ${name.replace(/\.py$/, "")}(s, me):
    """What a position is worth to me: say it here."""
    return Terms(nothing=0.0)
`;

/** The game that a file is about, if it says so. */
const meant = (text) => text.match(/@(?:heuristic|agent)\("(\w+)"/)?.[1];

function Editor({ name, known, games }) {
  const position = remembered() ?? { game: games[0].name, options: {}, seed: 1, moves: [] };
  const [game, setGame] = useState(position.game);
  const [text, setText] = useState(known ? null : beginning(position.game, name));
  const [saved, setSaved] = useState({ text: null, changed: undefined });
  const [told, setTold] = useState({ errors: [] });
  const [trouble, setTrouble] = useState("");
  const [said, setSaid] = useState("");
  const info = games.find((one) => one.name === game);
  const area = useRef(null);

  useEffect(() => {
    if (!known) return;
    get(`files/${encodeURIComponent(name)}`).then(
      (file) => {
        const about = meant(file.text) ?? game;
        setText(file.text);
        setSaved({ text: file.text, changed: file.changed });
        setGame(about);
        check(about);
      },
      (error) => setTrouble(error.message));
  }, [name]);

  const check = async (chosen = game) => {
    try {
      const answer = await post(`files/${encodeURIComponent(name)}/check`, { game: chosen });
      setTold(answer);
      return answer;
    } catch (error) {
      setTrouble(error.message);
      return { ok: false };
    }
  };
  const save = async () => {
    setTrouble("");
    setSaid("Saving …");
    try {
      const { changed } = await put(`files/${encodeURIComponent(name)}`, { text, changed: saved.changed });
      setSaved({ text, changed });
      filesChanged();
      const about = games.some((one) => one.name === meant(text)) ? meant(text) : game;
      setGame(about);
      const answer = await check(about);
      setSaid(answer.ok ? "Saved. It compiles." : "Saved.");
      return answer;
    } catch (error) {
      setTrouble(error.message);
      setSaid("");
      return { ok: false };
    }
  };
  useEffect(() => {
    const keys = (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
        event.preventDefault();
        save();
      }
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  });
  const specs = [...(told.heuristics ?? []), ...(told.agents ?? [])].filter((one) => !one.game || one.game === game).map((one) => one.spec);
  const unsaved = text !== null && text !== saved.text;
  return html`
    <div class="panel">
      <div class="row"><h2 class="code grow">${name}${unsaved && html`<span class="soft"> (not saved)</span>`}</h2>
        <label>for <select value=${game} onChange=${(event) => { setGame(event.target.value); check(event.target.value); }}>
          ${games.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></label>
        <button type="button" class="primary" disabled=${text === null} aria-keyshortcuts="Control+S" title="Save (Ctrl-S)" onClick=${save}>Save</button></div>
      ${text !== null && html`<${Lines} name=${name} text=${text} setText=${setText} errors=${told.errors ?? []} area=${area} />`}
      <p role="status" class="soft">${said}</p>
      <${Trouble} text=${trouble} />
      <div role="alert">${(told.errors ?? []).length > 0 && html`<ul class="errors">${told.errors.map((error, index) => html`<li key=${index}>
        ${error.line && html`<button type="button" class="quiet" onClick=${() => moveTo(area.current, error.line)}>line ${error.line}</button>`} ${error.message}</li>`)}</ul>`}</div>
    </div>
    ${specs.length > 0 && html`<${Trial} specs=${specs} info=${info} position=${position.game === game ? position : { game, options: {}, seed: 1, moves: [] }} />`}`;
}

function moveTo(area, line) {
  const begin = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const end = area.value.indexOf("\n", begin);
  area.focus();
  area.setSelectionRange(begin, end < 0 ? area.value.length : end);
}

/** A field with numbered lines; Tab indents, and after Escape leaves the field. */
function Lines({ name, text, setText, errors, area }) {
  const gutter = useRef(null);
  const leaving = useRef(false);
  const wrong = new Set(errors.map((error) => error.line));
  const many = text.split("\n").length;
  const keys = (event) => {
    if (event.key === "Escape") leaving.current = true;
    else if (event.key === "Tab" && !event.shiftKey && !leaving.current) {
      event.preventDefault();
      event.target.setRangeText("    ", event.target.selectionStart, event.target.selectionEnd, "end");
      setText(event.target.value);
    } else leaving.current = false;
  };
  return html`<div class="editor">
    <div class="gutter" ref=${gutter} aria-hidden="true">${Array.from({ length: many }, (_, index) => html`<span key=${index} class=${wrong.has(index + 1) ? "wrong" : ""}>${index + 1}</span>`)}</div>
    <textarea ref=${area} aria-label=${`Text of ${name}; Escape, then Tab leaves it`} spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" rows=${Math.min(28, Math.max(14, many))}
      value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${keys} onScroll=${(event) => { gutter.current.scrollTop = event.target.scrollTop; }}></textarea>
  </div>`;
}

/** What it would play in the position that was shown last, and a match against the best. */
function Trial({ specs, info, position }) {
  const [spec, setSpec] = useState(specs[0]);
  const [told, setTold] = useState(null);
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const used = specs.includes(spec) ? spec : specs[0];
  const ahead = usePreview(position, position.moves.length);
  const shown = useAnswer(() => post("frames", { ...position, first: position.moves.length, last: position.moves.length }), [JSON.stringify(position)]);
  const player = shown.value?.frames[0].actors[0];
  const attempt = async () => {
    setBusy(true);
    setTrouble("");
    try {
      setTold(await post("decide", { ...position, player, agent: used, explain: true }));
    } catch (error) {
      setTrouble(error.message);
    }
    setBusy(false);
  };
  const fight = async () => {
    location.hash = address("league", [], new URLSearchParams([["game", info.name], ["agent", used], ["agent", await champion(info, used)]]));
  };
  const svg = ahead.svg ?? told?.svg ?? shown.value?.frames[0].svg;
  return html`
    <section class="panel trial" aria-label="Try it"><h2>Try it</h2>
      <div class="row buttons">
        <label>${specs.length > 1 ? html`<select aria-label="Which one" value=${used} onChange=${(event) => setSpec(event.target.value)}>${specs.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>` : html`<span class="code">${used}</span>`}</label>
        <button type="button" disabled=${busy || player === undefined} onClick=${attempt}>${busy ? "Thinking …" : "On the position shown"}</button>
        <button type="button" onClick=${fight}>Match against the best</button>
      </div>
      <${Trouble} text=${trouble || shown.error} />
      <div class="columns">
        ${svg && html`<${Board} svg=${svg} label="The position shown in Play" />`}
        ${told && html`<${Decision} decision=${told} player=${player} name=${shown.value.players?.[player]?.name ?? String(player)} ahead=${ahead} />`}
      </div>
    </section>`;
}

/** The first, but for oneself, of the latest experiment with this game; or else the agent that the game names. */
async function champion(info, own) {
  for (const { id } of (await get("experiments")).filter(({ game }) => game === info.name)) {
    const { ranking } = await get(`experiments/${encodeURIComponent(id)}`);
    const best = ranking.find(({ spec }) => spec !== own);
    if (best) return best.spec;
  }
  return info.best;
}
