/* Play: a game between persons and agents. */

import { allGames, post } from "./api.js";
import { Board, Picture } from "./board.js";
import { directionMove } from "./targets.js";
import { Evaluation } from "./evaluation.js";
import { eventMarks, eventTexts, result } from "./events.js";
import { checkedGame, freshSeed, stepWords } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { PERSON } from "./picker.js";
import { Copy, ErrorMessage, useAnswer, useKeys } from "./components.js";
import { address, pack, replaceAddress, unpack } from "./route.js";
import { useSession } from "./session.js";
import { areDirections, Lines, Pad, Rules, Seats, Seed, Send, Status } from "./controls.js";
import { MoveList, Timeline, timelineKeys } from "./timeline.js";
import { AnalysisPanel, Questions, useAnalysis, useAnalyst } from "./analysis.js";

export function Play({ route }) {
  const games = useAnswer(allGames, []);
  const packed = route.query.get("g");
  const opened = useAnswer(async () => packed && checkedGame(await unpack(packed)), [route]);
  const name = route.parts[0];
  if (games.error || opened.error) return html`<main><${ErrorMessage} text=${games.error || opened.error} /></main>`;
  if (!games.value || opened.busy) return html`<main aria-busy="true"><p class="soft">Loading the games …</p></main>`;
  const info = games.value.find((one) => one.name === name);
  if (name && !info) {
    const known = games.value.map((one) => one.name).join(", ");
    return html`<main><${ErrorMessage} text=${`There is no game ${name}. The games are ${known}.`} /></main>`;
  }
  if (!info) return html`<${Lobby} games=${games.value} />`;
  const turn = route.query.has("turn") ? Number(route.query.get("turn")) : undefined;
  const setup = opened.value ?? { options: {}, seed: freshSeed() };
  return html`<${GameView} key=${route.hash} info=${info} setup=${setup} first=${turn} />`;
}

function Lobby({ games }) {
  return html`
    <main class="lobby">
      <h1>Which game?</h1>
      <ul class="cards">${games.map((info) => html`
        <li key=${info.name}><a class="card" href=${address("play", [info.name])}>
          <${Opening} name=${info.name} />
          <h2>${info.title}</h2>
          <p class="soft">${info.about}</p>
        </a></li>`)}</ul>
    </main>`;
}

function Opening({ name }) {
  const { value } = useAnswer(() => post("frames", { game: name, options: {}, seed: 1, moves: [] }), [name]);
  return html`<div class="opening">${value && html`<${Picture} svg=${value.frames[0].svg} />`}</div>`;
}

const NOTHING = [];

