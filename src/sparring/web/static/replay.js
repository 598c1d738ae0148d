/* Replay: stored games, logs of other programs, and links to a turn. */

import { allGames, get } from "./api.js";
import { Board } from "./board.js";
import { marksOf } from "./decision.js";
import { Evaluation, WhereLost } from "./evaluation.js";
import { eventMarks, eventTexts, result } from "./events.js";
import { useFrames } from "./frames.js";
import { checkedGame, stepWords, until } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { Copy, Dot, ErrorMessage, useAnswer, useKeys } from "./components.js";
import { address, pack, replaceAddress, unpack } from "./route.js";
import { OpenGame, uploadedGame } from "./open-game.js";
import { Seed, Status } from "./controls.js";
import { MoveList, Timeline, timelineKeys } from "./timeline.js";
import { AnalysisPanel, Questions, useAnalysis, useAnalyst } from "./analysis.js";

export function Replay({ route }) {
  const [source, place] = route.parts;
  if (!source && !route.query.has("g")) return html`<${OpenGame} />`;
  const [number, at] = (place ?? "").split("@");
  const turn = Number(at ?? route.query.get("turn") ?? 0);
  const packed = route.query.get("g");
  return html`<${LoadedGame} key=${route.hash} source=${source} number=${number} packed=${packed} turn=${turn} />`;
}

async function load(source, number, packed) {
  if (packed) return checkedGame(await unpack(packed));
  if (source === "upload") return uploadedGame(number);
  return get(`experiments/${encodeURIComponent(source)}/games/${encodeURIComponent(number)}`);
}

function LoadedGame({ source, number, packed, turn }) {
  const { value, error } = useAnswer(async () => {
    const [games, game] = await Promise.all([allGames(), load(source, number, packed)]);
    const info = games.find((one) => one.name === game.game);
    if (!info) throw new Error(`There is no game ${game.game}.`);
    return { game, info };
  }, []);
  if (error) return html`<main><${ErrorMessage} text=${error} /><p><a href=${address("replay")}>Other games</a></p></main>`;
  if (!value) return html`<main aria-busy="true"></main>`;
  return html`<${ReplayView} ...${value} source=${source} number=${number} first=${turn} />`;
}

const NONE = [];
const LETTERS = "ABCDEFGH";

