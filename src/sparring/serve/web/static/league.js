/* Compare: matches and leagues, live while they run, and the games behind every figure. */

import { allGames, get, listen, post } from "./api.js";
import { freshSeed, signed } from "./game.js";
import { Games, heading } from "./games.js";
import { Graph } from "./graph.js";
import { html, useEffect, useMemo, useState } from "./library.js";
import { AgentPicker, Options } from "./picker.js";
import { Bar, Copy, Trouble, useAnswer } from "./parts.js";
import { address } from "./route.js";

export function League({ route }) {
  const [id] = route.parts;
  const experiments = useAnswer(() => get("experiments"), [id]);
  return html`
    <main class="league">
      <nav class="side" aria-label="Experiments">
        <h1>Compare</h1>
        <a class="button" href=${address("league")} aria-current=${id ? undefined : "page"}>Start a match</a>
        <${Trouble} text=${experiments.error} />
        <ul class="experiments">${(experiments.value ?? []).map((one) => html`<li key=${one.id}>
          <a href=${address("league", [one.id])} aria-current=${one.id === id ? "page" : undefined}>
            <b>${heading(one)}</b><span class="soft">${one.game} · ${one.games} games${one.running ? " · running" : ""}</span></a></li>`)}</ul>
      </nav>
      <div class="stage">${id ? html`<${Experiment} key=${id} id=${id} />` : html`<${Start} asked=${route.query} />`}</div>
    </main>`;
}

function Start({ asked }) {
  const { value: games, error } = useAnswer(allGames, []);
  const [name, setName] = useState(asked.get("game"));
  const [options, setOptions] = useState({});
  const [agents, setAgents] = useState(asked.getAll("agent"));
  const [many, setMany] = useState("100");
  const [seed, setSeed] = useState(String(freshSeed()));
  const [sprt, setSprt] = useState(false);
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  if (!games) return html`<${Trouble} text=${error} />`;
  const info = games.find((one) => one.name === name) ?? games[0];
  const standing = agents.length ? agents : [info.best, info.agents[0].spec];
  const change = (place, spec) => setAgents(standing.map((one, index) => (index === place ? spec : one)));
  const start = async (event) => {
    event.preventDefault();
    setBusy(true);
    setTrouble("");
    try {
      const { id } = await post("matches", { game: info.name, options, agents: standing, games: Number(many), seed: Number(seed), sprt });
      location.hash = address("league", [id]);
    } catch (failure) {
      setTrouble(failure.message);
      setBusy(false);
    }
  };
  return html`
    <form class="panel" onSubmit=${start}>
      <h2>Start a match</h2>
      <p class="soft">Two agents make a match, more of them a league in which all meet.</p>
      <div class="options">
        <label>game <select value=${info.name} onChange=${(event) => { setName(event.target.value); setOptions({}); setAgents([]); }}>
          ${games.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></label>
        <label>games <input type="number" min="2" max="100000" value=${many} onInput=${(event) => setMany(event.target.value)} /></label>
        <label>seed <input type="number" value=${seed} onInput=${(event) => setSeed(event.target.value)} /></label>
        <label class="check"><input type="checkbox" checked=${sprt} disabled=${standing.length !== 2} onChange=${(event) => setSprt(event.target.checked)} /> stop when decided</label>
      </div>
      <fieldset><legend>Agents</legend>
        ${standing.map((spec, place) => html`<div class="row" key=${place}>
          <${AgentPicker} info=${info} value=${{ spec }} timed=${false} label=${`Agent ${place + 1}`} onChange=${(value) => change(place, value.spec)} />
          ${standing.length > 2 && html`<button type="button" class="quiet" onClick=${() => setAgents(standing.filter((_, index) => index !== place))}>remove</button>`}
        </div>`)}
        <button type="button" class="quiet" onClick=${() => setAgents([...standing, info.agents[standing.length % info.agents.length].spec])}>another agent</button>
      </fieldset>
      <details><summary>Rules</summary><${Options} info=${info} values=${options} onChange=${setOptions} /></details>
      <${Trouble} text=${trouble} />
      <button class="primary" disabled=${busy}>${busy ? "Starting …" : "Start"}</button>
    </form>`;
}

