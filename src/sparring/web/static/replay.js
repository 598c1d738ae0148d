/* Replay: games that were kept, logs from elsewhere, and links to an exact turn. */

import { allGames, get } from "./api.js";
import { Board } from "./board.js";
import { marksOf } from "./decision.js";
import { Evaluation, WhereLost } from "./evaluation.js";
import { eventMarks, happened, result } from "./events.js";
import { useFilm } from "./film.js";
import { linked, stepWords, until } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { Copy, Dot, Trouble, useAnswer, useKeys } from "./parts.js";
import { address, amend, pack, unpack } from "./route.js";
import { Shelf, uploaded } from "./shelf.js";
import { Seed, Status } from "./table.js";
import { MoveList, Timeline, timelineKeys } from "./timeline.js";
import { Questions, Understanding, useAnalyst, useUnderstanding } from "./understand.js";

export function Replay({ route }) {
  const [source, place] = route.parts;
  if (!source && !route.query.has("g")) return html`<${Shelf} />`;
  const [number, at] = (place ?? "").split("@");
  const turn = Number(at ?? route.query.get("turn") ?? 0);
  const packed = route.query.get("g");
  return html`<${Loaded} key=${route.hash} source=${source} number=${number} packed=${packed} turn=${turn} />`;
}

async function load(source, number, packed) {
  if (packed) return linked(await unpack(packed));
  if (source === "upload") return uploaded(number);
  return get(`experiments/${encodeURIComponent(source)}/games/${encodeURIComponent(number)}`);
}

function Loaded({ source, number, packed, turn }) {
  const { value, error } = useAnswer(async () => {
    const [games, game] = await Promise.all([allGames(), load(source, number, packed)]);
    const info = games.find((one) => one.name === game.game);
    if (!info) throw new Error(`There is no game ${game.game}.`);
    return { game, info };
  }, []);
  if (error) return html`<main><${Trouble} text=${error} /><p><a href=${address("replay")}>Other games</a></p></main>`;
  if (!value) return html`<main aria-busy="true"></main>`;
  return html`<${Show} ...${value} source=${source} number=${number} first=${turn} />`;
}

const NONE = [];
const LETTERS = "ABCDEFGH";