function ReplayView({ game, info, source, number, first }) {
  const frameCache = useFrames(game, game.frames ?? null);
  const [turn, setTurn] = useState(Math.min(Math.max(0, first), frameCache.last));
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(5);
  const [blunders, setBlunders] = useState(NONE);
  const [lost, setLost] = useState(NONE);
  const [analyst, setAnalyst] = useAnalyst(info);
  const last = frameCache.last;
  const fresh = frameCache.at(turn);
  const latest = useRef(null);
  if (fresh) latest.current = fresh;
  const frame = fresh ?? latest.current;
  const actors = (!frameCache.given && fresh?.actors) || NONE;
  const analysis = useAnalysis({ game, turn, actors, analyst, recorded: game.decisions ?? NONE });
  const { ahead, questioning } = analysis;
  const unnamed = useMemo(() => (game.agents ?? NONE).map((_, player) => ({ name: LETTERS[player] })), [game]);
  const players = frameCache.players.length ? frameCache.players : unnamed;
  const name = (player) => players[player]?.name ?? String(player);

  const noted = useMemo(() => (game.events ?? NONE).map((one) => ({ ...one, turn: one.step - 1 })), [game]);
  const more = useMemo(() => [...noted, ...blunders, ...lost], [noted, blunders, lost]);

  const go = (to) => setTurn(Math.min(Math.max(0, to), last));
  const stop = (to) => { setPlaying(false); go(to); };
  const event = async (way) => stop(await frameCache.nextEvent(turn, way, (at) => more.some((one) => one.turn === at)));
  const run = () => {
    if (!playing && turn === last) setTurn(0);
    setPlaying(!playing);
  };

  useEffect(() => {
    let wanted = true;
    frameCache.fill(turn, () => wanted);
    return () => { wanted = false; };
  }, [frameCache]);
  useEffect(() => {
    if (!playing) return undefined;
    if (turn >= last) { setPlaying(false); return undefined; }
    const soon = setTimeout(() => { if (fresh) setTurn(turn + 1); }, 1000 / speed);
    return () => clearTimeout(soon);
  }, [playing, turn, speed, fresh]);
  useEffect(() => {
    let wanted = true;
    const soon = setTimeout(async () => {
      if (number) replaceAddress(address("replay", [source, `${number}@${turn}`]));
      else {
        const g = await pack(game);
        if (wanted) replaceAddress(address("replay", [], { g, turn }));
      }
    }, 200);
    return () => { wanted = false; clearTimeout(soon); };
  }, [turn]);

  const { decision } = analysis;
  const stored = decision && !decision.svg && !ahead.svg && !playing ? decision : undefined;
  const choices = questioning || stored ? frameCache.choicesAt(turn) : undefined;
  const marks = stored && choices ? marksOf(stored, choices[stored.player] ?? NONE) : NONE;
  const asking = actors.includes(analysis.question.player) ? analysis.question.player : actors[0];
  const offers = (questioning && choices?.[asking]) || NONE;
  useKeys({
    ...timelineKeys({ turn, last, go: stop, event }),
    ArrowLeft: () => stop(turn - 1),
    ArrowRight: () => stop(turn + 1),
    " ": run,
    h: () => asking !== undefined && analysis.ask(asking),
    w: () => asking !== undefined && analysis.setQuestioning(!questioning),
    Escape: () => (ahead.preview ? ahead.hide() : analysis.setQuestioning(false)),
  });

  const ticks = useMemo(() => eventMarks(frameCache, more), [frameCache.frames.size, more]);
  const texts = [turn > 0 && game.moves[turn - 1] ? stepWords(game.moves[turn - 1], players) : "The start"];
  if (fresh) texts.push(...eventTexts(fresh), ...more.filter((one) => one.turn === turn).map(({ text }) => text));
  if (turn === last && game.failed) texts.push(`${name(game.failed.player)} failed: ${game.failed.detail}`);
  const ended = fresh?.outcome ? fresh : { outcome: game.scores, ending: game.reason };
  if (turn === last && ended.outcome) texts.push(result(ended, name));
  return html`
    <main class="table">
      <h1 class="visually-hidden">Replay of ${info.name}</h1>
      <div class="stage">
        <ul class="seats" aria-label="Players">${(game.agents ?? NONE).map((agent, player) => html`
          <li key=${player} data-acting=${actors.includes(player)}>
            <span class="who"><${Dot} colour=${players[player]?.colour} /> <b>${name(player)}</b></span>
            <span class="code agent">${agent}</span>
            <b>${game.scores?.[player]}</b>
          </li>`)}</ul>
        ${frame && html`
          <${Board} svg=${ahead.svg ?? analysis.decision?.svg ?? frame.svg} marks=${marks}
            choices=${ahead.svg ? NONE : offers} label=${`Board of ${info.name}`}
            onChoose=${(choice) => analysis.ask(asking, { move: choice.move })} />`}
        <${ErrorMessage} text=${frameCache.error} />
        <${Status} ahead=${ahead} dice=${frame?.outcome ? null : frame?.dice} text=${texts.join(". ")}>
          ${game.seed !== undefined && html`<${Seed} seed=${game.seed} />`}
          <${Copy} text=${() => location.href} label="Copy a link to this turn">link</${Copy}>
        </${Status}>
        <${Timeline} turn=${turn} last=${last} go=${stop} event=${event} playing=${playing} run=${run} speed=${speed}
          setSpeed=${setSpeed} marks=${ticks} />
        <div class="row buttons">
          <button type="button" onClick=${() => playOn(game, turn, frameCache.given && frame.text)}>Play on from here</button>
          ${number && source !== "upload" && html`<a class="button" href=${address("league", [source])}>All games</a>`}
        </div>
      </div>
      <div class="side">
        ${!frameCache.given && html`
          <${AnalysisPanel} info=${info} players=${players} turn=${turn} analysis=${analysis}
            analyst=${analyst} setAnalyst=${setAnalyst} go=${stop}>
            <${Questions} analysis=${analysis} about=${actors} name=${name} />
          </${AnalysisPanel}>`}
        <section class="panel" aria-label="Moves">
          <h2>Moves</h2>
          <${MoveList} moves=${game.moves} players=${players} turn=${turn} go=${stop} />
        </section>
        ${!frameCache.given && html`
          <${Evaluation} game=${game} analyst=${analyst} turn=${turn} go=${stop} players=${players}
            onEvents=${setBlunders} open />`}
        ${number && source !== "upload" && html`
          <${WhereLost} source=${source} number=${number} go=${stop} onEvents=${setLost} />`}
      </div>
    </main>`;
}

/** Opens Play with the moves up to a turn, or with the position of a log. */
async function playOn(game, turn, position) {
  const played = position ? { ...until(game, 0), start: position } : until(game, turn);
  location.hash = address("play", [game.game], { g: await pack(played) });
}
