/* Replay: games that were kept, logs from elsewhere, and links to an exact turn. */

import { allGames, get, upload } from "./api.js";
import { Board } from "./board.js";
import { marksOf } from "./decision.js";
import { eventMarks, happened, result } from "./events.js";
import { useFilm } from "./film.js";
import { stepWords, until } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { Games, heading } from "./games.js";
import { Copy, Dot, Trouble, useAnswer, useKeys } from "./parts.js";
import { address, amend, pack, unpack } from "./route.js";
import { Seed, Status } from "./table.js";
import { MoveList, Timeline, timelineKeys } from "./timeline.js";
import { Evaluation, Questions, Understanding, useAnalyst, useUnderstanding } from "./understand.js";

let uploaded = [];

export function Replay({ route }) {
  const [source, place] = route.parts;
  if (!source && !route.query.has("g")) return html`<${Shelf} />`;
  const [number, at] = (place ?? "").split("@");
  const turn = Number(at ?? route.query.get("turn") ?? 0);
  return html`<${Loaded} key=${route.hash} source=${source} number=${number} packed=${route.query.get("g")} turn=${turn} />`;
}

async function load(source, number, packed) {
  if (packed) return unpack(packed);
  if (source !== "upload") return get(`experiments/${encodeURIComponent(source)}/games/${encodeURIComponent(number)}`);
  if (!uploaded[number]) throw new Error("This log is no longer here: open the file again.");
  return uploaded[number];
}

function Loaded({ source, number, packed, turn }) {
  const { value, error } = useAnswer(async () => {
    const [games, game] = await Promise.all([allGames(), load(source, number, packed)]);
    return { game, info: games.find((one) => one.name === game.game) };
  }, []);
  if (error) return html`<main><${Trouble} text=${error} /><p><a href=${address("replay")}>Other games</a></p></main>`;
  if (!value) return html`<main aria-busy="true"></main>`;
  return html`<${Show} ...${value} source=${source} number=${number} first=${turn} />`;
}

const NONE = [];

function Show({ game, info, source, number, first }) {
  const film = useFilm(game, game.frames ?? null);
  const [turn, setTurn] = useState(Math.min(Math.max(0, first), film.last));
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState(5);
  const [blunders, setBlunders] = useState(NONE);
  const [analyst, setAnalyst] = useAnalyst(info);
  const last = film.last;
  const fresh = film.at(turn);
  const seen = useRef(null);
  if (fresh) seen.current = fresh;
  const frame = fresh ?? seen.current;
  const actors = (!film.given && fresh?.actors) || NONE;
  const understanding = useUnderstanding({ game, turn, actors, analyst, recorded: game.decisions ?? NONE });
  const { ahead, questioning } = understanding;
  const players = film.players.length ? film.players : (game.agents ?? NONE).map((_, player) => ({ name: String(player) }));
  const name = (player) => players[player]?.name ?? String(player);

  const more = useMemo(() => [...(game.events ?? []).map((one) => ({ ...one, turn: one.step - 1 })), ...blunders], [game, blunders]);

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
  const asking = actors[0];
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
          <li key=${player} data-acting=${actors.includes(player)}><span class="who"><${Dot} colour=${players[player]?.colour} /> <b>${name(player)}</b></span>
            <span class="code agent">${agent}</span>${game.scores && html`<b>${game.scores[player]}</b>`}</li>`)}</ul>
        ${frame && html`<${Board} svg=${ahead.svg ?? understanding.decision?.svg ?? frame.svg} marks=${marks} choices=${ahead.svg ? NONE : offers} label=${`Board of ${info.name}`}
          onChoose=${(choice) => understanding.ask(asking, { move: choice.move })} />`}
        <${Trouble} text=${film.error} />
        <${Status} ahead=${ahead} dice=${frame?.outcome ? null : frame?.dice} text=${told.join(". ")}>
          ${game.seed !== undefined && html`<${Seed} seed=${game.seed} />`}
          <${Copy} text=${() => location.href} label="Copy a link to this turn">link</${Copy}>
        </${Status}>
        <${Timeline} turn=${turn} last=${last} go=${stop} event=${event} playing=${playing} setPlaying=${run} speed=${speed} setSpeed=${setSpeed} marks=${ticks} />
        <div class="row buttons">
          <button type="button" onClick=${() => playOn(game, turn, film.given && frame.text)}>Play on from here</button>
          ${number && source !== "upload" && html`<a class="button" href=${address("league", [source])}>Its league</a>`}
        </div>
      </div>
      <div class="side">
        ${!film.given && html`<${Understanding} info=${info} players=${players} turn=${turn} understanding=${understanding}
          analyst=${analyst} setAnalyst=${setAnalyst} go=${stop}>
          <${Questions} understanding=${understanding} about=${actors} name=${name} />
        </${Understanding}>`}
        <section class="panel" aria-label="Moves"><h2>Moves</h2><${MoveList} moves=${game.moves} players=${players} turn=${turn} go=${stop} /></section>
        ${!film.given && html`<${Evaluation} game=${game} analyst=${analyst} turn=${turn} go=${stop} players=${players} onEvents=${setBlunders} open />`}
      </div>
    </main>`;
}

