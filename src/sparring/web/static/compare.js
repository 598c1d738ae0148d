/* Compare: the results of matches and leagues, live while they run, and their games. */

import { get, listen, post } from "./api.js";
import { MatchForm } from "./match-form.js";
import { signed } from "./game.js";
import { GameList, heading } from "./game-list.js";
import { Graph } from "./graph.js";
import { html, useEffect, useMemo, useState } from "./library.js";
import { Bar, Copy, ErrorMessage, useAnswer } from "./components.js";
import { address } from "./route.js";

const REFRESH = 5000;
/* Milliseconds between two requests for the list, because matches may also be started in a terminal. */

export function Compare({ route }) {
  const [id] = route.parts;
  const [count, setCount] = useState(0);
  const experiments = useAnswer(() => get("experiments"), [id, count]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setCount((before) => before + 1), REFRESH);
    return () => clearInterval(timer);
  }, []);
  return html`
    <main class="league">
      <nav class="side" aria-label="Experiments">
        <h1>Compare</h1>
        <a class="button" href=${address("league")} aria-current=${!id && "page"}>Start a match</a>
        <${ErrorMessage} text=${experiments.error} />
        <ul class="experiments">${(experiments.value ?? []).map((one) => html`
          <li key=${one.id}>
            <a href=${address("league", [one.id])} aria-current=${one.id === id && "page"}>
              <b>${heading(one)}</b>
              <span class="soft">${one.game} · ${one.games} games${one.running ? " · running" : ""}</span>
            </a>
          </li>`)}</ul>
      </nav>
      <div class="stage">
        ${id ? html`<${Experiment} key=${id} id=${id} />` : html`<${MatchForm} query=${route.query} />`}
      </div>
    </main>`;
}

function Experiment({ id }) {
  const first = useAnswer(() => get(`experiments/${encodeURIComponent(id)}`), [id]);
  const [live, setLive] = useState(null);
  const [pair, setPair] = useState(null);
  useEffect(() => listen(id, setLive), [id]);
  const report = live ?? first.value;
  if (!report) return html`<${ErrorMessage} text=${first.error} />`;
  const names = report.ranking.map((one) => one.name);
  return html`
    <article>
      <header class="panel">
        <p class="soft small">${report.game} · ${report.running ? "running" : "finished"} · seed ${report.seed}</p>
        <h2 class="title">${heading({ title: report.title, agents: names })}</h2>
        <div role="status">${report.verdict.map((line, index) => html`
          <p key=${index} class=${index === 0 ? "verdict" : "soft"}>${line}</p>`)}</div>
        <${Progress} report=${report} />
        ${report.command && html`
          <p class="row">
            <code class="command">${report.command}</code>
            <${Copy} text=${() => report.command} label="Copy the command">copy</${Copy}>
          </p>`}
      </header>
      <${Ranking} ranking=${report.ranking} />
      ${names.length > 1 && html`<${CrossTable} names=${names} cross=${report.cross} pair=${pair} setPair=${setPair} />`}
      ${report.llr && html`<${SequentialTest} llr=${report.llr} />`}
      <${Endings} experiment=${id} endings=${report.endings} failures=${report.failures} />
      <section class="panel" aria-label="Games" id="games">
        <h2>${pair ? `Games of ${pair[0]} and ${pair[1]}` : "Games"}</h2>
        ${pair && html`<button type="button" class="quiet" onClick=${() => setPair(null)}>all games</button>`}
        <${GameList} key=${`${pair} ${report.running ? 0 : report.done}`} experiment=${id} pair=${pair} />
      </section>
    </article>`;
}

function Progress({ report }) {
  const [problem, setProblem] = useState("");
  const stop = async () => {
    try {
      await post(`matches/${encodeURIComponent(report.id)}/stop`, {});
    } catch (error) {
      setProblem(error.message);
    }
  };
  return html`
    <div class="row progress">
      <progress max=${Math.max(1, report.total)} value=${report.done} aria-label="Games played"></progress>
      <span>${report.done} of ${report.total} games</span>
      ${report.running && report.ours && html`<button type="button" onClick=${stop}>Stop</button>`}
    </div>
    <${ErrorMessage} text=${problem} />`;
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
            <th scope="col" class="drawn"><span class="visually-hidden">interval, as a bar</span></th>
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

/** The score of each agent against each other agent. A cell opens its games. */
function CrossTable({ names, cross, pair, setPair }) {
  const open = (one, other) => {
    setPair([one, other]);
    requestAnimationFrame(() => document.getElementById("games").scrollIntoView({ behavior: "smooth" }));
  };
  const cell = (one, other, { score, games }) => html`
    <button type="button" class="cell" aria-pressed=${pair?.[0] === one && pair[1] === other} title=${`${games} games`}
      aria-label=${`${one} against ${other}: ${(100 * score).toFixed(1)} % of ${games} games`}
      onClick=${() => open(one, other)}>${(100 * score).toFixed(0)}</button>`;
  return html`
    <section class="panel" aria-label="Cross-table">
      <h2>Cross-table</h2>
      <p class="soft small">Score of the agent of the row, in percent. A cell opens its games.</p>
      <div class="wide" tabindex="0" role="region" aria-label="Scores">
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

function SequentialTest({ llr }) {
  const data = useMemo(() => [llr.path.map(([games]) => games), llr.path.map(([, value]) => value)], [llr]);
  const rules = [llr.lower, llr.upper].map((y, index) => ({ y, label: llr.hypotheses[index] }));
  return html`
    <section class="panel" aria-label="Sequential test">
      <h2>Sequential test</h2>
      <p>${llr.verdict}</p>
      <${Graph} data=${data} series=${[{ label: "log likelihood ratio" }]} rules=${rules} height=${200}
        label=${`Log likelihood ratio after each game: ${llr.verdict}`} />
      <p class="soft small">Log likelihood ratio over the games played. The test ends at either line.</p>
    </section>`;
}

function Endings({ experiment, endings, failures }) {
  const counts = Object.entries(endings);
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  return html`
    <section class="panel" aria-label="Endings">
      <h2>How games ended</h2>
      <table class="endings"><tbody>${counts.map(([ending, count]) => html`
        <tr key=${ending}>
          <th scope="row">${ending}</th>
          <td class="drawn"><${Bar} share=${count / all} /></td>
          <td class="n">${count}</td>
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
