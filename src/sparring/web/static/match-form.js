/* The form that starts a match or a league. */

import { allGames, post } from "./api.js";
import { freshSeed } from "./game.js";
import { html, useState } from "./library.js";
import { AgentPicker, Options } from "./picker.js";
import { ErrorMessage, useAnswer } from "./components.js";
import { address } from "./route.js";

/** @param query  the query of the address: a game and agents */
export function MatchForm({ query }) {
  const games = useAnswer(allGames, []);
  if (!games.value) return html`<${ErrorMessage} text=${games.error} />`;
  return html`<${Form} key=${query.toString()} query=${query} games=${games.value} />`;
}

const pairOf = (info) => [info.best, info.agents[0].spec];

function Form({ query, games }) {
  const [info, setInfo] = useState(games.find((one) => one.name === query.get("game")) ?? games[0]);
  const [options, setOptions] = useState({});
  const [agents, setAgents] = useState(query.has("agent") ? query.getAll("agent") : pairOf(info));
  const [many, setMany] = useState("100");
  const [seed, setSeed] = useState(String(freshSeed()));
  const [sprt, setSprt] = useState(false);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const choose = (name) => {
    const chosen = games.find((one) => one.name === name);
    setInfo(chosen);
    setOptions({});
    setAgents(pairOf(chosen));
  };
  const start = async (event) => {
    event.preventDefault();
    setBusy(true);
    setProblem("");
    try {
      const match = { game: info.name, options, agents, games: Number(many), seed: Number(seed), sprt };
      const { id } = await post("matches", match);
      location.hash = address("league", [id]);
    } catch (error) {
      setProblem(error.message);
      setBusy(false);
    }
  };
  const replace = (place, spec) => setAgents(agents.map((one, index) => (index === place ? spec : one)));
  const remove = (place) => setAgents(agents.filter((_, index) => index !== place));
  const another = () => setAgents([...agents, info.agents[agents.length % info.agents.length].spec]);
  return html`
    <form class="panel" onSubmit=${start}>
      <h2>Start a match</h2>
      <p class="soft">Two agents play a match. More agents play a league in which each pair meets.</p>
      <div class="options">
        <label>game
          <select value=${info.name} onChange=${({ target }) => choose(target.value)}>
            ${games.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}
          </select>
        </label>
        <label>games
          <input type="number" min="2" max="1000000" value=${many} onInput=${({ target }) => setMany(target.value)} />
        </label>
        <label>seed
          <input type="number" min="0" value=${seed} onInput=${({ target }) => setSeed(target.value)} />
        </label>
        <label class="check">
          <input type="checkbox" checked=${sprt} onChange=${({ target }) => setSprt(target.checked)} />
          stop when decided
        </label>
      </div>
      <fieldset>
        <legend>Agents</legend>
        ${agents.map((spec, place) => html`
          <div class="row" key=${place}>
            <${AgentPicker} info=${info} value=${{ spec }} timed=${false} label=${`Agent ${place + 1}`}
              onChange=${(value) => replace(place, value.spec)} />
            ${agents.length > 2 && html`
              <button type="button" class="quiet" onClick=${() => remove(place)}>remove</button>`}
          </div>`)}
        <button type="button" class="quiet" onClick=${another}>another agent</button>
      </fieldset>
      <details>
        <summary>Rules</summary>
        <${Options} info=${info} values=${options} onChange=${setOptions} />
      </details>
      <${ErrorMessage} text=${problem} />
      <button class="primary" disabled=${busy}>${busy ? "Starting …" : "Start"}</button>
    </form>`;
}
