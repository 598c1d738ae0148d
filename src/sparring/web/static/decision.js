/* A decision: candidates with their terms, the expected line, notes, and the matrix of a mixed strategy. */

import { post } from "./api.js";
import { signed, until } from "./game.js";
import { html, useEffect, useRef, useState } from "./library.js";
import { Bar, ErrorMessage } from "./components.js";

const MAX_MARKS = 8;

/** The best candidates as marks of a board, for a stored decision, which has no picture. */
export function marksOf({ candidates }, choices) {
  const scored = candidates.filter(({ score }) => score !== null && score !== undefined).slice(0, MAX_MARKS);
  const ranks = [...new Set(scored.map(({ score }) => score))];
  return scored.map(({ move, score }) => {
    const parts = move.split("_"); // commands of several pieces are joined
    return {
      choices: choices.filter((choice) => choice.move === move || parts.includes(choice.move)),
      size: 1 - ranks.indexOf(score) / ranks.length,
    };
  });
}

/** The preview of a line: `preview` has the line and the number of its moves that are shown, `svg` the board. */
export function usePreview(game, turn) {
  const [preview, setPreview] = useState(null);
  const lines = useRef(new Map());
  useEffect(() => {
    setPreview(null);
    lines.current.clear();
  }, [game, turn]);
  const show = async (player, line, count, pinned = false) => {
    const key = String([player, line]);
    setPreview((now) => ({ line, count, pinned, frames: now?.line === line ? now.frames : undefined }));
    if (!lines.current.has(key)) lines.current.set(key, post("line", { ...until(game, turn), player, line }));
    try {
      const frames = await lines.current.get(key);
      setPreview((now) => (now?.line === line ? { ...now, frames } : now));
    } catch (error) {
      setPreview((now) => now && { ...now, error: error.message });
    }
  };
  const hide = (pinned = true) => setPreview((now) => (now?.pinned && !pinned ? now : null));
  return { preview, svg: preview?.frames?.[preview.count - 1].svg, show, hide };
}

const number = new Intl.NumberFormat("en");

function effort({ depth, nodes, seconds }) {
  const parts = [];
  if (depth) parts.push(`depth ${depth}`);
  if (nodes) parts.push(`${number.format(nodes)} nodes`);
  if (seconds >= 1) parts.push(`${seconds.toFixed(1)} s`);
  else if (seconds) parts.push(`${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms`);
  return parts.join(" · ");
}

export function Decision({ decision, name, ahead }) {
  const { agent, move, verdict, why_not: why, candidates = [], notes = {}, matrix } = decision;
  const [selected, setSelected] = useState(move);
  useEffect(() => setSelected(move), [decision]);
  const chosen = candidates.find((candidate) => candidate.move === selected);
  return html`
    <div class="decision">
      <p class="verdict"><b>${agent}</b> plays <b>${move}</b> for ${name}${verdict && `, ${verdict}`}</p>
      <p class="soft small">${effort(decision)}</p>
      ${why && html`<p class="why" role="status">${why}</p>`}
      ${candidates.length > 0 && html`
        <${Candidates} decision=${decision} selected=${selected} setSelected=${setSelected} />`}
      ${chosen?.line?.length > 0 && html`<${Line} player=${decision.player} line=${chosen.line} ahead=${ahead} />`}
      ${chosen?.note && html`<p class="soft">${chosen.note}</p>`}
      <${Notes} notes=${matrix ? { ...notes, mix: "" } : notes} />
      ${matrix && html`<${Matrix} matrix=${matrix} />`}
    </div>`;
}

const MAX_ROWS = 12;

function Candidates({ decision, selected, setSelected }) {
  const [all, setAll] = useState(false);
  const { candidates, weights = {}, solver } = decision;
  const rows = all ? candidates : candidates.slice(0, MAX_ROWS);
  const terms = [...new Set(candidates.flatMap((candidate) => Object.keys(candidate.terms ?? {})))];
  const worth = (candidate, term) => (candidate.terms[term] ?? 0) * (weights[term] ?? 1);
  const most = Math.max(1e-9, ...rows.flatMap((candidate) => terms.map((term) => Math.abs(worth(candidate, term)))));
  const scores = rows.map(({ score }) => score).filter((score) => score !== null && score !== undefined);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const share = (score) => (high > low ? (score - low) / (high - low) : 1);
  const mixes = candidates.some(({ chance }) => chance !== null && chance !== undefined);
  const row = (candidate) => html`
    <tr key=${candidate.move} aria-selected=${candidate.move === selected} onClick=${() => setSelected(candidate.move)}
      class=${candidate.move === decision.move ? "best" : ""}>
      <th scope="row">
        <button type="button" class="quiet" aria-pressed=${candidate.move === selected}>${candidate.move}</button>
      </th>
      <td class="score">
        <span>${candidate.verdict ?? signed(candidate.score)}</span>
        ${candidate.score !== null && html`<${Bar} share=${share(candidate.score)} />`}
      </td>
      ${mixes && html`<td class="n">${candidate.chance ? `${(100 * candidate.chance).toFixed(0)} %` : ""}</td>`}
      ${solver && html`<td>${solver[candidate.move] ?? ""}</td>`}
      ${terms.map((term) => html`
        <td key=${term} class="n term">
          ${term in (candidate.terms ?? {}) && html`<${Term} worth=${worth(candidate, term)} most=${most} />`}
        </td>`)}
    </tr>`;
  return html`
    <div class="wide" tabindex="0" role="region" aria-label="Candidates">
      <table class="candidates">
        <caption class="visually-hidden">Moves with their scores and the terms of the scores</caption>
        <thead><tr>
          <th scope="col">move</th>
          <th scope="col">score</th>
          ${mixes && html`<th scope="col" class="n">chance</th>`}
          ${solver && html`<th scope="col">exact</th>`}
          ${terms.map((term) => html`
            <th key=${term} scope="col" class="n" title=${`weight ${weights[term] ?? 1}`}>
              ${term.replaceAll("_", " ")}
            </th>`)}
        </tr></thead>
        <tbody>${rows.map(row)}</tbody>
      </table>
    </div>
    ${candidates.length > MAX_ROWS && html`
      <button type="button" class="quiet" onClick=${() => setAll(!all)}>
        ${all ? "only the best" : `all ${candidates.length} moves`}
      </button>`}`;
}

