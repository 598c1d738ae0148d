/* Compare: matches and leagues, live while they run, and the games behind every figure. */

import { get, listen, post } from "./api.js";
import { Contest } from "./contest.js";
import { signed } from "./game.js";
import { Games, heading } from "./games.js";
import { Graph } from "./graph.js";
import { html, useEffect, useMemo, useState } from "./library.js";
import { Bar, Copy, Trouble, useAnswer } from "./parts.js";
import { address } from "./route.js";

const AGAIN = 5000;
/* Milliseconds after which the list is asked for again: matches are started in terminals, too. */

export function League({ route }) {
  const [id] = route.parts;
  const [count, setCount] = useState(0);
  const experiments = useAnswer(() => get("experiments"), [id, count]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setCount((before) => before + 1), AGAIN);
    return () => clearInterval(timer);
  }, []);
  return html`
    <main class="league">
      <nav class="side" aria-label="Experiments">
        <h1>Compare</h1>
        <a class="button" href=${address("league")} aria-current=${!id && "page"}>Start a match</a>
        <${Trouble} text=${experiments.error} />
        <ul class="experiments">${(experiments.value ?? []).map((one) => html`
          <li key=${one.id}>
            <a href=${address("league", [one.id])} aria-current=${one.id === id && "page"}>
              <b>${heading(one)}</b>
              <span class="soft">${one.game} · ${one.games} games${one.running ? " · running" : ""}</span>
            </a>
          </li>`)}</ul>
      </nav>
      <div class="stage">
        ${id ? html`<${Experiment} key=${id} id=${id} />` : html`<${Contest} asked=${route.query} />`}
      </div>
    </main>`;
}

function Experiment({ id }) {
  const first = useAnswer(() => get(`experiments/${encodeURIComponent(id)}`), [id]);
  const [live, setLive] = useState(null);
  const [pair, setPair] = useState(null);
  useEffect(() => listen(id, setLive), [id]);
  const told = live ?? first.value;
  if (!told) return html`<${Trouble} text=${first.error} />`;
  const names = told.ranking.map((one) => one.name);
  return html`
    <article>
      <header class="panel">
        <p class="soft small">${told.game} · ${told.running ? "running" : "finished"} · seed ${told.seed}</p>
        <h2 class="title">${heading({ title: told.title, agents: names })}</h2>
        <div role="status">${told.verdict.map((line, index) => html`
          <p key=${index} class=${index === 0 ? "verdict" : "soft"}>${line}</p>`)}</div>
        <${Progress} told=${told} />
        ${told.command && html`
          <p class="row">
            <code class="command">${told.command}</code>
            <${Copy} text=${() => told.command} label="Copy the command">copy</${Copy}>
          </p>`}
      </header>
      <${Ranking} ranking=${told.ranking} />
      ${names.length > 1 && html`<${Cross} names=${names} cross=${told.cross} pair=${pair} setPair=${setPair} />`}
      ${told.llr && html`<${Llr} llr=${told.llr} />`}
      <${Endings} experiment=${id} endings=${told.endings} failures=${told.failures} />
      <section class="panel" aria-label="Games" id="games">
        <h2>${pair ? `Games of ${pair[0]} and ${pair[1]}` : "Games"}</h2>
        ${pair && html`<button type="button" class="quiet" onClick=${() => setPair(null)}>all games</button>`}
        <${Games} key=${`${pair} ${told.running ? 0 : told.done}`} experiment=${id} pair=${pair} />
      </section>
    </article>`;
}

function Progress({ told }) {
  const [trouble, setTrouble] = useState("");
  const stop = async () => {
    try {
      await post(`matches/${encodeURIComponent(told.id)}/stop`, {});
    } catch (error) {
      setTrouble(error.message);
    }
  };
  return html`
    <div class="row progress">
      <progress max=${Math.max(1, told.total)} value=${told.done} aria-label="Games played"></progress>
      <span>${told.done} of ${told.total} games</span>
      ${told.running && told.ours && html`<button type="button" onClick=${stop}>Stop</button>`}
    </div>
    <${Trouble} text=${trouble} />`;
}

