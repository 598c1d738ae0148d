/* A game that is being played: its lines, who sits where, what has been chosen in secret, and agents that think. */

import { post } from "./api.js";
import { useFilm } from "./film.js";
import { remember, until } from "./game.js";
import { useEffect, useMemo, useState } from "./library.js";
import { begun, played, shown } from "./lines.js";
import { asked, PERSON } from "./picker.js";

const WATCHING = 450;
/* Milliseconds between moves when no person plays, so that one can follow. */

const LONG = 4000;
/* Milliseconds after which one may ask what takes so long. */

const isPerson = ({ spec }) => spec === PERSON;

/**
 * @param info   what the server tells of the game
 * @param setup  {options, seed, start, moves?, seats?} to begin with
 * @param first  the turn to be shown first; without it the last
 */
export function useSitting(info, setup, first) {
  const [rules, setRules] = useState(setup);
  const [seats, setSeats] = useState(setup.seats ?? [{ spec: PERSON }]);
  const [state, setState] = useState(() => begun(setup.moves, first));
  const [secret, setSecret] = useState({});
  const [following, setFollowing] = useState(false);
  const [thinking, setThinking] = useState({ busy: false, error: "" });

  const moves = shown(state);
  const { turn } = state;
  const game = useMemo(
    () => ({ game: info.name, options: rules.options, seed: rules.seed, start: rules.start, moves }), [rules, moves]);
  const film = useFilm(game);
  const choices = film.choicesAt(turn);
  const frame = film.frames.get(turn);
  const actors = frame?.actors ?? [];

  const seat = (player) => seats[player] ?? { spec: info.best, seconds: 0.3 };
  const persons = actors.filter((player) => isPerson(seat(player)));
  const chooser = persons.find((player) => !(player in secret));
  const watched = film.players.length > 0 && !film.players.some((_, player) => isPerson(seat(player)));

  const step = (all) => {
    setState((before) => played(before, all));
    setSecret({});
  };
  const go = (to) => {
    setFollowing(false);
    setSecret({});
    setState((before) => ({ ...before, turn: Math.min(Math.max(0, to), shown(before).length) }));
  };
  const begin = (wanted) => {
    setRules(wanted);
    setSecret({});
    setState(begun());
  };
  /** Back to the last choice of a person. What was played stays, until something else is. */
  const undo = () => {
    let to = Math.max(0, turn - 1);
    while (to > 0 && !watched && !Object.keys(moves[to]).some((player) => isPerson(seat(player)))) to -= 1;
    go(to);
  };
  /** The person whose turn it is has chosen; nothing is shown before all have. */
  const choose = (move) => {
    const all = { ...secret, [chooser]: move };
    setFollowing(true);
    if (actors.every((player) => player in all)) step(all);
    else setSecret(all);
  };

  // Agents think at the end of the line, when all persons have chosen.
  const ready = turn === moves.length && actors.length > persons.length && chooser === undefined;
  useEffect(() => {
    if (!ready) return undefined;
    const control = new AbortController();
    const { signal } = control;
    const agents = actors.filter((player) => !persons.includes(player));
    const decide = (player) => {
      const body = { ...until(game, turn), player, ...asked(seat(player)), explain: false };
      return post("decide", body, signal).then(({ move }) => [player, move]);
    };
    const pause = new Promise((resolve) => { setTimeout(resolve, watched ? WATCHING : 0); });
    setThinking({ busy: true, error: "" });
    const long = setTimeout(() => setThinking({ busy: true, error: "", long: true }), LONG);
    Promise.all([pause, ...agents.map(decide)]).then(
      ([, ...decided]) => signal.aborted || step({ ...secret, ...Object.fromEntries(decided) }),
      (error) => signal.aborted || setThinking({ busy: false, error: error.message }),
    );
    return () => {
      clearTimeout(long);
      control.abort();
      setThinking({ busy: false, error: "" });
    };
  }, [ready, game, turn, JSON.stringify(seats), JSON.stringify(secret)]);

  // Along a line that was played before, agents answer as they did.
  useEffect(() => {
    if (!following || turn === moves.length || !frame) return;
    if (persons.length === 0) setState((before) => ({ ...before, turn: before.turn + 1 }));
    else setFollowing(false);
  }, [following, turn, frame]);

  useEffect(() => remember(until(game, turn)), [game, turn]);

  return {
    game, rules, film, frame, choices, actors, chooser, secret, thinking, moves, turn, state,
    seats: film.players.map((_, player) => seat(player)),
    setSeat: (player, value) => setSeats(film.players.map((_, index) => (index === player ? value : seat(index)))),
    show: (line) => setState((before) => ({ ...before, line, turn: before.lines[line].length })),
    go, begin, undo, choose,
  };
}