function Term({ worth, most }) {
  return html`
    <span>${signed(worth)}</span>
    <${Bar} share=${0.5 + worth / most / 2} from=${0.5} kind=${worth < 0 ? "down" : ""} />`;
}

/** The expected line. Pointing at a move shows the board after it; a click keeps it until Escape. */
function Line({ player, line, ahead }) {
  const chips = useRef(null);
  const { preview, show, hide } = ahead;
  const count = preview?.line === line ? preview.count : 0;
  const isPinned = (place) => place === count && preview.pinned;
  const keys = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !count) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(line.length, Math.max(1, count + step));
    show(player, line, next, true);
    chips.current.children[next - 1].firstElementChild.focus();
  };
  const chip = (move, index) => {
    const place = index + 1;
    return html`
      <li key=${place}>
        <button type="button" class="chip" aria-pressed=${isPinned(place)} data-shown=${place === count}
          tabindex=${place === (count || 1) ? 0 : -1}
          onMouseEnter=${() => !preview?.pinned && show(player, line, place)}
          onClick=${() => (isPinned(place) ? hide() : show(player, line, place, true))}>${move}</button>
      </li>`;
  };
  return html`
    <div class="line">
      <p class="soft small" id="line-label">
        Expected line: point at a move to see the board after it; click to stay there; Esc returns.
      </p>
      <ol class="chips" ref=${chips} aria-labelledby="line-label" onKeyDown=${keys} onMouseLeave=${() => hide(false)}>
        ${line.map(chip)}
      </ol>
      <${ErrorMessage} text=${preview?.error} />
    </div>`;
}

function noteWords(note) {
  if (note === null || note === undefined) return "";
  if (typeof note === "boolean") return note ? "yes" : "no";
  if (typeof note === "number") return Number.isInteger(note) ? String(note) : String(Number(note.toPrecision(4)));
  if (Array.isArray(note)) return note.map(noteWords).join(", ");
  if (typeof note !== "object") return String(note);
  return Object.entries(note).map(([name, value]) => `${name} ${noteWords(value)}`).join(", ");
}

function Notes({ notes }) {
  const all = Object.entries(notes).map(([name, note]) => [name, noteWords(note)]).filter(([, text]) => text);
  return all.length > 0 && html`
    <dl class="notes">${all.map(([name, text]) => html`
      <div key=${name} class=${name === "override" && text !== "no" ? "marked" : ""}>
        <dt>${name.replaceAll("_", " ")}</dt>
        <dd>${text}</dd>
      </div>`)}</dl>`;
}

/** The payoff of each pair of choices, a better one in a deeper colour, and the probability of each choice. */
function Matrix({ matrix }) {
  const { rows, columns, payoffs, row_chances: down, column_chances: across } = matrix;
  const ranks = [...new Set(payoffs.flat())].sort((one, other) => one - other);
  const heat = (payoff) => ranks.indexOf(payoff) / Math.max(1, ranks.length - 1);
  const percent = (chance) => (chance > 0.0005 ? `${(100 * chance).toFixed(0)} %` : "·");
  return html`
    <p class="soft small">The payoff of each pair of choices for the player, and how often each choice is made.</p>
    <div class="wide" tabindex="0" role="region" aria-label="Payoff matrix">
      <table class="matrix">
        <thead>
          <tr><td></td><td></td>${columns.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr>
          <tr><td></td><td class="soft small">chance</td>
            ${across.map((chance, index) => html`<td key=${index} class="n chance">${percent(chance)}</td>`)}</tr>
        </thead>
        <tbody>${rows.map((name, row) => html`
          <tr key=${name}><th scope="row">${name}</th><td class="n chance">${percent(down[row])}</td>
            ${payoffs[row].map((payoff, column) => html`
              <td key=${column} class="n heat" style=${{ "--heat": heat(payoff) }}>${signed(payoff)}</td>`)}
          </tr>`)}</tbody>
      </table>
    </div>`;
}