/** A game with the same past; of a log whose pictures were given, one that begins with this position. */
async function playOn(game, turn, position) {
  const past = position ? { ...until(game, 0), start: position } : until(game, turn);
  location.hash = address("play", [game.game], { g: await pack(past) });
}

/** Where games come from: a file, or what is kept. */
function Shelf() {
  const [trouble, setTrouble] = useState("");
  const [found, setFound] = useState(uploaded);
  const [note, setNote] = useState("");
  const experiments = useAnswer(() => get("experiments"), []);
  const [chosen, setChosen] = useState(null);
  const open = async (file) => {
    setTrouble("");
    try {
      const { games, note: said } = await upload(await file.text());
      uploaded = games;
      setFound(games);
      setNote(said ?? "");
      if (games.length === 1) location.hash = address("replay", ["upload", "0@0"]);
    } catch (error) {
      setTrouble(error.message);
    }
  };
  const drop = (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) open(event.dataTransfer.files[0]);
  };
  const kept = experiments.value ?? [];
  const current = kept.find((one) => one.id === chosen) ?? kept[0];
  return html`
    <main class="narrow">
      <h1>Replay</h1>
      <section class="panel" aria-label="A log">
        <h2>A log</h2>
        <label class="drop" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
          <span>Open or drop a file: games as JSON Lines or text, or a log of the official Battlesnake command line.</span>
          <input type="file" accept=".jsonl,.json,.txt,.log" onChange=${(event) => event.target.files[0] && open(event.target.files[0])} />
        </label>
        <${Trouble} text=${trouble} />
        ${note && html`<p class="soft">${note}</p>`}
        ${found.length > 0 && html`<ul class="games">${found.map((game, number) => html`<li key=${number}><a href=${address("replay", ["upload", `${number}@0`])}>
          <span>${game.game}</span> <span>${(game.agents ?? []).join(" v ")}</span> <span class="soft">${game.reason}</span></a></li>`)}</ul>`}
      </section>
      <section class="panel" aria-label="Kept games">
        <h2>Kept games</h2>
        <${Trouble} text=${experiments.error} />
        ${kept.length === 0 && !experiments.busy && html`<p class="soft">None yet. Matches and leagues keep their games: <a href=${address("league")}>start one</a>.</p>`}
        ${current && html`
          <label>Of <select value=${current.id} onChange=${(event) => setChosen(event.target.value)}>
            ${kept.map((one) => html`<option key=${one.id} value=${one.id}>${one.game}: ${heading(one)}</option>`)}</select></label>
          <${Games} key=${current.id} experiment=${current.id} />`}
      </section>
    </main>`;
}
