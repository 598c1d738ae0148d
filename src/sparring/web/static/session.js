/* A game that is being played: its lines, its seats, secret choices, and moves of agents. */

import { post } from "./api.js";
import { useFrames } from "./frames.js";
import { remember, until } from "./game.js";
import { useEffect, useLayoutEffect, useMemo, useState } from "./library.js";
import { currentLine, firstLine, withStep } from "./lines.js";
import { agentFields, PERSON } from "./picker.js";

const PACE = 450;
/* Milliseconds between moves if only agents play, so that a person can follow. */

const LONG = 4000;
/* Milliseconds after which the page says why an answer takes so long. */

const isPerson = ({ spec }) => spec === PERSON;

/**
 * @param info   the description of the game
 * @param setup  {options, seed, start, moves?, seats?} of the first game
 * @param first  the turn to show first, by default the last one
 */
export function useSession(info, setup, first) {
  const [rules, setRules] = useState(setup);
  const [seats, setSeats] = useState(setup.seats ?? [{ spec: PERSON }]);
  const [state, setState] = useState(() => firstLine(setup.moves, first));
  const [secret, setSecret] = useState({});
  const [following, setFollowing] = useState(false);
  const [thinking, setThinking] = useState({ busy: false, error: "" });

  const moves = currentLine(state);
  const { turn } = state;
  const game = useMemo(
    () => ({ game: info.name, options: rules.options, seed: rules.seed, start: rules.start, moves }), [rules, moves]);
  const frameCache = useFrames(game);
  const choices = frameCache.choicesAt(turn);
  const frame = frameCache.frames.get(turn);
  const actors = frame?.actors ?? [];

  const seat = (player) => seats[player] ?? { spec: info.best, seconds: 0.3 };
  const persons = actors.filter((player) => isPerson(seat(player)));
  const chooser = persons.find((player) => !(player in secret));
  const onlyAgents = frameCache.players.length > 0 && !frameCache.players.some((_, player) => isPerson(seat(player)));

  const step = (all) => {
    setState((before) => withStep(before, all));
    setSecret({});
  };
  const go = (to) => {
    setFollowing(false);
    setSecret({});
    setState((before) => ({ ...before, turn: Math.min(Math.max(0, to), currentLine(before).length) }));
  };
  const begin = (newRules) => {
    setRules(newRules);
    setSecret({});
    setState(firstLine());
  };
  /** Goes back to the last choice of a person. The moves stay until another move is played. */
  const undo = () => {
    let to = Math.max(0, turn - 1);
    while (to > 0 && !onlyAgents && !Object.keys(moves[to]).some((player) => isPerson(seat(player)))) to -= 1;
    go(to);
  };
  /** Takes the move of the person to choose. Nothing is shown before all players have chosen. */
  const choose = (move) => {
    const all = { ...secret, [chooser]: move };
    setFollowing(true);
    if (actors.every((player) => player in all)) step(all);
    else setSecret(all);
  };

  // Agents move at the end of the line, when all persons have chosen.
  const ready = turn === moves.length && actors.length > persons.length && chooser === undefined;
  useEffect(() => {
    if (!ready) return undefined;
    const control = new AbortController();
    const { signal } = control;
    const agents = actors.filter((player) => !persons.includes(player));
    const decide = (player) => {
      const body = { ...until(game, turn), player, ...agentFields(seat(player)), explain: false };
      return post("decide", body, signal).then(({ move }) => [player, move]);
    };
    const pause = new Promise((resolve) => { setTimeout(resolve, onlyAgents ? PACE : 0); });
    setThinking({ busy: true, error: "" });
    const long = setTimeout(() => setThinking({ busy: true, error: "", long: true }), LONG);
    Promise.all([pause, ...agents.map(decide)]).then(
      ([, ...decisions]) => signal.aborted || step({ ...secret, ...Object.fromEntries(decisions) }),
      (error) => signal.aborted || setThinking({ busy: false, error: error.message }),
    );
    return () => {
      clearTimeout(long);
      control.abort();
      setThinking({ busy: false, error: "" });
    };
  }, [ready, game, turn, JSON.stringify(seats), JSON.stringify(secret)]);

  // Along a known line, agents repeat their moves.
  useEffect(() => {
    if (!following || turn === moves.length || !frame) return;
    if (persons.length === 0) setState((before) => ({ ...before, turn: before.turn + 1 }));
    else setFollowing(false);
  }, [following, turn, frame]);

  useLayoutEffect(() => remember(until(game, turn)), [game, turn]); // before a link can be clicked

  return {
    game, rules, frameCache, frame, choices, actors, chooser, secret, thinking, moves, turn, state,
    seats: frameCache.players.map((_, player) => seat(player)),
    setSeat: (player, value) => setSeats(frameCache.players.map((_, index) => (index === player ? value : seat(index)))),
    show: (line) => setState((before) => ({ ...before, line, turn: before.lines[line].length })),
    go, begin, undo, choose,
  };
}
