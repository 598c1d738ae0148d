/* Asking an analyst about the position that is shown: what would it play, why, and why not something else? */

import { post } from "./api.js";
import { Decision, usePreview } from "./decision.js";
import { bare, isProven, scoreWords, signed, until } from "./game.js";
import { Graph } from "./graph.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { AgentPicker, asked } from "./picker.js";
import { Trouble, useAnswer } from "./parts.js";

const kept = (game) => JSON.parse(localStorage.getItem(`analyst ${game}`));

export function useAnalyst(info) {
  const [analyst, setAnalyst] = useState(kept(info.name) ?? { spec: info.best, seconds: 0.3 });
  useEffect(() => setAnalyst(kept(info.name) ?? { spec: info.best, seconds: 0.3 }), [info.name]);
  const change = (value) => {
    localStorage.setItem(`analyst ${info.name}`, JSON.stringify(value));
    setAnalyst(value);
  };
  return [analyst, change];
}

/**
 * Everything about decisions in one position: those that were kept, and those that are asked for.
 * @param recorded  decisions kept with the game: [{step, player, ...}]
 */
export function useUnderstanding({ game, turn, actors, analyst, recorded = [] }) {
  const [question, setQuestion] = useState({ state: "none" });
  const [questioning, setQuestioning] = useState(false);
  const [always, setAlways] = useState(false);
  const latest = useRef(new AbortController());
  const ahead = usePreview(game, turn);
  const here = useMemo(() => recorded.filter((one) => one.step === turn + 1), [recorded, turn]);

  /** Ask about a turn; with `move`, why it is not the one that is played. */
  const ask = async (player, { move, at = turn, agent = analyst } = {}) => {
    latest.current.abort();
    latest.current = new AbortController();
    const { signal } = latest.current;
    setQuestion((before) => ({ ...before, state: "busy", turn: at, player }));
    const body = { ...until(game, at), player, ...asked(agent), explain: true, ...(move === undefined ? {} : { why_not: move }) };
    try {
      const decision = await post("decide", body, signal);
      setQuestion({ state: "told", turn: at, player, decision });
    } catch (error) {
      if (!signal.aborted) setQuestion({ state: "failed", turn: at, player, error: error.message });
    }
  };
  useEffect(() => {
    setQuestioning(false);
    if (!always || actors.length === 0) return undefined;
    const soon = setTimeout(() => ask(actors[0]), 250);
    return () => clearTimeout(soon);
  }, [always, turn, String(actors)]);
  useEffect(() => () => {
    latest.current.abort();
    setQuestion({ state: "none" });
  }, [game.game, game.seed]);

  const current = question.turn === turn && question.state !== "none"
    ? question
    : here.length > 0 ? { state: "told", turn, player: here[0].player, decision: here[0], others: here } : question.turn === turn - 1 ? question : { state: "none" };
  const decision = current.turn === turn ? current.decision : undefined;
  const setQuestions = (on) => {
    ahead.hide();
    setQuestioning(on);
  };
  return { ahead, ask, question: current, questioning, setQuestioning: setQuestions, always, setAlways, decision };
}

/** What can be asked, for each player in question. */
export function Questions({ understanding, about, name, lastMove }) {
  const { question, ask, questioning, setQuestioning } = understanding;
  const busy = question.state === "busy";
  return html`
    ${about.map((player) => html`<button key=${player} type="button" disabled=${busy} aria-keyshortcuts="h" title="What would the analyst play? (H)"
      onClick=${() => ask(player)}>${about.length > 1 ? `Hint for ${name(player)}` : "Hint"}</button>`)}
    ${about.length > 0 && html`<button type="button" aria-pressed=${questioning} aria-keyshortcuts="w" title="Choose a move to hear why it is not played (W)"
      onClick=${() => setQuestioning(!questioning)}>Why not …?</button>`}
    ${lastMove && html`<button type="button" disabled=${busy} aria-keyshortcuts="e" title="What was it that led to the last move? (E)" onClick=${lastMove}>Last move</button>`}`;
}