function Ranking({ ranking }) {
  const bounds = ranking.flatMap((one) => [one.low, one.high, one.elo]).filter(Number.isFinite);
  const [low, high] = [Math.min(...bounds, 0), Math.max(...bounds, 0)];
  const at = (elo) => 4 + (92 * (elo - low)) / (high - low || 1);
  const rounded = (elo) => (Number.isFinite(elo) ? signed(Math.round(elo)) : "");
  const interval = ({ elo, low: from, high: to }) => html`
    <svg class="interval" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <line class="zero" x1=${at(0)} x2=${at(0)} y1="0" y2="10" />
      <rect x=${at(from)} width=${Math.max(0.6, at(to) - at(from))} y="3.5" height="3" />
      <rect class="point" x=${at(elo) - 0.6} width="1.2" y="1" height="8" />
    </svg>`;
  return html`
    <section class="panel" aria-label="Ranking">
      <h2>Ranking</h2>
      <p class="soft small">Elo above the mean of these agents, with 95 % intervals.</p>
      <div class="wide" tabindex="0" role="region" aria-label="Ranking table">
        <table class="ranking">
          <thead><tr>
            <th scope="col">agent</th>
            <th scope="col" class="drawn"><span class="unseen">interval, drawn</span></th>
            <th scope="col" class="n">Elo</th>
            <th scope="col" class="n roomy">95 %</th>
            <th scope="col" class="n">score</th>
            <th scope="col" class="n roomy">games</th>
          </tr></thead>
          <tbody>${ranking.map((one, place) => html`
            <tr key=${one.name}>
              <th scope="row" title=${one.spec}>
                <span class="soft">${place + 1}</span> <span class="code">${one.name}</span>
              </th>
              <td class="drawn">${Number.isFinite(one.elo) && interval(one)}</td>
              <td class="n"><b>${rounded(one.elo)}</b></td>
              <td class="n soft roomy">${rounded(one.low)} to ${rounded(one.high)}</td>
              <td class="n">${one.score === null ? "" : `${(100 * one.score).toFixed(1)} %`}</td>
              <td class="n roomy">${one.games}</td>
            </tr>`)}</tbody>
        </table>
      </div>
    </section>`;
}

/** Who did how well against whom; a cell opens its games. */
function Cross({ names, cross, pair, setPair }) {
  const open = (one, other) => {
    setPair([one, other]);
    requestAnimationFrame(() => document.getElementById("games").scrollIntoView({ behavior: "smooth" }));
  };
  const cell = (one, other, { score, games }) => html`
    <button type="button" class="cell" aria-pressed=${pair?.[0] === one && pair[1] === other} title=${`${games} games`}
      aria-label=${`${one} against ${other}: ${(100 * score).toFixed(1)} % of ${games} games`}
      onClick=${() => open(one, other)}>${(100 * score).toFixed(0)}</button>`;
  return html`
    <section class="panel" aria-label="Who against whom">
      <h2>Who against whom</h2>
      <p class="soft small">Percent won by the agent of the row. A cell opens its games.</p>
      <div class="wide" tabindex="0" role="region" aria-label="Cross-table">
        <table class="cross">
          <thead><tr><td></td>${names.map((name, place) => html`
            <th key=${name} scope="col" title=${name}><span class="soft">${place + 1}</span></th>`)}</tr></thead>
          <tbody>${names.map((name, row) => html`
            <tr key=${name}>
              <th scope="row"><span class="soft">${row + 1}</span> <span class="code">${name}</span></th>
              ${cross[row].map((met, column) => html`
                <td key=${column} class="heat" data-side=${met?.score < 0.5 ? "down" : "up"}
                  style=${{ "--heat": met ? 2 * Math.abs(met.score - 0.5) : 0 }}>
                  ${met && cell(name, names[column], met)}
                </td>`)}
            </tr>`)}</tbody>
        </table>
      </div>
    </section>`;
}

function Llr({ llr }) {
  const data = useMemo(() => [llr.path.map(([games]) => games), llr.path.map(([, value]) => value)], [llr]);
  const rules = [llr.lower, llr.upper].map((y, index) => ({ y, label: llr.hypotheses[index] }));
  return html`
    <section class="panel" aria-label="Sequential test">
      <h2>Sequential test</h2>
      <p>${llr.verdict}</p>
      <${Graph} data=${data} series=${[{ label: "log likelihood ratio" }]} rules=${rules} height=${200}
        label=${`Log likelihood ratio after each game: ${llr.verdict}`} />
      <p class="soft small">Log likelihood ratio over the games played; the test ends at either line.</p>
    </section>`;
}

function Endings({ experiment, endings, failures }) {
  const all = endings.reduce((sum, one) => sum + one.count, 0);
  return html`
    <section class="panel" aria-label="Endings">
      <h2>How games ended</h2>
      <table class="endings"><tbody>${endings.map((one) => html`
        <tr key=${one.reason}>
          <th scope="row">${one.reason}</th>
          <td class="drawn"><${Bar} share=${one.count / all} /></td>
          <td class="n">${one.count}</td>
        </tr>`)}</tbody></table>
      ${failures.length > 0 && html`
        <h3>Failures</h3>
        <ul>${failures.map((one) => html`
          <li key=${one.number}>
            <a href=${address("replay", [experiment, `${one.number}@0`])}>game ${one.number}</a>
            <span>: ${one.agent}, ${one.detail}</span>
          </li>`)}</ul>`}
    </section>`;
}
