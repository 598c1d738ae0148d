/* Write: an editor for the heuristics and agents in the user's folder. */

import { allGames, get, post, put } from "./api.js";
import { Editor } from "./editor.js";
import { remembered } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { ErrorMessage, useAnswer } from "./components.js";
import { filesChanged } from "./picker.js";
import { address } from "./route.js";
import { TryOut } from "./try-out.js";

export function Write({ route }) {
  const [name] = route.parts;
  const files = useAnswer(() => get("files"), [name]);
  const games = useAnswer(allGames, []);
  const { folder, files: listed = [] } = files.value ?? {};
  const known = listed.some((file) => file.name === name);
  return html`
    <main class="write">
      <nav class="side" aria-label="Files">
        <h1>Write</h1>
        <${ErrorMessage} text=${files.error || games.error} />
        ${folder === null && html`
          <p class="soft">To write files, start the page with a folder: <code>spar web --folder .</code></p>`}
        ${folder && html`<${Files} folder=${folder} listed=${listed} name=${name} />`}
      </nav>
      <div class="stage">
        ${name && folder && games.value
          ? html`<${OpenFile} key=${name} name=${name} known=${known} games=${games.value} />`
          : html`<p class="soft">A heuristic is a function that scores positions. Choose a file, or make a new one.</p>`}
      </div>
    </main>`;
}

function Files({ folder, listed, name }) {
  const [fresh, setFresh] = useState("");
  const make = (event) => {
    event.preventDefault();
    setFresh("");
    location.hash = address("write", [fresh.trim().replace(/(\.py)?$/, ".py")]);
  };
  return html`
    <p class="soft small">in ${folder}</p>
    <ul class="experiments">${listed.map((file) => html`
      <li key=${file.name}>
        <a href=${address("write", [file.name])} aria-current=${file.name === name && "page"}>
          <b class="code">${file.name}</b>
          <span class="soft">${[...file.heuristics, ...file.agents].join(", ")}</span>
        </a>
      </li>`)}</ul>
    <form class="row" onSubmit=${make}>
      <label class="grow">
        <span class="visually-hidden">Name of a new file</span>
        <input type="text" class="code" placeholder="my_idea.py" required pattern="[A-Za-z_][A-Za-z0-9_]*(\\.py)?"
          value=${fresh} onInput=${({ target }) => setFresh(target.value)} />
      </label>
      <button>New</button>
    </form>`;
}

/** The game of a decorator in a file, if there is one. */
const declaredGame = (text) => text.match(/@(?:heuristic|agent)\("(\w+)"/)?.[1];

const startOf = (game) => ({ game, options: {}, seed: 1, moves: [] });

function OpenFile({ name, known, games }) {
  const [position] = useState(remembered() ?? startOf(games[0].name));
  const [game, setGame] = useState(position.game);
  const [text, setText] = useState(null);
  const [template, setTemplate] = useState(null); // what a new file starts from
  const [saved, setSaved] = useState({ text: null, changed: undefined });
  const [checked, setChecked] = useState({ errors: [], specs: [] });
  const [problem, setProblem] = useState("");
  const [message, setMessage] = useState("");
  const path = `files/${encodeURIComponent(name)}`;

  /** Does something with the file, and shows an error of it. */
  const attempt = async (work) => {
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem(error.message);
      setMessage("");
    }
  };
  const check = async (forGame) => {
    setGame(forGame);
    const answer = await post(`${path}/check`, { game: forGame });
    setChecked(answer);
    return answer.ok;
  };
  const gameOf = (written) => (games.some((one) => one.name === declaredGame(written)) ? declaredGame(written) : game);
  const begin = async (forGame) => {
    setGame(forGame);
    const answer = await post(`${path}/begin`, { game: forGame });
    setTemplate(answer.text);
    setText(answer.text);
  };
  /** Another game: a new file as it began begins anew, any other is checked. */
  const choose = (forGame) => (saved.text === null && text === template ? begin : check)(forGame);
  const load = async () => {
    const file = await get(path);
    setText(file.text);
    setSaved(file);
    await check(gameOf(file.text));
  };
  const save = async () => {
    setMessage("Saving …");
    const { changed } = await put(path, { text, changed: saved.changed });
    setSaved({ text, changed });
    filesChanged();
    setMessage((await check(gameOf(text))) ? "Saved. It compiles." : "Saved.");
  };
  useEffect(() => { attempt(known ? load : () => begin(position.game)); }, []);
  const latest = useRef(save);
  latest.current = save; // with the latest text
  useEffect(() => {
    const keys = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      attempt(latest.current);
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
    const tryPosition = useMemo(() => (position.game === game ? position : startOf(game)), [position, game]);
  return html`
    <div class="panel">
      <div class="row">
        <h2 class="code grow">${name}${text !== saved.text && html`<span class="soft"> (not saved)</span>`}</h2>
        <label>for
          <select value=${game} onChange=${({ target }) => attempt(() => choose(target.value))}>
            ${games.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}
          </select>
        </label>
        <button type="button" class="primary" disabled=${text === null} aria-keyshortcuts="Control+S"
          title="Save (Ctrl-S)" onClick=${() => attempt(save)}>Save</button>
      </div>
      ${text !== null && html`<${Editor} name=${name} text=${text} setText=${setText} errors=${checked.errors} />`}
      <p role="status" class="soft">${message}</p>
      <${ErrorMessage} text=${problem} />
    </div>
    ${checked.specs.length > 0 && html`
      <${TryOut} specs=${checked.specs} info=${games.find((one) => one.name === game)} position=${tryPosition} />`}`;
}
