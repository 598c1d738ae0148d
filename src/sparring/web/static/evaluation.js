/* The evaluation of a whole game: the analyst's graph, luck apart from skill, and the moves that lost the game. */

import { get, post } from "./api.js";
import { bare, signed } from "./game.js";
import { Graph } from "./graph.js";
import { html, useEffect, useMemo, useState } from "./library.js";
import { ErrorMessage, useAnswer } from "./components.js";

/** Scores for a graph. Proven wins and losses lie a little above or below all other scores, proven ties at zero. */
function curves(scores, seats) {
  const open = scores.flatMap((all) => all ?? []).filter((one) => one && !one.proven);
  const top = 1.15 * Math.max(0, ...open.map(({ score }) => Math.abs(score))) || 1;
  const height = (one) => (!one ? null : one.proven ? top * one.proven.result : one.score);
  const mirrored = seats === 2 && scores.every((all) => !all || all[0]?.score === -all[1]?.score);
  return Array.from({ length: mirrored ? 1 : seats }, (_, seat) => scores.map((all) => height(all?.[seat])));
}

/** @param onEvents  gets the blunders: [{turn, kind, text}] */
export function Evaluation({ game, analyst, turn, go, players, onEvents, open: first = false }) {
  const [open, setOpen] = useState(first);
  const wanted = open && game.moves.length > 0;
  const { value, error, busy } = useAnswer(
    (signal) => (wanted ? post("evaluate", { ...bare(game), agent: analyst.spec }, signal) : undefined),
    [wanted, game, analyst.spec],
  );
  useEffect(() => onEvents(value?.events ?? []), [value]);
  const data = useMemo(
    () => value && [value.scores.map((_, at) => at), ...curves(value.scores, players.length)],
    [value, players.length],
  );
  const waiting = game.moves.length === 0 ? "The graph begins with the first move." : busy ? "Evaluating …" : "";
  return html`
    <details class="panel evaluation" open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary><h2>Evaluation</h2></summary>
      <${ErrorMessage} text=${error} />
      ${data && players.length > 0
        ? html`<${Curves} data=${data} scores=${value.scores} by=${analyst.spec}
            players=${players} turn=${turn} go=${go} />`
        : html`<p class="soft waiting">${waiting}</p>`}
      ${value?.luck && html`<${Luck} luck=${value.luck} />`}
    </details>`;
}

/** @param onEvents  gets the decisions that lost a stored game: [{turn, kind, text}] */
export function WhereLost({ source, number, go, onEvents }) {
  const [asked, setAsked] = useState(0);
  const game = `experiments/${encodeURIComponent(source)}/games/${encodeURIComponent(number)}`;
  const { value, error, busy } = useAnswer(() => (asked ? get(`${game}/blunders`) : undefined), [asked]);
  const found = useMemo(() => value?.map((one) => ({ ...one, turn: one.step - 1 })), [value]);
  useEffect(() => { if (found) onEvents(found); }, [found]);
  return html`
    <section class="panel" aria-label="Where was it lost?">
      <h2>Where was it lost?</h2>
      <${ErrorMessage} text=${error} />
      ${(!asked || error) && html`
        <button type="button" onClick=${() => setAsked(asked + 1)}>Ask the strongest judge</button>`}
      ${asked > 0 && busy && html`<p class="soft">Judging …</p>`}
      ${found?.length === 0 && html`<p class="soft">The judge found no better move for a player that lost.</p>`}
      <ul class="lost">${found?.map((one, place) => html`
        <li key=${place}><button type="button" class="quiet" onClick=${() => go(one.turn)}>${one.text}</button></li>`)}
      </ul>
    </section>`;
}

function Curves({ data, scores, players, turn, go, by }) {
  const single = data.length === 2;
  const series = single ? [{ label: players[0].name }] : players.map(({ name, colour }) => ({ label: name, colour }));
  const words = (one, seat) => one && `${players[seat].name} ${one.verdict}`;
  const here = (scores[turn] ?? []).map(words).filter(Boolean);
  return html`
    <${Graph} data=${data} series=${series} at=${turn} onPick=${go}
      label=${`Evaluation of ${scores.length} positions by ${by}`} />
    <p class="soft small">
      ${single && players.length > 1 ? `Above zero is good for ${players[0].name}.` : "One curve for each player."}
      ${here.length > 0 && ` Here ${here.join(", ")}.`}
    </p>`;
}

/** What changed each player's chance to win: luck, its own choices, and the choices of others. */
function Luck({ luck }) {
  const percent = (share) => `${signed(100 * share)} %`;
  return html`
    <table class="luck">
      <caption class="soft small">What changed each player's chance to win (${luck.by})</caption>
      <thead><tr>
        <th scope="col">player</th>
        <th scope="col" class="n">luck</th>
        <th scope="col" class="n">skill</th>
        <th scope="col" class="n">others</th>
      </tr></thead>
      <tbody>${luck.players.map((one) => html`
        <tr key=${one.player}>
          <th scope="row">${one.player}</th>
          <td class="n">${percent(one.luck)}</td>
          <td class="n">${percent(one.skill)}</td>
          <td class="n">${percent(one.others)}</td>
        </tr>`)}</tbody>
    </table>`;
}
