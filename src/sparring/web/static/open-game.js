/* Opening a game for a replay: from a file, or from the store. */

import { get, upload } from "./api.js";
import { GameList, heading } from "./game-list.js";
import { html, useState } from "./library.js";
import { ErrorMessage, useAnswer } from "./components.js";
import { address } from "./route.js";

let uploads = [];

/** A game of the latest file. */
export function uploadedGame(number) {
  if (!uploads[number]) throw new Error("This file is no longer open: open it again.");
  return uploads[number];
}

export function OpenGame() {
  const [problem, setProblem] = useState("");
  const [found, setFound] = useState(uploads);
  const [note, setNote] = useState("");
  const experiments = useAnswer(() => get("experiments"), []);
  const [chosen, setChosen] = useState(null);
  const open = async (file) => {
    setProblem("");
    try {
      const { games, note: message } = await upload(await file.text());
      uploads = games;
      setFound(games);
      setNote(message ?? "");
      if (games.length === 1) location.hash = address("replay", ["upload", "0@0"]);
    } catch (error) {
      setProblem(error.message);
    }
  };
  const drop = (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) open(event.dataTransfer.files[0]);
  };
  const stored = experiments.value ?? [];
  const current = stored.find((one) => one.id === chosen) ?? stored[0];
  return html`
    <main class="narrow">
      <h1>Replay</h1>
      <section class="panel" aria-label="A file">
        <h2>A file</h2>
        <label class="drop" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
          <span>
            Open or drop a file: games as JSON Lines or as text, or the log of another program that a game can read.
          </span>
          <input type="file" accept=".jsonl,.json,.txt,.log"
            onChange=${({ target }) => target.files[0] && open(target.files[0])} />
        </label>
        <${ErrorMessage} text=${problem} />
        ${note && html`<p class="soft">${note}</p>`}
        <ul class="logged">${found.map((game, number) => html`
          <li key=${number}>
            <a href=${address("replay", ["upload", `${number}@0`])}>${number + 1}</a>
            ${" "}${(game.agents ?? []).join(" v ")} <span class="soft">${game.reason}</span>
          </li>`)}</ul>
      </section>
      <section class="panel" aria-label="Stored games">
        <h2>Stored games</h2>
        <${ErrorMessage} text=${experiments.error} />
        ${stored.length === 0 && !experiments.busy && html`
          <p class="soft">None yet. The games of matches and leagues are stored: <a href=${address("league")}>start a match</a>.</p>`}
        ${current && html`
          <label>from
            <select value=${current.id} onChange=${({ target }) => setChosen(target.value)}>
              ${stored.map((one) => html`<option key=${one.id} value=${one.id}>${one.game}: ${heading(one)}</option>`)}
            </select>
          </label>
          <${GameList} key=${current.id} experiment=${current.id} />`}
      </section>
    </main>`;
}