function Experiment({ id }) {
  const first = useAnswer(() => get(`experiments/${encodeURIComponent(id)}`), [id]);
  const [live, setLive] = useState(null);
  const [pair, setPair] = useState(null);
  useEffect(() => listen(id, setLive), [id]);
  const told = live ?? first.value;
  if (!told) return html`<${Trouble} text=${first.error} />`;
  return html`
    <article>
      <header class="panel">
        <p class="soft small">${told.game} · ${told.running ? "running" : "finished"} · seed ${told.seed}</p>
        <h2 class="title">${heading({ title: told.title, agents: told.ranking.map((one) => one.name) })}</h2>
        <div role="status">${told.verdict.map((line, index) => html`<p key=${index} class=${index === 0 ? "verdict" : "soft"}>${line}</p>`)}</div>
        <${Progress} told=${told} />
        <p class="row">${told.command && html`<code class="command">${told.command}</code><${Copy} text=${() => told.command} label="Copy the command">copy</${Copy}>`}</p>
      </header>
      <${Ranking} ranking=${told.ranking} />
      ${told.cross && told.ranking.length > 1 && html`<${Cross} names=${told.ranking.map((one) => one.name)} cross=${told.cross} pair=${pair} setPair=${setPair} />`}
      ${told.llr && html`<${Llr} llr=${told.llr} />`}
      <${Endings} experiment=${id} endings=${told.endings} failures=${told.failures} />
      <section class="panel" aria-label="Games" id="games"><h2>${pair ? `Games of ${pair[0]} and ${pair[1]}` : "Games"}</h2>
        ${pair && html`<button type="button" class="quiet" onClick=${() => setPair(null)}>all games</button>`}
        <${Games} key=${`${pair} ${told.running ? 0 : told.done}`} experiment=${id} pair=${pair} /></section>
    </article>`;
}

function Progress({ told }) {
  const [trouble, setTrouble] = useState("");
  const stop = () => post(`matches/${encodeURIComponent(told.id)}/stop`, {}).catch((error) => setTrouble(error.message));
  return html`
    <div class="row progress">
      <progress max=${Math.max(1, told.total)} value=${told.done} aria-label="Games played"></progress>
      <span>${told.done} of ${told.total} games</span>
      ${told.running && told.ours && html`<button type="button" onClick=${stop}>Stop</button>`}
    </div>
    <${Trouble} text=${trouble} />`;
}

function Ranking({ ranking }) {
  const bounds = ranking.flatMap((one) => [one.low, one.high, one.elo]).filter((bound) => Number.isFinite(bound));
  const [low, high] = [Math.min(...bounds, 0), Math.max(...bounds, 0)];
  const at = (elo) => 4 + (92 * (elo - low)) / (high - low || 1);
  const rounded = (elo) => (Number.isFinite(elo) ? signed(Math.round(elo)) : "");
  return html`
    <section class="panel" aria-label="Ranking"><h2>Ranking</h2>
      <div class="wide" tabindex="0" role="region" aria-label="Ranking table"><table class="ranking">
        <caption class="soft small">Elo above the mean of these agents, with 95 % intervals.</caption>
        <thead><tr><th scope="col">agent</th><th scope="col" class="drawn"><span class="unseen">interval, drawn</span></th><th scope="col" class="n">Elo</th><th scope="col" class="n roomy">95 %</th><th scope="col" class="n">score</th><th scope="col" class="n roomy">games</th></tr></thead>
        <tbody>${ranking.map((one, place) => html`<tr key=${one.name}>
          <th scope="row"><span class="soft">${place + 1}</span> <span class="code" title=${one.spec}>${one.name}</span></th>
          <td class="drawn">${Number.isFinite(one.elo) && html`<svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
            <line class="zero" x1=${at(0)} x2=${at(0)} y1="0" y2="10" /><rect x=${at(one.low)} width=${Math.max(0.6, at(one.high) - at(one.low))} y="3.5" height="3" />
            <rect class="point" x=${at(one.elo) - 0.6} width="1.2" y="1" height="8" /></svg>`}</td>
          <td class="n"><b>${rounded(one.elo)}</b></td><td class="n soft roomy">${rounded(one.low)} to ${rounded(one.high)}</td>
          <td class="n">${one.score === null ? "" : `${(100 * one.score).toFixed(1)} %`}</td><td class="n roomy">${one.games}</td>
        </tr>`)}</tbody>
      </table></div>
    </section>`;
}