/** The panel of decisions. */
export function Understanding({ info, players, turn, understanding, analyst, setAnalyst, go, children }) {
  const { question, ahead, questioning, always, setAlways } = understanding;
  const name = (player) => players[player]?.name ?? String(player);
  return html`
    <section class="panel understand" aria-label="Decision">
      <h2>Decision</h2>
      <div class="row">
        <${AgentPicker} info=${info} value=${analyst} onChange=${setAnalyst} label="Analyst" />
      </div>
      <div class="row buttons">
        ${children}
        <label class="check"><input type="checkbox" checked=${always} onChange=${(event) => setAlways(event.target.checked)} /> at every turn</label>
      </div>
      ${questioning && html`<p class="why" role="status">Choose a move on the board to hear why it is not played.</p>`}
      <div aria-live="polite" aria-busy=${question.state === "busy"}>
        ${question.state === "busy" && html`<p class="soft thinking">${analyst.spec} is thinking</p>`}
        <${Trouble} text=${question.error} />
        ${question.decision && html`
          ${question.turn !== turn && html`<p class="soft small">About the position before. <button type="button" class="quiet" onClick=${() => go(question.turn)}>Show it on the board</button></p>`}
          <${Decision} decision=${question.decision} player=${question.player} name=${name(question.player)} ahead=${ahead} />
          ${question.others?.slice(1).map((other) => html`<${Decision} key=${other.player} decision=${other} player=${other.player} name=${name(other.player)} ahead=${ahead} />`)}`}
        ${question.state === "none" && html`<p class="soft">What would ${analyst.spec} play here, and why? Ask, or choose a move to hear why not.</p>`}
      </div>
    </section>`;
}

/** Scores for a graph: what is proved stands a little above or below everything else. */
function drawable(scores, seats) {
  const known = scores.flatMap((all) => all ?? []).filter((score) => score !== null && !isProven(score));
  const top = 1.15 * Math.max(1e-9, ...known.map(Math.abs)) || 1;
  const clip = (score) => (score === null || score === undefined ? null : Math.max(-top, Math.min(top, score)));
  const mirrored = seats === 2 && scores.every((all) => !all || all[0] === -all[1]);
  return Array.from({ length: mirrored ? 1 : seats }, (_, seat) => scores.map((all) => clip(all?.[seat])));
}

/** Scores over the whole game, as a graph that leads to its turns; and in games of dice, luck apart from skill. */
export function Evaluation({ game, analyst, turn, go, players, onEvents, open: first = false }) {
  const [open, setOpen] = useState(first);
  const { value, error, busy } = useAnswer(
    (signal) => (open && game.moves.length > 0 ? post("evaluate", { ...bare(game), agent: analyst.spec }, signal) : undefined),
    [open, game, analyst.spec]);
  useEffect(() => onEvents(value?.events ?? []), [value]);
  const data = useMemo(() => value && [value.scores.map((_, at) => at), ...drawable(value.scores, players.length)], [value, players.length]);
  const alone = data?.length === 2;
  const series = alone ? [{ label: players[0].name }] : players.map(({ name, colour }) => ({ label: name, colour }));
  const now = (value?.scores[turn] ?? []).map((score, seat) => score !== null && `${players[seat].name} ${scoreWords(score)}`).filter(Boolean);
  return html`
    <details class="panel evaluation" open=${open} onToggle=${(event) => setOpen(event.currentTarget.open)}>
      <summary><h2>Evaluation</h2></summary>
      <${Trouble} text=${error} />
      ${data && players.length > 0 && html`
        <${Graph} data=${data} series=${series} at=${turn} onPick=${go} label=${`Evaluation of ${data[0].length} positions by ${analyst.spec}`} />
        <p class="soft small">${alone && players.length > 1 ? `Above zero is good for ${players[0].name}.` : "Each player's own prospects."}
          ${now.length > 0 && ` Here ${now.join(", ")}.`}</p>
        ${value.luck && html`<${Luck} luck=${value.luck} />`}`}
      ${!data && html`<p class="soft">${game.moves.length === 0 ? "It begins with the first move." : busy ? "Evaluating …" : ""}</p>`}
    </details>`;
}

/** What changed each player's chance to win: its dice, its own choices, and what others did. */
function Luck({ luck }) {
  const percent = (share) => `${signed(100 * share)} %`;
  return html`<table class="luck">
    <caption class="soft small">What changed each player's chance to win, by ${luck.by}</caption>
    <thead><tr><th scope="col">player</th><th scope="col" class="n">luck</th><th scope="col" class="n">skill</th><th scope="col" class="n">others</th></tr></thead>
    <tbody>${luck.players.map((one) => html`<tr key=${one.player}><th scope="row">${one.player}</th>
      <td class="n">${percent(one.luck)}</td><td class="n">${percent(one.skill)}</td><td class="n">${percent(one.others)}</td></tr>`)}</tbody>
  </table>`;
}
