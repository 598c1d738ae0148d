/* The timeline: buttons, a slider with marks, and the list of moves. */

import { html, useEffect, useMemo, useRef } from "./library.js";
import { stepWords } from "./game.js";
import { Dot, IconButton } from "./components.js";

const SPEEDS = [1, 2, 5, 10, 25];

/** The keys of the timeline, for `useKeys`. */
export function timelineKeys({ turn, last, go, event }) {
  return {
    Home: () => go(0),
    End: () => go(last),
    n: () => event(1),
    "shift+n": () => event(-1),
    ",": () => go(turn - 1),
    ".": () => go(turn + 1),
  };
}

/**
 * @param event  goes to the next event (1) or the previous one (-1)
 * @param run    starts and pauses the replay, if this is a replay
 * @param marks  the events: [{turn, kind}]
 */
export function Timeline({ turn, last, go, event, playing, run, speed, setSpeed, marks }) {
  const [atStart, atEnd] = [turn === 0, turn >= last];
  const button = (icon, label, keys, disabled, onClick) =>
    html`<${IconButton} icon=${icon} label=${label} keys=${keys} disabled=${disabled} onClick=${onClick} />`;
  return html`
    <div class="timeline">
      <div class="buttons" role="group" aria-label="Steps">
        ${button("first", "First turn", "Home", atStart, () => go(0))}
        ${button("backEvent", "Previous event", "Shift+N", atStart, () => event(-1))}
        ${button("back", "One turn back", ",", atStart, () => go(turn - 1))}
        ${run && button(playing ? "pause" : "play", playing ? "Pause" : "Run", "Space", last === 0, run)}
        ${button("next", "One turn on", ".", atEnd, () => go(turn + 1))}
        ${button("nextEvent", "Next event", "N", atEnd, () => event(1))}
        ${button("last", "Last turn", "End", atEnd, () => go(last))}
        ${setSpeed && html`
          <label class="speed">
            <span class="visually-hidden">Turns a second</span>
            <select value=${speed} onChange=${(change) => setSpeed(Number(change.target.value))}>
              ${SPEEDS.map((one) => html`<option key=${one} value=${one}>${one}/s</option>`)}
            </select>
          </label>`}
      </div>
      <div class="slide">
        <input type="range" aria-label="Turn" aria-valuetext=${`turn ${turn} of ${last}`} min="0" max=${last}
          value=${turn} onInput=${(change) => go(Number(change.target.value))} />
        <svg class="ticks" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
          ${marks.map(({ turn: at, kind }) => html`
            <rect key=${`${at} ${kind}`} class=${kind} x=${(1000 * at) / (last || 1) - 1.5} width="3" height="10" />`)}
        </svg>
        <output class="turn">${turn}<span class="soft"> / ${last}</span></output>
      </div>
    </div>`;
}

/** A dot in the colour of the player, if one player moved. */
function Mover({ step, players }) {
  const [player, ...others] = Object.keys(step);
  return others.length === 0 && players.length > 1 ? html`<${Dot} colour=${players[player].colour} />` : null;
}

/** All moves, the current one marked and in view. The list is one stop of the Tab key; arrow keys go through it. */
export function MoveList({ moves, players, turn, go }) {
  const list = useRef(null);
  const items = useMemo(() => moves.map((step, index) => html`
    <li key=${index} id=${`move-${index + 1}`} role="option" data-turn=${index + 1}>
      <span class="soft number">${index + 1}</span>
      ${" "}<${Mover} step=${step} players=${players} />${stepWords(step, players)}
    </li>`), [moves, players]);
  useEffect(() => {
    for (const old of list.current.querySelectorAll("[aria-selected=true]")) old.setAttribute("aria-selected", "false");
    const now = list.current.children[turn - 1];
    if (!now) {
      list.current.scrollTop = 0;
      return;
    }
    now.setAttribute("aria-selected", "true");
    const { scrollTop, clientHeight } = list.current;
    const visible = now.offsetTop >= scrollTop && now.offsetTop + now.offsetHeight <= scrollTop + clientHeight;
    if (!visible) list.current.scrollTop = now.offsetTop - clientHeight / 2;
  }, [turn, items]);
  const keys = (event) => {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    go(turn + step);
  };
  const choose = (click) => {
    const item = click.target.closest("li");
    if (item) go(Number(item.dataset.turn));
  };
  return html`
    <ol class="moves" ref=${list} role="listbox" aria-label="Moves" tabindex="0" onKeyDown=${keys} onClick=${choose}
      aria-activedescendant=${turn > 0 ? `move-${turn}` : undefined}>${items}</ol>`;
}