function GameView({ info, setup, first }) {
  const session = useSession(info, setup, first);
  const { game, rules, frameCache, frame, actors, chooser, moves, turn, go, undo, begin } = session;
  const [orders, setOrders] = useState({});
  const [blunders, setBlunders] = useState(NOTHING);
  const [analyst, setAnalyst] = useAnalyst(info);
  const analysis = useAnalysis({ game, turn, actors, analyst });
  const { ahead, ask, questioning, setQuestioning } = analysis;
  const latest = useRef(null);
  if (frame) latest.current = frame;
  const shown = latest.current; // until the next frame arrives

  const name = (player) => frameCache.players[player]?.name ?? String(player);
  const asking = questioning ? chooser ?? actors[0] : chooser;
  const offers = (asking !== undefined && session.choices?.[asking]) || NOTHING;
  const pieces = new Set(offers.map((choice) => choice.piece)).size;

  const decide = (move) => (questioning ? ask(asking, { move }) : session.choose(move));
  const choose = (choice) => (frameCache.joined ? setOrders({ ...orders, [choice.piece]: choice }) : decide(choice.move));
  const send = () => {
    setOrders({});
    decide(Object.entries(orders).sort().map(([, choice]) => choice.move).join("_") || "stay");
  };
  useEffect(() => setOrders({}), [game, turn, asking, questioning]);

  const event = async (way) => go(await frameCache.nextEvent(turn, way, (at) => blunders.some((one) => one.turn === at)));
  const aboutLast = turn > 0 && (() => {
    const acted = Object.entries(moves[turn - 1]);
    const [player, move] = acted.find(([one]) => session.seats[one].spec !== PERSON) ?? acted[0];
    const own = session.seats[player];
    ask(Number(player), own.spec === PERSON ? { move, at: turn - 1 } : { at: turn - 1, agent: own });
  });
  const arrow = (key) => {
    if (key.target.matches?.("input")) return false;
    const move = directionMove(offers, key.key);
    if (move) choose(move);
    else document.querySelector(".surface [tabindex='0']")?.focus();
    return true;
  };
  useKeys({
    ...timelineKeys({ turn, last: moves.length, go, event }),
    ArrowUp: arrow,
    ArrowDown: arrow,
    ArrowLeft: arrow,
    ArrowRight: arrow,
    u: undo,
    h: () => actors.length > 0 && ask(asking ?? actors[0]),
    w: () => actors.length > 0 && setQuestioning(!questioning),
    e: () => aboutLast && aboutLast(),
    r: () => begin({ ...rules }),
    Escape: () => (ahead.preview ? ahead.hide() : setQuestioning(false)),
  });

  useEffect(() => {
    let wanted = true;
    pack({ ...game, seats: session.seats }).then((g) => {
      if (wanted) replaceAddress(address("play", [info.name], turn === moves.length ? { g } : { g, turn }));
    });
    return () => { wanted = false; };
  }, [game, turn, JSON.stringify(session.seats)]);

  const marks = useMemo(() => eventMarks(frameCache, blunders), [frameCache.frames.size, blunders, moves]);
  return html`
    <main class="table">
      <h1 class="visually-hidden">Play ${info.title}</h1>
      <div class="stage">
        <${Seats} info=${info} players=${frameCache.players} seats=${session.seats} setSeat=${session.setSeat}
          actors=${actors} outcome=${frame?.outcome} />
        ${shown && html`
          <${Board} svg=${ahead.svg ?? analysis.decision?.svg ?? shown.svg} choices=${ahead.svg ? NOTHING : offers}
            orders=${orders} joined=${frameCache.joined} onChoose=${choose} label=${`Board of ${info.title}`} />`}
        <${ErrorMessage} text=${frameCache.error || session.thinking.error} />
        <${Status} ahead=${ahead} dice=${shown?.outcome ? null : shown?.dice}
          text=${status(session, name, questioning)}>
          <${Seed} seed=${rules.seed} />
          <${Copy} text=${() => location.href} label="Copy a link to this position">link</${Copy}>
        </${Status}>
        ${frameCache.joined && offers.length > 0 && html`
          <${Send} orders=${orders} complete=${Object.keys(orders).length === pieces} onSend=${send}
            onClear=${() => setOrders({})} label=${questioning ? "Why not these commands?" : "Play these commands"} />`}
        ${areDirections(offers) && html`<${Pad} choices=${offers} onChoose=${choose} />`}
        <div class="row buttons">
          <button type="button" onClick=${undo} disabled=${turn === 0} aria-keyshortcuts="u"
            title="Go back to your last choice (U)">Undo</button>
          <${Questions} analysis=${analysis} about=${asking === undefined ? actors : [asking]} name=${name} />
          <button type="button" onClick=${() => begin({ ...rules })} aria-keyshortcuts="r"
            title="Play again with the same seed (R)">Restart</button>
          <button type="button" onClick=${() => begin({ ...rules, seed: freshSeed(), start: undefined })}
            title="Play another opening with other dice">New seed</button>
        </div>
        <${Timeline} turn=${turn} last=${moves.length} go=${go} event=${event} marks=${marks} />
      </div>
      <div class="side">
        <${AnalysisPanel} info=${info} players=${frameCache.players} turn=${turn} analysis=${analysis}
          analyst=${analyst} setAnalyst=${setAnalyst} go=${go}>
          <${Questions} analysis=${analysis} about=${NOTHING} lastMove=${aboutLast} />
        </${AnalysisPanel}>
        <section class="panel" aria-label="Moves"><h2>Moves</h2>
          <${Lines} state=${session.state} choose=${session.show} />
          <${MoveList} moves=${moves} players=${frameCache.players} turn=${turn} go=${go} />
        </section>
        <${Evaluation} game=${game} analyst=${analyst} turn=${turn} go=${go} players=${frameCache.players}
          onEvents=${setBlunders} />
        <${Rules} info=${info} setup=${rules} begin=${begin} />
      </div>
    </main>`;
}

/** The last events, and the player to move. */
function status({ frame, moves, turn, actors, chooser, secret, thinking, frameCache }, name, questioning) {
  if (!frame) return frameCache.error || frameCache.frames.size ? "" : "Loading the board … (the first time, the rules are compiled)";
  const before = [turn > 0 ? stepWords(moves[turn - 1], frameCache.players) : "", ...eventTexts(frame)].filter(Boolean);
  if (frame.outcome) return [...before, result(frame, name)].join(". ");
  if (questioning) return "Choose a move to see why it is not played.";
  const chosen = Object.keys(secret).map(name);
  const texts = chosen.length ? [`${chosen.join(" and ")} has chosen`] : before;
  if (chooser !== undefined) texts.push(`${name(chooser)}${actors.length > 1 ? ", choose in secret" : " to move"}`);
  else if (thinking.busy) {
    const thinkers = actors.filter((player) => !(player in secret)).map(name).join(" and ");
    texts.push(`${thinkers} thinking …${thinking.long ? " (the first time, agents are compiled)" : ""}`);
  }
  return texts.join(". ");
}
