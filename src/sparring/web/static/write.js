/* Write: a heuristic or an agent in a file of the user's folder, tried on the position shown and sent to a match. */

import { allGames, get, post, put } from "./api.js";
import { Editor } from "./editor.js";
import { remembered } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { Trouble, useAnswer } from "./parts.js";
import { filesChanged } from "./picker.js";
import { address } from "./route.js";
import { Trial } from "./trial.js";

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
        <${Trouble} text=${files.error || games.error} />
        ${folder === null && html`
          <p class="soft">Start the page with a folder of yours to write in: <code>spar web --folder .</code></p>`}
        ${folder && html`<${Files} folder=${folder} listed=${listed} name=${name} />`}
      </nav>
      <div class="stage">
        ${name && folder && games.value
          ? html`<${Opened} key=${name} name=${name} known=${known} games=${games.value} />`
          : html`<p class="soft">A heuristic is a function that names what it values. Choose a file, or make one.</p>`}
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
        <span class="unseen">Name of a new file</span>
        <input type="text" class="code" placeholder="my_idea.py" required pattern="[A-Za-z_][A-Za-z0-9_]*(\\.py)?"
          value=${fresh} onInput=${({ target }) => setFresh(target.value)} />
      </label>
      <button>New</button>
    </form>`;
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

const opening = (game) => ({ game, options: {}, seed: 1, moves: [] });

function Opened({ name, known, games }) {
  const [position] = useState(remembered() ?? opening(games[0].name));
  const [game, setGame] = useState(position.game);
  const [text, setText] = useState(known ? null : beginning(position.game, name));
  const [saved, setSaved] = useState({ text: null, changed: undefined });
  const [told, setTold] = useState({ errors: [], heuristics: [], agents: [] });
  const [trouble, setTrouble] = useState("");
  const [said, setSaid] = useState("");
  const path = `files/${encodeURIComponent(name)}`;

  /** Do something with the file; if that fails, it is told. */
  const attempt = async (work) => {
    setTrouble("");
    try {
      await work();
    } catch (error) {
      setTrouble(error.message);
      setSaid("");
    }
  };
  const check = async (about) => {
    setGame(about);
    const answer = await post(`${path}/check`, { game: about });
    setTold(answer);
    return answer.ok;
  };
  const about = (written) => (games.some((one) => one.name === meant(written)) ? meant(written) : game);
  const load = async () => {
    const file = await get(path);
    setText(file.text);
    setSaved(file);
    await check(about(file.text));
  };
  const save = async () => {
    setSaid("Saving …");
    const { changed } = await put(path, { text, changed: saved.changed });
    setSaved({ text, changed });
    filesChanged();
    setSaid((await check(about(text))) ? "Saved. It compiles." : "Saved.");
  };
  useEffect(() => { if (known) attempt(load); }, []);
  const latest = useRef(save);
  latest.current = save; // of what has just been typed
  useEffect(() => {
    const keys = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
      event.preventDefault();
      attempt(latest.current);
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
  const specs = [...told.heuristics, ...told.agents].map((one) => one.spec);
  const tried = useMemo(() => (position.game === game ? position : opening(game)), [position, game]);
  return html`
    <div class="panel">
      <div class="row">
        <h2 class="code grow">${name}${text !== saved.text && html`<span class="soft"> (not saved)</span>`}</h2>
        <label>for
          <select value=${game} onChange=${({ target }) => attempt(() => check(target.value))}>
            ${games.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}
          </select>
        </label>
        <button type="button" class="primary" disabled=${text === null} aria-keyshortcuts="Control+S"
          title="Save (Ctrl-S)" onClick=${() => attempt(save)}>Save</button>
      </div>
      ${text !== null && html`<${Editor} name=${name} text=${text} setText=${setText} errors=${told.errors} />`}
      <p role="status" class="soft">${said}</p>
      <${Trouble} text=${trouble} />
    </div>
    ${specs.length > 0 && html`
      <${Trial} specs=${specs} info=${games.find((one) => one.name === game)} position=${tried} />`}`;
}
