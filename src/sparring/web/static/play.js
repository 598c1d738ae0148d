/* Play: persons and agents at one board. */

import { allGames, post } from "./api.js";
import { Board, Picture } from "./board.js";
import { direction } from "./choosing.js";
import { Evaluation } from "./evaluation.js";
import { eventMarks, happened, result } from "./events.js";
import { freshSeed, linked, stepWords } from "./game.js";
import { html, useEffect, useMemo, useRef, useState } from "./library.js";
import { PERSON } from "./picker.js";
import { Copy, Trouble, useAnswer, useKeys } from "./parts.js";
import { address, amend, pack, unpack } from "./route.js";
import { useSitting } from "./sitting.js";
import { directed, Lines, Pad, Rules, Seats, Seed, Send, Status } from "./table.js";
import { MoveList, Timeline, timelineKeys } from "./timeline.js";
import { Questions, Understanding, useAnalyst, useUnderstanding } from "./understand.js";

export function Play({ route }) {
  const games = useAnswer(allGames, []);
  const packed = route.query.get("g");
  const opened = useAnswer(async () => packed && linked(await unpack(packed)), [route]);
  const name = route.parts[0];
  if (games.error || opened.error) return html`<main><${Trouble} text=${games.error || opened.error} /></main>`;
  if (!games.value || opened.busy) return html`<main aria-busy="true"><p class="soft">Laying out the games …</p></main>`;
  const info = games.value.find((one) => one.name === name);
  if (name && !info) {
    const known = games.value.map((one) => one.name).join(", ");
    return html`<main><${Trouble} text=${`There is no game ${name}. The games are ${known}.`} /></main>`;
  }
  if (!info) return html`<${Lobby} games=${games.value} />`;
  const turn = route.query.has("turn") ? Number(route.query.get("turn")) : undefined;
  const setup = opened.value ?? { options: {}, seed: freshSeed() };
  return html`<${Table} key=${route.hash} info=${info} setup=${setup} first=${turn} />`;
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

function Table({ info, setup, first }) {
  const sitting = useSitting(info, setup, first);
  const { game, rules, film, frame, actors, chooser, moves, turn, go, undo, begin } = sitting;
  const [orders, setOrders] = useState({});
  const [blunders, setBlunders] = useState(NOTHING);
  const [analyst, setAnalyst] = useAnalyst(info);
  const understanding = useUnderstanding({ game, turn, actors, analyst });
  const { ahead, ask, questioning, setQuestioning } = understanding;
  const seen = useRef(null);
  if (frame) seen.current = frame;
  const shown = seen.current; // until the next picture is there

  const name = (player) => film.players[player]?.name ?? String(player);
  const asking = questioning ? chooser ?? actors[0] : chooser;
  const offers = (asking !== undefined && sitting.choices?.[asking]) || NOTHING;
  const pieces = new Set(offers.map((choice) => choice.piece)).size;

  const decide = (move) => (questioning ? ask(asking, { move }) : sitting.choose(move));
  const choose = (choice) => (film.joined ? setOrders({ ...orders, [choice.piece]: choice }) : decide(choice.move));
  const send = () => {
    setOrders({});
    decide(Object.entries(orders).sort().map(([, choice]) => choice.move).join("_") || "stay");
  };
  useEffect(() => setOrders({}), [game, turn, asking, questioning]);

  const event = async (way) => go(await film.nextEvent(turn, way, (at) => blunders.some((one) => one.turn === at)));
  const aboutLast = turn > 0 && (() => {
    const acted = Object.entries(moves[turn - 1]);
    const [player, move] = acted.find(([one]) => sitting.seats[one].spec !== PERSON) ?? acted[0];
    const own = sitting.seats[player];
    ask(Number(player), own.spec === PERSON ? { move, at: turn - 1 } : { at: turn - 1, agent: own });
  });
  const walk = (key) => {
    if (key.target.matches?.("input")) return false;
    const way = direction(offers, key.key);
    if (way) choose(way);
    else document.querySelector(".surface [tabindex='0']")?.focus();
    return true;
  };
  useKeys({
    ...timelineKeys({ turn, last: moves.length, go, event }),
    ArrowUp: walk,
    ArrowDown: walk,
    ArrowLeft: walk,
    ArrowRight: walk,
    u: undo,
    h: () => actors.length > 0 && ask(asking ?? actors[0]),
    w: () => actors.length > 0 && setQuestioning(!questioning),
    e: () => aboutLast && aboutLast(),
    r: () => begin({ ...rules }),
    Escape: () => (ahead.preview ? ahead.hide() : setQuestioning(false)),
  });

  useEffect(() => {
    let wanted = true;
    pack({ ...game, seats: sitting.seats }).then((g) => {
      if (wanted) amend(address("play", [info.name], turn === moves.length ? { g } : { g, turn }));
    });
    return () => { wanted = false; };
  }, [game, turn, JSON.stringify(sitting.seats)]);

  const marks = useMemo(() => eventMarks(film, blunders), [film.frames.size, blunders, moves]);
  return html`
    <main class="table">
      <h1 class="unseen">Play ${info.title}</h1>
      <div class="stage">
        <${Seats} info=${info} players=${film.players} seats=${sitting.seats} setSeat=${sitting.setSeat}
          actors=${actors} outcome=${frame?.outcome} />
        ${shown && html`
          <${Board} svg=${ahead.svg ?? understanding.decision?.svg ?? shown.svg} choices=${ahead.svg ? NOTHING : offers}
            orders=${orders} joined=${film.joined} onChoose=${choose} label=${`Board of ${info.title}`} />`}
        <${Trouble} text=${film.error || sitting.thinking.error} />
        <${Status} ahead=${ahead} dice=${shown?.outcome ? null : shown?.dice}
          text=${status(sitting, name, questioning)}>
          <${Seed} seed=${rules.seed} />
          <${Copy} text=${() => location.href} label="Copy a link to this position">link</${Copy}>
        </${Status}>
        ${film.joined && offers.length > 0 && html`
          <${Send} orders=${orders} complete=${Object.keys(orders).length === pieces} onSend=${send}
            onClear=${() => setOrders({})} label=${questioning ? "Why not these commands?" : "Play these commands"} />`}
        ${directed(offers) && html`<${Pad} choices=${offers} onChoose=${choose} />`}
        <div class="row buttons">
          <button type="button" onClick=${undo} disabled=${turn === 0} aria-keyshortcuts="u"
            title="Back to your last choice (U)">Undo</button>
          <${Questions} understanding=${understanding} about=${asking === undefined ? actors : [asking]} name=${name} />
          <button type="button" onClick=${() => begin({ ...rules })} aria-keyshortcuts="r"
            title="Again with the same seed (R)">Restart</button>
          <button type="button" onClick=${() => begin({ ...rules, seed: freshSeed(), start: undefined })}
            title="Another opening, other dice">New seed</button>
        </div>
        <${Timeline} turn=${turn} last=${moves.length} go=${go} event=${event} marks=${marks} />
      </div>
      <div class="side">
        <${Understanding} info=${info} players=${film.players} turn=${turn} understanding=${understanding}
          analyst=${analyst} setAnalyst=${setAnalyst} go=${go}>
          <${Questions} understanding=${understanding} about=${NOTHING} lastMove=${aboutLast} />
        </${Understanding}>
        <section class="panel" aria-label="Moves"><h2>Moves</h2>
          <${Lines} state=${sitting.state} choose=${sitting.show} />
          <${MoveList} moves=${moves} players=${film.players} turn=${turn} go=${go} />
        </section>
        <${Evaluation} game=${game} analyst=${analyst} turn=${turn} go=${go} players=${film.players}
          onEvents=${setBlunders} />
        <${Rules} info=${info} setup=${rules} begin=${begin} />
      </div>
    </main>`;
}

/** What has just happened, and who is to do what. */
function status({ frame, moves, turn, actors, chooser, secret, thinking, film }, name, questioning) {
  if (!frame) return film.error || film.frames.size ? "" : "Setting the board up … (the first time, its rules are compiled)";
  const before = [turn > 0 ? stepWords(moves[turn - 1], film.players) : "", ...happened(frame)].filter(Boolean);
  if (frame.outcome) return [...before, result(frame, name)].join(". ");
  if (questioning) return "Choose a move to hear why it is not played.";
  const chosen = Object.keys(secret).map(name);
  const told = chosen.length ? [`${chosen.join(" and ")} has chosen`] : before;
  if (chooser !== undefined) told.push(`${name(chooser)}${actors.length > 1 ? ", choose in secret" : " to move"}`);
  else if (thinking.busy) {
    const thinkers = actors.filter((player) => !(player in secret)).map(name).join(" and ");
    told.push(`${thinkers} thinking …${thinking.long ? " (when first asked, agents are compiled)" : ""}`);
  }
  return told.join(". ");
}
