/* A decision: what an agent weighed, term by term, the line it expects, what it noted, and how it mixes. */

import { post } from "./api.js";
import { html, useEffect, useRef, useState } from "./library.js";
import { scoreWords, signed, until } from "./game.js";
import { Bar, Trouble } from "./parts.js";

const MARKED = 8;

/** The best candidates as marks for a board, where a decision was kept without its picture. */
export function marksOf({ candidates }, choices) {
  const scored = candidates.filter(({ score }) => score !== null && score !== undefined).slice(0, MARKED);
  const ranks = [...new Set(scored.map(({ score }) => score))];
  return scored.map(({ move, score }) => {
    const parts = move.split("_"); // commands of several pieces are joined
    return {
      choices: choices.filter((choice) => choice.move === move || parts.includes(choice.move)),
      size: 1 - ranks.indexOf(score) / ranks.length,
    };
  });
}

/** How one looks ahead along a line: {shown, show(player, line, count, pin), hide()}; `shown` is null or a board. */
export function usePreview(game, turn) {
  const [preview, setPreview] = useState(null);
  const lines = useRef(new Map());
  useEffect(() => { setPreview(null); lines.current.clear(); }, [game, turn]);
  const show = async (player, line, count, pinned = false) => {
    setPreview({ player, line, count, pinned, frames: lines.current.get(String([player, line])) });
    const key = String([player, line]);
    if (!lines.current.has(key)) lines.current.set(key, post("line", { ...until(game, turn), player, line }));
    try {
      const { frames } = await lines.current.get(key);
      setPreview((now) => (now && now.line === line ? { ...now, frames } : now));
    } catch (error) {
      setPreview((now) => (now ? { ...now, error: error.message } : now));
    }
  };
  const hide = (pinned = true) => setPreview((now) => (now && now.pinned && !pinned ? now : null));
  const frame = Array.isArray(preview?.frames) ? preview.frames[preview.count - 1] : undefined;
  return { preview, svg: frame?.svg, show, hide };
}

const number = new Intl.NumberFormat("en");

function effort({ depth, nodes, seconds }) {
  const told = [];
  if (depth) told.push(`depth ${Number(depth.toFixed?.(1) ?? depth)}`);
  if (nodes) told.push(`${number.format(nodes)} nodes`);
  if (seconds) told.push(seconds < 1 ? `${(1000 * seconds).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(1)} s`);
  return told.join(" · ");
}

export function Decision({ decision, player, name, ahead }) {
  const [selected, setSelected] = useState(decision.move);
  useEffect(() => setSelected(decision.move), [decision]);
  const candidates = decision.candidates ?? [];
  const chosen = candidates.find((candidate) => candidate.move === selected);
  return html`
    <div class="decision">
      <p class="verdict"><b>${decision.agent}</b> plays <b>${decision.move}</b> for ${name}${decision.verdict && html`, ${decision.verdict}`}</p>
      <p class="soft small">${effort(decision)}</p>
      ${decision.why_not && html`<p class="why" role="status">${decision.why_not}</p>`}
      ${candidates.length > 0 && html`<${Candidates} decision=${decision} selected=${selected} setSelected=${setSelected} />`}
      ${chosen?.line?.length > 0 && html`<${Line} player=${player} line=${chosen.line} ahead=${ahead} />`}
      ${chosen?.note && html`<p class="soft">${chosen.note}</p>`}
      <${Notes} notes=${decision.notes} />
      ${decision.matrix && html`<${Matrix} matrix=${decision.matrix} />`}
    </div>`;
}

const SHOWN = 12;

