/* Where games to be replayed come from: a file, or what is kept. */

import { get, upload } from "./api.js";
import { Games, heading } from "./games.js";
import { html, useState } from "./library.js";
import { Trouble, useAnswer } from "./parts.js";
import { address } from "./route.js";

let logged = [];

/** A game of the file that was opened last. */
export function uploaded(number) {
  if (!logged[number]) throw new Error("This log is no longer here: open the file again.");
  return logged[number];
}

export function Shelf() {
  const [trouble, setTrouble] = useState("");
  const [found, setFound] = useState(logged);
  const [note, setNote] = useState("");
  const experiments = useAnswer(() => get("experiments"), []);
  const [chosen, setChosen] = useState(null);
  const open = async (file) => {
    setTrouble("");
    try {
      const { games, note: said } = await upload(await file.text());
      logged = games;
      setFound(games);
      setNote(said ?? "");
      if (games.length === 1) location.hash = address("replay", ["upload", "0@0"]);
    } catch (error) {
      setTrouble(error.message);
    }
  };
  const drop = (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) open(event.dataTransfer.files[0]);
  };
  const kept = experiments.value ?? [];
  const current = kept.find((one) => one.id === chosen) ?? kept[0];
  return html`
    <main class="narrow">
      <h1>Replay</h1>
      <section class="panel" aria-label="A log">
        <h2>A log</h2>
        <label class="drop" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
          <span>
            Open or drop a file: games as JSON Lines or text, or a log of another program that one of the games reads.
          </span>
          <input type="file" accept=".jsonl,.json,.txt,.log"
            onChange=${({ target }) => target.files[0] && open(target.files[0])} />
        </label>
        <${Trouble} text=${trouble} />
        ${note && html`<p class="soft">${note}</p>`}
        <ul class="logged">${found.map((game, number) => html`
          <li key=${number}>
            <a href=${address("replay", ["upload", `${number}@0`])}>${number + 1}</a>
            ${" "}${(game.agents ?? []).join(" v ")} <span class="soft">${game.reason}</span>
          </li>`)}</ul>
      </section>
      <section class="panel" aria-label="Kept games">
        <h2>Kept games</h2>
        <${Trouble} text=${experiments.error} />
        ${kept.length === 0 && !experiments.busy && html`
          <p class="soft">None yet. Matches and leagues keep theirs: <a href=${address("league")}>start one</a>.</p>`}
        ${current && html`
          <label>Of
            <select value=${current.id} onChange=${({ target }) => setChosen(target.value)}>
              ${kept.map((one) => html`<option key=${one.id} value=${one.id}>${one.game}: ${heading(one)}</option>`)}
            </select>
          </label>
          <${Games} key=${current.id} experiment=${current.id} />`}
      </section>
    </main>`;
}
