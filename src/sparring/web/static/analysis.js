/* Questions to an analyst, which is any agent: its move in the shown position, and why not another move. */

import { post } from "./api.js";
import { Decision, usePreview } from "./decision.js";
import { common, until } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { agentFields, AgentPicker } from "./picker.js";
import { ErrorMessage } from "./components.js";

const remembered = (info) =>
  JSON.parse(localStorage.getItem(`analyst ${info.name}`)) ?? { spec: info.best, seconds: 0.3 };

export function useAnalyst(info) {
  const [analyst, setAnalyst] = useState(remembered(info));
  const change = (value) => {
    localStorage.setItem(`analyst ${info.name}`, JSON.stringify(value));
    setAnalyst(value);
  };
  return [analyst, change];
}

const NONE = { state: "none" };

/**
 * The decisions in one position: stored ones and new ones.
 * @param recorded  stored decisions: [{step, player, ...}]
 */
export function useAnalysis({ game, turn, actors, analyst, recorded = [] }) {
  const [question, setQuestion] = useState(NONE);
  const [questioning, setQuestioning] = useState(false);
  const [always, setAlways] = useState(false);
  const latest = useRef(new AbortController());
  const ahead = usePreview(game, turn);
  const stored = useMemo(() => recorded.filter((one) => one.step === turn + 1), [recorded, turn]);

  /** Asks for the decision at a turn; with `move`, why this move is not played. */
  const ask = async (player, { move, at = turn, agent = analyst } = {}) => {
    latest.current.abort();
    latest.current = new AbortController();
    const { signal } = latest.current;
    const about = { turn: at, player, moves: game.moves };
    const why = move === undefined ? {} : { why_not: move };
    setQuestion((before) => ({ ...before, ...about, state: "busy" }));
    try {
      const body = { ...until(game, at), player, ...agentFields(agent), explain: true, ...why };
      setQuestion({ ...about, state: "answered", decision: await post("decide", body, signal) });
    } catch (error) {
      if (!signal.aborted) setQuestion({ ...about, state: "failed", error: error.message });
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
    setQuestion(NONE);
  }, [game.game, game.seed]);

  const same = question !== NONE && common(question.moves, game.moves) >= question.turn;
  let current = NONE;
  if (same && question.turn === turn) current = question;
  else if (stored.length > 0) current = { state: "answered", turn, player: stored[0].player, decision: stored[0], stored };
  else if (same && question.turn === turn - 1) current = question;
  return {
    ahead, ask, questioning, always, setAlways,
    question: current,
    decision: current.turn === turn ? current.decision : undefined,
    setQuestioning: (on) => {
      ahead.hide();
      setQuestioning(on);
    },
  };
}

/** The buttons for questions about some players. */
export function Questions({ analysis, about, name, lastMove }) {
  const { question, ask, questioning, setQuestioning } = analysis;
  const busy = question.state === "busy";
  return html`
    ${about.map((player) => html`
      <button key=${player} type="button" disabled=${busy} aria-keyshortcuts="h" onClick=${() => ask(player)}
        title="What would the analyst play? (H)">${about.length > 1 ? `Hint for ${name(player)}` : "Hint"}</button>`)}
    ${about.length > 0 && html`
      <button type="button" aria-pressed=${questioning} aria-keyshortcuts="w"
        onClick=${() => setQuestioning(!questioning)}
        title="Choose a move to see why it is not played (W)">Why not …?</button>`}
    ${lastMove && html`
      <button type="button" disabled=${busy} aria-keyshortcuts="e" onClick=${lastMove}
        title="Why was the last move played? (E)">Last move</button>`}`;
}

/** The panel with the decisions. */
export function AnalysisPanel({ info, players, turn, analysis, analyst, setAnalyst, go, children }) {
  const { question, ahead, questioning, always, setAlways } = analysis;
  const name = (player) => players[player]?.name ?? String(player);
  const decisions = question.stored ?? (question.decision ? [{ ...question.decision, player: question.player }] : []);
  return html`
    <section class="panel understand" aria-label="Decision">
      <h2>Decision</h2>
      <div class="row">
        <${AgentPicker} info=${info} value=${analyst} onChange=${setAnalyst} label="Analyst" />
      </div>
      <div class="row buttons">
        ${children}
        <label class="check">
          <input type="checkbox" checked=${always} onChange=${(event) => setAlways(event.target.checked)} />
          at every turn
        </label>
      </div>
      ${questioning && html`<p class="why" role="status">Choose a move on the board to see why it is not played.</p>`}
      <div aria-live="polite" aria-busy=${question.state === "busy"}>
        ${question.state === "busy" && html`<p class="soft thinking">${analyst.spec} is thinking</p>`}
        ${question.state === "none" && html`
          <p class="soft">Ask what ${analyst.spec} would play here, or why it would not play a certain move.</p>`}
        <${ErrorMessage} text=${question.error} />
        ${decisions.length > 0 && question.turn !== turn && html`
          <p class="soft small">
            This is about the position before.
            <button type="button" class="quiet" onClick=${() => go(question.turn)}>Show it on the board</button>
          </p>`}
        ${decisions.map((decision) => html`
          <${Decision} key=${decision.player} decision=${decision} name=${name(decision.player)} ahead=${ahead} />`)}
      </div>
    </section>`;
}
