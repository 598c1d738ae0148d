/* An own heuristic or agent: what it would play in the position that was shown last, and a match against the best. */

import { get, post } from "./api.js";
import { Board } from "./board.js";
import { Decision, usePreview } from "./decision.js";
import { html, useState } from "./library.js";
import { Trouble, useAnswer } from "./parts.js";
import { address } from "./route.js";

export function Trial({ specs, info, position }) {
  const [spec, setSpec] = useState(specs[0]);
  const [decision, setDecision] = useState(null);
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const used = specs.includes(spec) ? spec : specs[0];
  const turn = position.moves.length;
  const ahead = usePreview(position, turn);
  const shown = useAnswer(() => post("frames", { ...position, first: turn, last: turn }), [JSON.stringify(position)]);
  const frame = shown.value?.frames[0];
  const player = frame?.actors[0];
  const attempt = async () => {
    setBusy(true);
    setTrouble("");
    try {
      const told = await post("decide", { ...position, player, agent: used, explain: true });
      setDecision({ ...told, player });
    } catch (error) {
      setTrouble(error.message);
    }
    setBusy(false);
  };
  const fight = async () => {
    const asked = [["game", info.name], ["agent", used], ["agent", await champion(info, used)]];
    location.hash = address("league", [], asked);
  };
  return html`
    <section class="panel trial" aria-label="Try it">
      <h2>Try it</h2>
      <div class="row buttons">
        <select aria-label="Which one" class="code" value=${used} onChange=${({ target }) => setSpec(target.value)}>
          ${specs.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
        </select>
        <button type="button" disabled=${busy || player === undefined} onClick=${attempt}>
          ${busy ? "Thinking …" : "On the position shown"}
        </button>
        <button type="button" onClick=${fight}>Match against the best</button>
      </div>
      <${Trouble} text=${trouble || shown.error} />
      <div class="columns">
        ${frame && html`
          <${Board} svg=${ahead.svg ?? decision?.svg ?? frame.svg} label="The position shown in Play" />`}
        ${decision && html`
          <${Decision} decision=${decision} name=${shown.value.players[player].name} ahead=${ahead} />`}
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
