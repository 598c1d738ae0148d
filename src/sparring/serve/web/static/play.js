/* Play: persons and agents at one board. */

import { allGames, post } from "./api.js";
import { Board, Picture } from "./board.js";
import { direction, isArrow } from "./choosing.js";
import { eventMarks, result } from "./events.js";
import { useFilm } from "./film.js";
import { freshSeed, remember, stepWords, until } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { begun, played, shown } from "./lines.js";
import { asked, PERSON } from "./picker.js";
import { Copy, Trouble, useAnswer, useKeys } from "./parts.js";
import { address, amend, pack, unpack } from "./route.js";
import { directed, Die, Lines, Pad, Rules, Seats, Seed, Send } from "./table.js";
import { MoveList, Timeline, timelineKeys } from "./timeline.js";
import { Evaluation, Understanding, useAnalyst, useUnderstanding } from "./understand.js";

const WATCHING = 450;
/* Milliseconds between moves when no person plays, so that one can follow. */

export function Play({ route }) {
  const games = useAnswer(allGames, []);
  const opened = useAnswer(() => (route.query.has("g") ? unpack(route.query.get("g")) : null), [route]);
  const name = route.parts[0];
  if (games.error || opened.error) return html`<main><${Trouble} text=${games.error || opened.error} /></main>`;
  if (!games.value || opened.busy) return html`<main aria-busy="true"></main>`;
  const info = games.value.find((one) => one.name === name);
  if (name && !info) return html`<main><${Trouble} text=${`There is no game ${name}. The games are ${games.value.map((one) => one.name).join(", ")}.`} /></main>`;
  if (!info) return html`<${Lobby} games=${games.value} />`;
  const turn = route.query.has("turn") ? Number(route.query.get("turn")) : undefined;
  return html`<${Table} key=${route.hash} info=${info} opened=${opened.value} turn=${turn} />`;
}

function Lobby({ games }) {
  return html`
    <main class="lobby">
      <h1>Which game?</h1>
      <ul class="cards">${games.map((info) => html`
        <li key=${info.name}><a class="card" href=${address("play", [info.name])}>
          <${Opening} name=${info.name} />
          <h2>${info.name === "flagwar" ? "Flag War" : info.name[0].toUpperCase() + info.name.slice(1)}</h2>
          <p class="soft">${info.about}</p>
        </a></li>`)}</ul>
    </main>`;
}

function Opening({ name }) {
  const { value } = useAnswer(() => post("frames", { game: name, options: {}, seed: 1, moves: [] }), [name]);
  return html`<div class="opening">${value && html`<${Picture} svg=${value.frames[0].svg} label="" />`}</div>`;
}

const opponent = (info) => ({ spec: info.best, seconds: 0.3 });