function Candidates({ decision, selected, setSelected }) {
  const [all, setAll] = useState(false);
  const { candidates, weights = {}, solver } = decision;
  const terms = [...new Set(candidates.flatMap((candidate) => Object.keys(candidate.terms ?? {})))];
  const worth = (candidate, term) => (candidate.terms[term] ?? 0) * (weights[term] ?? 1);
  const rows = all ? candidates : candidates.slice(0, SHOWN);
  const scores = rows.map((candidate) => candidate.score).filter((score) => score !== null && score !== undefined);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const share = (score) => (high > low ? (score - low) / (high - low) : 1);
  const most = Math.max(1e-9, ...rows.flatMap((candidate) => terms.map((term) => Math.abs(worth(candidate, term)))));
  const mixes = candidates.some((candidate) => candidate.chance !== undefined && candidate.chance !== null);
  return html`
    <div class="wide" tabindex="0" role="region" aria-label="Candidates">
      <table class="candidates">
        <caption class="unseen">Moves by their scores, and what the scores are made of</caption>
        <thead><tr>
          <th scope="col">move</th><th scope="col">score</th>
          ${mixes && html`<th scope="col" class="n">chance</th>`}
          ${solver && html`<th scope="col">exact</th>`}
          ${terms.map((term) => html`<th key=${term} scope="col" class="n" title=${`weight ${weights[term] ?? 1}`}>${term.replaceAll("_", " ")}</th>`)}
        </tr></thead>
        <tbody>
          ${rows.map((candidate) => html`
            <tr key=${candidate.move} aria-selected=${candidate.move === selected} class=${candidate.move === decision.move ? "best" : ""}
              onClick=${() => setSelected(candidate.move)}>
              <th scope="row"><button type="button" class="quiet" aria-pressed=${candidate.move === selected}
                onClick=${() => setSelected(candidate.move)}>${candidate.move}</button></th>
              <td class="score"><span>${candidate.verdict || `${candidate.exact === false ? "≤ " : ""}${scoreWords(candidate.score)}`}</span>${candidate.score !== null && html`<${Bar} share=${share(candidate.score)} />`}</td>
              ${mixes && html`<td class="n">${candidate.chance ? `${(100 * candidate.chance).toFixed(0)} %` : ""}</td>`}
              ${solver && html`<td>${solver.verdicts[candidate.move] ?? ""}</td>`}
              ${terms.map((term) => html`<td key=${term} class="n term">${term in (candidate.terms ?? {}) && html`
                <span>${signed(worth(candidate, term))}</span><${Bar} share=${0.5 + worth(candidate, term) / most / 2} from=${0.5}
                  kind=${worth(candidate, term) < 0 ? "down" : ""} />`}</td>`)}
            </tr>`)}
        </tbody>
      </table>
    </div>
    ${candidates.length > SHOWN && html`<button type="button" class="quiet" onClick=${() => setAll(!all)}>
      ${all ? "only the best" : `all ${candidates.length} moves`}</button>`}`;
}

/** The line that is expected: each move shows the board after it while it is pointed at, or until Escape. */
function Line({ player, line, ahead }) {
  const chips = useRef(null);
  const { preview, show, hide } = ahead;
  const count = preview && preview.line === line ? preview.count : 0;
  const keys = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !count) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(line.length, Math.max(1, count + step));
    show(player, line, next, true);
    chips.current.children[next - 1].firstElementChild.focus();
  };
  return html`
    <div class="line">
      <p class="soft small" id="line-label">Expected line: point at a move to see the board after it, click to stay there, Esc to come back.</p>
      <ol class="chips" ref=${chips} aria-labelledby="line-label" onKeyDown=${keys} onMouseLeave=${() => hide(false)}>
        ${line.map((move, index) => html`<li key=${index}><button type="button" class="chip"
          aria-pressed=${index + 1 === count && preview.pinned} data-shown=${index + 1 === count}
          tabindex=${index + 1 === (count || 1) ? 0 : -1}
          onMouseEnter=${() => !preview?.pinned && show(player, line, index + 1)}
          onClick=${() => (index + 1 === count && preview.pinned ? hide() : show(player, line, index + 1, true))}>${move}</button></li>`)}
      </ol>
      <${Trouble} text=${preview?.error} />
    </div>`;
}

function told(note) {
  if (note === null || note === undefined) return "";
  if (typeof note === "boolean") return note ? "yes" : "no";
  if (typeof note === "number") return Number.isInteger(note) ? String(note) : String(Number(note.toPrecision(4)));
  if (Array.isArray(note)) return note.map(told).join(", ");
  if (typeof note === "object") return Object.entries(note).map(([name, value]) => `${name} ${told(value)}`).join(", ");
  return String(note);
}

function Notes({ notes }) {
  const all = Object.entries(notes ?? {});
  return all.length > 0 && html`<dl class="notes">${all.map(([name, note]) => html`
    <div key=${name} class=${name === "override" && note ? "marked" : ""}><dt>${name.replaceAll("_", " ")}</dt><dd>${told(note)}</dd></div>`)}</dl>`;
}

/** What each pair of choices is worth, and with which chances both mix. */
function Matrix({ matrix }) {
  const { rows, columns, payoffs, row_chances: down, column_chances: across } = matrix;
  const all = payoffs.flat().filter((payoff) => payoff !== null);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const heat = (payoff) => (high > low ? (payoff - low) / (high - low) : 0.5);
  const percent = (chance) => (chance > 0.0005 ? `${(100 * chance).toFixed(0)} %` : "·");
  return html`
    <div class="wide" tabindex="0" role="region" aria-label="Payoff matrix">
      <table class="matrix">
        <caption class="soft small">What each pair of commands is worth to the player, and with which chance both sides play them.</caption>
        <thead>
          <tr><td></td><td></td>${columns.map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr>
          <tr><td></td><td class="soft small">chance</td>${across.map((chance, index) => html`<td key=${index} class="n chance">${percent(chance)}</td>`)}</tr>
        </thead>
        <tbody>${rows.map((name, row) => html`
          <tr key=${name}><th scope="row">${name}</th><td class="n chance">${percent(down[row])}</td>
            ${payoffs[row].map((payoff, column) => html`<td key=${column} class="n heat" style=${{ "--heat": heat(payoff) }}>${signed(payoff)}</td>`)}
          </tr>`)}</tbody>
      </table>
    </div>`;
}