function Show({ game, info, source, number, first }) {
  const film = useFilm(game, game.frames ?? null);
  const [turn, setTurn] = useState(Math.min(Math.max(0, first), film.last));
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(5);
  const [blunders, setBlunders] = useState(NONE);
  const [lost, setLost] = useState(NONE);
  const [analyst, setAnalyst] = useAnalyst(info);
  const last = film.last;
  const fresh = film.at(turn);
  const seen = useRef(null);
  if (fresh) seen.current = fresh;
  const frame = fresh ?? seen.current;
  const actors = (!film.given && fresh?.actors) || NONE;
  const understanding = useUnderstanding({ game, turn, actors, analyst, recorded: game.decisions ?? NONE });
  const { ahead, questioning } = understanding;
  const unnamed = useMemo(() => (game.agents ?? NONE).map((_, player) => ({ name: LETTERS[player] })), [game]);
  const players = film.players.length ? film.players : unnamed;
  const name = (player) => players[player]?.name ?? String(player);

  const noted = useMemo(() => (game.events ?? NONE).map((one) => ({ ...one, turn: one.step - 1 })), [game]);
  const more = useMemo(() => [...noted, ...blunders, ...lost], [noted, blunders, lost]);

  const go = (to) => setTurn(Math.min(Math.max(0, to), last));
  const stop = (to) => { setPlaying(false); go(to); };
  const event = async (way) => stop(await film.nextEvent(turn, way, (at) => more.some((one) => one.turn === at)));
  const run = () => {
    if (!playing && turn === last) setTurn(0);
    setPlaying(!playing);
  };

  useEffect(() => {
    let wanted = true;
    film.fill(turn, () => wanted);
    return () => { wanted = false; };
  }, [film]);
  useEffect(() => {
    if (!playing) return undefined;
    if (turn >= last) { setPlaying(false); return undefined; }
    const soon = setTimeout(() => { if (fresh) setTurn(turn + 1); }, 1000 / speed);
    return () => clearTimeout(soon);
  }, [playing, turn, speed, fresh]);
  useEffect(() => {
    let wanted = true;
    const soon = setTimeout(async () => {
      if (number) amend(address("replay", [source, `${number}@${turn}`]));
      else {
        const g = await pack(game);
        if (wanted) amend(address("replay", [], { g, turn }));
      }
    }, 200);
    return () => { wanted = false; clearTimeout(soon); };
  }, [turn]);

  const { decision } = understanding;
  const kept = decision && !decision.svg && !ahead.svg && !playing ? decision : undefined;
  const choices = questioning || kept ? film.choicesAt(turn) : undefined;
  const marks = kept && choices ? marksOf(kept, choices[kept.player] ?? NONE) : NONE;
  const asking = actors.includes(understanding.question.player) ? understanding.question.player : actors[0];
  const offers = (questioning && choices?.[asking]) || NONE;
  useKeys({
    ...timelineKeys({ turn, last, go: stop, event }),
    ArrowLeft: () => stop(turn - 1),
    ArrowRight: () => stop(turn + 1),
    " ": run,
    h: () => asking !== undefined && understanding.ask(asking),
    w: () => asking !== undefined && understanding.setQuestioning(!questioning),
    Escape: () => (ahead.preview ? ahead.hide() : understanding.setQuestioning(false)),
  });

  const ticks = useMemo(() => eventMarks(film, more), [film.frames.size, more]);
  const told = [turn > 0 && game.moves[turn - 1] ? stepWords(game.moves[turn - 1], players) : "The beginning"];
  if (fresh) told.push(...happened(fresh), ...more.filter((one) => one.turn === turn).map(({ text }) => text));
  if (turn === last && game.failed) told.push(`${name(game.failed.player)} failed: ${game.failed.detail}`);
  const ended = fresh?.outcome ? fresh : { outcome: game.scores, ending: game.reason };
  if (turn === last && ended.outcome) told.push(result(ended, name));
  return html`
    <main class="table">
      <h1 class="unseen">Replay of ${info.name}</h1>
      <div class="stage">
        <ul class="seats" aria-label="Players">${(game.agents ?? NONE).map((agent, player) => html`
          <li key=${player} data-acting=${actors.includes(player)}>
            <span class="who"><${Dot} colour=${players[player]?.colour} /> <b>${name(player)}</b></span>
            <span class="code agent">${agent}</span>
            <b>${game.scores?.[player]}</b>
          </li>`)}</ul>
        ${frame && html`
          <${Board} svg=${ahead.svg ?? understanding.decision?.svg ?? frame.svg} marks=${marks}
            choices=${ahead.svg ? NONE : offers} label=${`Board of ${info.name}`}
            onChoose=${(choice) => understanding.ask(asking, { move: choice.move })} />`}
        <${Trouble} text=${film.error} />
        <${Status} ahead=${ahead} dice=${frame?.outcome ? null : frame?.dice} text=${told.join(". ")}>
          ${game.seed !== undefined && html`<${Seed} seed=${game.seed} />`}
          <${Copy} text=${() => location.href} label="Copy a link to this turn">link</${Copy}>
        </${Status}>
        <${Timeline} turn=${turn} last=${last} go=${stop} event=${event} playing=${playing} run=${run} speed=${speed}
          setSpeed=${setSpeed} marks=${ticks} />
        <div class="row buttons">
          <button type="button" onClick=${() => playOn(game, turn, film.given && frame.text)}>Play on from here</button>
          ${number && source !== "upload" && html`<a class="button" href=${address("league", [source])}>Its league</a>`}
        </div>
      </div>
      <div class="side">
        ${!film.given && html`
          <${Understanding} info=${info} players=${players} turn=${turn} understanding=${understanding}
            analyst=${analyst} setAnalyst=${setAnalyst} go=${stop}>
            <${Questions} understanding=${understanding} about=${actors} name=${name} />
          </${Understanding}>`}
        <section class="panel" aria-label="Moves">
          <h2>Moves</h2>
          <${MoveList} moves=${game.moves} players=${players} turn=${turn} go=${stop} />
        </section>
        ${!film.given && html`
          <${Evaluation} game=${game} analyst=${analyst} turn=${turn} go=${stop} players=${players}
            onEvents=${setBlunders} open />`}
        ${number && source !== "upload" && html`
          <${WhereLost} source=${source} number=${number} go=${stop} onEvents=${setLost} />`}
      </div>
    </main>`;
}

/** A game with the same past; of a log whose pictures were given, one that begins with this position. */
async function playOn(game, turn, position) {
  const past = position ? { ...until(game, 0), start: position } : until(game, turn);
  location.hash = address("play", [game.game], { g: await pack(past) });
}