function Table({ info, opened, turn: first }) {
  const [setup, setSetup] = useState(() => opened ?? { game: info.name, options: {}, seed: freshSeed() });
  const [seats, setSeats] = useState(() => opened?.seats ?? [{ spec: PERSON }]);
  const [state, setState] = useState(() => begun(opened?.moves, first));
  const [secret, setSecret] = useState({});
  const [orders, setOrders] = useState({});
  const [following, setFollowing] = useState(false);
  const [thinking, setThinking] = useState({ busy: false, error: "" });
  const [analyst, setAnalyst] = useAnalyst(info);
  const [blunders, setBlunders] = useState([]);

  const moves = shown(state);
  const { turn } = state;
  const game = useMemo(() => ({ game: info.name, options: setup.options, seed: setup.seed, start: setup.start, moves }), [setup, moves]);
  const film = useFilm(game);
  const choices = film.choicesAt(turn);
  const fresh = film.frames.get(turn);
  const last = useRef(null);
  if (fresh) last.current = fresh;
  const frame = fresh ?? last.current;

  const seat = (player) => seats[player] ?? opponent(info);
  const actors = fresh?.actors ?? [];
  const persons = actors.filter((player) => seat(player).spec === PERSON);
  const chooser = persons.find((player) => !(player in secret));
  const atEnd = turn === moves.length;
  const understanding = useUnderstanding({ game, turn, actors, analyst });
  const { questioning } = understanding;
  const asking = questioning ? chooser ?? actors[0] : chooser;
  const offers = (asking !== undefined && choices?.[asking]) || [];
  const name = (player) => film.players[player]?.name ?? String(player);

  // Everybody who acts has chosen: the step is played.
  const step = (all) => {
    setState((before) => played(before, all));
    setSecret({});
    setOrders({});
  };
  const go = (to) => {
    setFollowing(false);
    setSecret({});
    setOrders({});
    setState((before) => ({ ...before, turn: Math.min(Math.max(0, to), shown(before).length) }));
  };
  const decide = (move) => {
    setOrders({});
    if (questioning) {
      understanding.ask(asking, { move });
      return;
    }
    const all = { ...secret, [chooser]: move };
    setFollowing(true);
    if (actors.every((player) => player in all)) step(all);
    else setSecret(all);
  };
  const choose = (choice) => (film.joined ? setOrders({ ...orders, [choice.piece]: choice }) : decide(choice.move));
  const send = () => decide(Object.entries(orders).sort().map(([, choice]) => choice.move).join("_") || "stay");

  // Agents think when the end of the line is shown and all persons have chosen.
  const ready = atEnd && fresh && actors.length > persons.length && chooser === undefined;
  useEffect(() => {
    if (!ready) return undefined;
    let wanted = true;
    setThinking({ busy: true, error: "" });
    const agents = actors.filter((player) => !persons.includes(player));
    const patience = persons.length === 0 && seats.every(({ spec }) => spec !== PERSON) ? WATCHING : 0;
    const answers = agents.map((player) => post("decide", { ...until(game, turn), player, ...asked(seat(player)), explain: false }));
    Promise.all([...answers, new Promise((resolve) => setTimeout(resolve, patience))]).then(
      (told) => {
        if (!wanted) return;
        setThinking({ busy: false, error: "" });
        step({ ...secret, ...Object.fromEntries(agents.map((player, index) => [player, told[index].move])) });
      },
      (error) => wanted && setThinking({ busy: false, error: error.message }),
    );
    return () => { wanted = false; setThinking({ busy: false, error: "" }); };
  }, [ready, game, turn, JSON.stringify(seats), JSON.stringify(secret)]);

  // Along a line that has been played already, agents answer as they did.
  useEffect(() => {
    if (!following || atEnd || !fresh) return;
    if (persons.length === 0) setState((before) => ({ ...before, turn: before.turn + 1 }));
    else setFollowing(false);
  }, [following, turn, fresh]);

  useEffect(() => {
    remember(until(game, turn));
    let wanted = true;
    pack({ ...game, seats }).then((g) => wanted && amend(address("play", [info.name], turn === moves.length ? { g } : { g, turn })));
    return () => { wanted = false; };
  }, [game, turn, seats]);

  const begin = (wanted) => {
    setSetup(wanted);
    setState(begun());
    setSecret({});
    setOrders({});
    last.current = null;
  };
  const undo = () => {
    // To the last time that a person chose.
    for (let to = turn - 1; to >= 0; to -= 1) {
      const acted = Object.keys(moves[to]).map(Number);
      if (to === 0 || acted.some((player) => seat(player).spec === PERSON) || seats.every(({ spec }) => spec !== PERSON)) {
        go(to);
        return;
      }
    }
  };
  const event = async (way) => go(await film.nextEvent(turn, way, (at) => blunders.some((one) => one.turn === at)));
  const lastMove = turn > 0 && (() => {
    const [player, move] = Object.entries(moves[turn - 1])[0];
    const own = seat(Number(player));
    understanding.ask(Number(player), own.spec === PERSON ? { move, at: turn - 1 } : { at: turn - 1, agent: own });
  });
  const hint = () => actors.length > 0 && understanding.ask(asking ?? actors[0]);
  const walk = (key) => {
    if (key.target.matches?.("input")) return false;
    const way = direction(offers, key.key);
    if (way) choose(way);
    else document.querySelector(".surface [tabindex='0']")?.focus();
    return true;
  };
  useKeys({
    ...timelineKeys({ turn, last: moves.length, go, event }),
    ...Object.fromEntries(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].map((key) => [key, walk])),
    u: undo,
    h: hint,
    w: () => actors.length > 0 && understanding.setQuestioning(!questioning),
    e: () => lastMove && lastMove(),
    r: () => begin({ ...setup }),
    Escape: () => (understanding.ahead.preview ? understanding.ahead.hide() : understanding.setQuestioning(false)),
  });

  const marks = useMemo(() => eventMarks(film, blunders), [film.frames.size, blunders, moves]);
  const complete = film.joined && offers.length > 0 && new Set(offers.map((one) => one.piece)).size === Object.keys(orders).length;
  const { ahead } = understanding;
  return html`
    <main class="table">
      <h1 class="unseen">Play ${info.name}</h1>
      <div class="stage">
        <${Seats} info=${info} players=${film.players} seats=${film.players.map((_, player) => seat(player))} actors=${actors} outcome=${fresh?.outcome}
          setSeat=${(player, value) => setSeats(film.players.map((_, index) => (index === player ? value : seat(index))))} />
        ${frame && html`<${Board} svg=${understanding.svg ?? frame.svg} choices=${ahead.svg ? NOTHING : offers} orders=${orders} joined=${film.joined}
          onChoose=${choose} label=${`Board of ${info.name}`} note=${ahead.svg && html`<p class="banner">After ${ahead.preview.line.slice(0, ahead.preview.count).join(" ")}. Esc to come back.</p>`} />`}
        <${Trouble} text=${film.error || thinking.error} />
        <div class="row status">
          ${frame?.dice && !frame.outcome ? html`<${Die} number=${frame.dice} />` : null}
          <p role="status" class="grow">${status({ frame: fresh, moves, turn, chooser, name, thinking, secret, players: film.players, questioning })}</p>
        </div>
        ${film.joined && offers.length > 0 && html`<${Send} orders=${orders} complete=${complete} onSend=${send} onClear=${() => setOrders({})}
          label=${questioning ? "Why not these commands?" : "Play these commands"} />`}
        ${directed(offers) && html`<${Pad} choices=${offers} onChoose=${choose} />`}
        <div class="row buttons">
          <button type="button" onClick=${undo} disabled=${turn === 0} aria-keyshortcuts="u" title="Undo (U)">Undo</button>
          <button type="button" onClick=${hint} disabled=${actors.length === 0} aria-keyshortcuts="h" title="Hint (H)">Hint</button>
          <button type="button" onClick=${() => begin({ ...setup })} aria-keyshortcuts="r" title="Restart with the same seed (R)">Restart</button>
          <button type="button" onClick=${() => begin({ ...setup, seed: freshSeed(), start: undefined })}>New seed</button>
          <span class="grow"></span>
          <${Seed} seed=${setup.seed} />
          <${Copy} text=${() => location.href} label="Copy a link to this position">link</${Copy}>
        </div>
        <${Timeline} turn=${turn} last=${moves.length} go=${go} event=${event} marks=${marks} />
      </div>
      <div class="side">
        <${Understanding} info=${info} players=${film.players} turn=${turn} actors=${actors} chooser=${asking} understanding=${understanding}
          analyst=${analyst} setAnalyst=${setAnalyst} go=${go} lastMove=${lastMove} hint="Hint" />
        <section class="panel" aria-label="Moves"><h2>Moves</h2>
          <${Lines} state=${state} choose=${(line) => setState({ ...state, line, turn: state.lines[line].length })} />
          <${MoveList} moves=${moves} players=${film.players} turn=${turn} go=${go} />
        </section>
        <${Evaluation} game=${game} analyst=${analyst} turn=${turn} go=${go} players=${film.players} onEvents=${setBlunders} />
        <${Rules} info=${info} setup=${setup} begin=${begin} />
      </div>
    </main>`;
}

const NOTHING = [];

function status({ frame, moves, turn, chooser, name, thinking, secret, players, questioning }) {
  if (!frame) return "";
  const before = turn > 0 ? `${stepWords(moves[turn - 1], players)}. ` : "";
  const happened = frame.events.length ? `${frame.events.map(({ text }) => text).join(", ")}. ` : "";
  if (frame.outcome) return `${before}${happened}${result(frame.outcome, name)}${frame.ending ? `: ${frame.ending}` : ""}.`;
  if (questioning) return "Choose a move to hear why it is not played.";
  if (chooser !== undefined) {
    const chosen = Object.keys(secret).map((player) => name(player));
    const told = chosen.length ? `${chosen.join(" and ")} has chosen. ` : `${before}${happened}`;
    return frame.actors.length > 1 ? `${told}${name(chooser)}, choose in secret.` : `${told}${name(chooser)} to move.`;
  }
  if (thinking.busy) return `${before}${happened}${frame.actors.filter((player) => !(player in secret)).map(name).join(" and ")} thinking …`;
  return `${before}${happened}`;
}
