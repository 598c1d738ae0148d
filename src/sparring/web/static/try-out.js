/* Trying a heuristic or an agent of the user: its move in the position shown in Play, and a match. */

import { get, post } from "./api.js";
import { Board } from "./board.js";
import { Decision, usePreview } from "./decision.js";
import { html, useState } from "./library.js";
import { ErrorMessage, useAnswer } from "./components.js";
import { address } from "./route.js";

export function TryOut({ specs, info, position }) {
  const [spec, setSpec] = useState(specs[0]);
  const [decision, setDecision] = useState(null);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const used = specs.includes(spec) ? spec : specs[0];
  const turn = position.moves.length;
  const ahead = usePreview(position, turn);
  const shown = useAnswer(() => post("frames", { ...position, first: turn, last: turn }), [JSON.stringify(position)]);
  const frame = shown.value?.frames[0];
  const player = frame?.actors[0];
  const decide = async () => {
    setBusy(true);
    setProblem("");
    try {
      const answer = await post("decide", { ...position, player, agent: used, explain: true });
      setDecision({ ...answer, player });
    } catch (error) {
      setProblem(error.message);
    }
    setBusy(false);
  };
  const startMatch = async () => {
    const query = [["game", info.name], ["agent", used], ["agent", await champion(info, used)]];
    location.hash = address("league", [], query);
  };
  return html`
    <section class="panel try-out" aria-label="Try it">
      <h2>Try it</h2>
      <div class="row buttons">
        <select aria-label="Which one" class="code" value=${used} onChange=${({ target }) => setSpec(target.value)}>
          ${specs.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
        </select>
        <button type="button" disabled=${busy || player === undefined} onClick=${decide}>
          ${busy ? "Thinking …" : "On the position shown"}
        </button>
        <button type="button" onClick=${startMatch}>Match against the best</button>
      </div>
      <${ErrorMessage} text=${problem || shown.error} />
      <div class="columns">
        ${frame && html`
          <${Board} svg=${ahead.svg ?? decision?.svg ?? frame.svg} label="The position shown in Play" />`}
        ${decision && html`
          <${Decision} decision=${decision} name=${shown.value.players[player].name} ahead=${ahead} />`}
      </div>
    </section>`;
}

/** The best other agent of the latest experiment with this game, or else the best agent that the game names. */
async function champion(info, own) {
  for (const { id } of (await get("experiments")).filter(({ game }) => game === info.name)) {
    const { ranking } = await get(`experiments/${encodeURIComponent(id)}`);
    const best = ranking.find(({ spec }) => spec !== own);
    if (best) return best.spec;
  }
  return info.best;
}
