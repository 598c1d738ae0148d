/* The controls around the board: seats, the die, joined commands, directions, lines, rules. */

import { branchTurn } from "./lines.js";
import { html, useLayoutEffect, useRef } from "./library.js";
import { AgentPicker, Options } from "./picker.js";
import { Copy, Dot } from "./components.js";

export function Seats({ info, players, seats, setSeat, actors, outcome }) {
  return html`
    <ul class="seats" aria-label="Seats">${players.map(({ name, colour }, player) => html`
      <li key=${player} data-acting=${actors.includes(player)}>
        <span class="who">
          <${Dot} colour=${colour} /> <b>${name}</b>
          ${outcome && html`<span class="soft">${points(outcome[player])}</span>`}
        </span>
        <${AgentPicker} info=${info} person value=${seats[player]} label=${`Seat ${name}`}
          onChange=${(seat) => setSeat(player, seat)} />
      </li>`)}</ul>`;
}

const points = (score) => ({ 0: "0", 0.5: "½", 1: "1" })[score] ?? score.toFixed(2);

const PIPS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [-1, 1], [1, -1], [1, 1]],
  5: [[-1, -1], [-1, 1], [0, 0], [1, -1], [1, 1]], 6: [[-1, -1], [-1, 0], [-1, 1], [1, -1], [1, 0], [1, 1]],
};

function Die({ number }) {
  return html`<svg class="die" viewBox="-20 -20 40 40" role="img" aria-label=${`The die shows ${number}`}>
    <rect x="-18" y="-18" width="36" height="36" rx="8" />
    ${(PIPS[number] ?? []).map(([x, y]) => html`<circle key=${`${x} ${y}`} cx=${9 * x} cy=${9 * y} r="3.6" />`)}
  </svg>`;
}

/** The line below the board: the die, the last events, or the position along a line. */
export function Status({ ahead, dice, text, children }) {
  const { preview } = ahead;
  const inLine = preview && `After ${preview.line.slice(0, preview.count).join(" ")}. Esc returns.`;
  return html`
    <div class="row status">
      ${dice ? html`<${Die} number=${dice} />` : null}
      <p role="status" class=${`grow ${inLine ? "ahead" : ""}`}>${inLine ?? text}</p>
      ${children}
    </div>`;
}

/** A button that plays the commands of several pieces as one move. */
export function Send({ orders, complete, label, onSend, onClear }) {
  const button = useRef(null);
  useLayoutEffect(() => { if (complete) button.current.focus(); }, [complete]);
  const commands = Object.values(orders).map((choice) => choice.move);
  return html`<div class="row send">
    <button type="button" class="primary" ref=${button} onClick=${onSend}>${label}</button>
    <span class="soft code">${commands.join(" ") || "all pieces stay"}</span>
    ${commands.length > 0 && html`<button type="button" class="quiet" onClick=${onClear}>clear</button>`}
  </div>`;
}

/** Buttons for the four directions, for touch screens. */
export function Pad({ choices, onChoose }) {
  return html`
    <div class="pad" role="group" aria-label="Directions">${choices.map((choice) => html`
      <button key=${choice.move} type="button" class=${choice.move} aria-label=${choice.label}
        onClick=${() => onChoose(choice)}>${ARROWS[choice.move]}</button>`)}</div>`;
}

const ARROWS = { up: "↑", left: "←", down: "↓", right: "→" };

export const areDirections = (choices) => choices.length > 0 && choices.every(({ move }) => move in ARROWS);

export function Lines({ state, choose }) {
  return state.lines.length > 1 && html`
    <div class="lines row" role="group" aria-label="Lines">${state.lines.map((moves, line) => html`
      <button key=${line} type="button" class="chip" aria-pressed=${line === state.line} onClick=${() => choose(line)}>
        ${line === 0 ? "first line" : `from move ${branchTurn(state, line) + 1}`} <span class="soft">${moves.length}</span>
      </button>`)}</div>`;
}

/** The options of the game. Other options begin another game. */
export function Rules({ info, setup, begin }) {
  return html`
    <details class="panel rules">
      <summary><h2>Rules and seed</h2></summary>
      <p class="soft small">${info.about}</p>
      <div class="options">
        <label>seed
          <input type="text" inputmode="numeric" value=${String(setup.seed)}
            onChange=${({ target }) => begin({ ...setup, seed: Number.parseInt(target.value, 10) || 0 })} />
        </label>
        <label class="long">start position
          <input type="text" class="code" spellcheck="false" placeholder="the usual one" value=${setup.start ?? ""}
            onChange=${({ target }) => begin({ ...setup, start: target.value.trim() || undefined })} />
        </label>
      </div>
      <${Options} info=${info} values=${setup.options}
        onChange=${(options) => begin({ ...setup, options, start: undefined })} />
    </details>`;
}

export function Seed({ seed }) {
  return html`<${Copy} text=${() => String(seed)} label=${`Copy the seed ${seed}`}>seed ${seed}</${Copy}>`;
}