/** Who did how well against whom; a cell opens its games. */
function Cross({ names, cross, pair, setPair }) {
  const open = (one, other) => {
    setPair([one, other]);
    requestAnimationFrame(() => document.getElementById("games").scrollIntoView({ behavior: "smooth" }));
  };
  return html`
    <section class="panel" aria-label="Who against whom"><h2>Who against whom</h2>
      <div class="wide" tabindex="0" role="region" aria-label="Cross-table"><table class="cross">
        <caption class="soft small">Percent won by the agent of the row. A cell opens its games.</caption>
        <thead><tr><td></td>${names.map((name, place) => html`<th key=${name} scope="col" title=${name}><span class="soft">${place + 1}</span></th>`)}</tr></thead>
        <tbody>${names.map((name, row) => html`<tr key=${name}><th scope="row"><span class="soft">${row + 1}</span> <span class="code">${name}</span></th>
          ${cross[row].map((cell, column) => html`<td key=${column} class="heat" data-side=${cell && cell.score < 0.5 ? "down" : "up"} style=${{ "--heat": cell ? 2 * Math.abs(cell.score - 0.5) : 0 }}>
            ${cell && html`<button type="button" class="cell" aria-pressed=${pair && pair[0] === name && pair[1] === names[column]}
              aria-label=${`${name} against ${names[column]}: ${(100 * cell.score).toFixed(1)} % of ${cell.games} games`}
              title=${`${cell.games} games`} onClick=${() => open(name, names[column])}>${(100 * cell.score).toFixed(0)}</button>`}</td>`)}
        </tr>`)}</tbody>
      </table></div>
    </section>`;
}

function Llr({ llr }) {
  const data = useMemo(() => [llr.path.map(([games]) => games), llr.path.map(([, value]) => value)], [llr]);
  const rules = [{ y: llr.lower, label: "not better" }, { y: llr.upper, label: "better" }];
  return html`<section class="panel" aria-label="Sequential test"><h2>Sequential test</h2><p>${llr.verdict}</p>
    <${Graph} data=${data} series=${[{ label: "log likelihood ratio" }]} rules=${rules} label=${`Log likelihood ratio after each game: ${llr.verdict}`} height=${200} />
    <p class="soft small">Log likelihood ratio over the games played; the test ends at either line.</p></section>`;
}

function Endings({ experiment, endings, failures }) {
  const all = endings.reduce((sum, one) => sum + one.count, 0);
  return html`
    <section class="panel" aria-label="Endings"><h2>How games ended</h2>
      <table class="endings"><tbody>${endings.map((one) => html`<tr key=${one.reason}><th scope="row">${one.reason}</th>
        <td class="drawn"><${Bar} share=${one.count / all} /></td><td class="n">${one.count}</td></tr>`)}</tbody></table>
      ${failures.length > 0 && html`<h3>Failures</h3><ul>${failures.map((one, index) => html`<li key=${index}><a href=${address("replay", [experiment, `${one.number}@0`])}>game ${one.number}</a>: <span class="code">${one.agent}</span>, ${one.detail}</li>`)}</ul>`}
    </section>`;
}
