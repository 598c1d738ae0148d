/* The pictures of a game, fetched in stretches and kept, so that one can run through it at any speed. */

import { post } from "./api.js";
import { useEffect, useMemo, useState } from "./library.js";
import { bare, common, until } from "./game.js";

const STRETCH = 40;
const MOST = 2400;

class Film {
  /** `given` are frames that cannot be computed from the moves: those of another engine's log. */
  constructor(game, changed, given = null) {
    this.changed = changed;
    this.players = [];
    this.joined = false;
    this.frames = new Map((given ?? []).map((frame, turn) => [turn, frame]));
    this.choices = new Map();
    this.pending = new Map();
    this.given = given !== null;
    this.game = bare(game);
    this.error = "";
  }

  get last() {
    return this.given ? this.frames.size - 1 : this.game.moves.length;
  }

  /** Turn to a game that may differ in its moves: what both have in common stays. */
  follow(game) {
    if (this.given || game.moves === this.game.moves) return;
    this.error = "";
    const kept = common(this.game.moves, game.moves);
    for (const turn of this.frames.keys()) if (turn > kept) this.frames.delete(turn);
    for (const turn of this.choices.keys()) if (turn > kept) this.choices.delete(turn);
    if (kept < this.game.moves.length) this.pending.clear();
    this.game = bare(game);
  }

  /** The frame of a turn if it is there; otherwise it is fetched with its neighbours, and `changed` is called. */
  at(turn) {
    if (!this.frames.has(turn) && turn <= this.last) this.fetch(turn);
    return this.frames.get(turn);
  }

  fetch(turn) {
    const begin = turn - (turn % STRETCH);
    let [first, last] = [begin, Math.min(begin + STRETCH - 1, this.last)];
    while (this.frames.has(first)) first += 1;
    while (this.frames.has(last)) last -= 1;
    if (first > last) return Promise.resolve();
    return this.once(`${first}-${last}`, { ...this.game, first, last });
  }

  /** What everybody may do in the position of a turn. */
  choicesAt(turn) {
    if (!this.choices.has(turn) && !this.given && turn <= this.last) {
      this.once(`at ${turn}`, { ...until(this.game, turn), first: turn, last: turn }, turn);
    }
    return this.choices.get(turn);
  }

  once(key, body, turn = null) {
    if (this.error) return Promise.resolve(); // asked again when there is another move
    if (this.pending.has(key)) return this.pending.get(key);
    const moves = this.game.moves;
    const asked = post("frames", body).then(
      (answer) => {
        if (common(moves, this.game.moves) < body.last) return; // they belong to a line that was left meanwhile
        this.players = answer.players ?? this.players;
        this.joined = Boolean(answer.joined);
        for (const frame of answer.frames) this.frames.set(frame.turn, frame);
        if (turn !== null) this.choices.set(turn, answer.choices);
        this.forget(body.first);
      },
      (error) => { this.error = error.message; },
    ).finally(() => { this.pending.delete(key); this.changed(); });
    this.pending.set(key, asked);
    return asked;
  }

  /** Of very long games only what is near stays. */
  forget(turn) {
    if (this.given) return;
    const far = [...this.frames.keys()].sort((one, other) => Math.abs(other - turn) - Math.abs(one - turn));
    for (const one of far.slice(0, Math.max(0, far.length - MOST))) this.frames.delete(one);
  }

  /** Fetch all of it, from a turn on and round, as far as it is kept. */
  async fill(turn, wanted) {
    const many = Math.min(Math.ceil((this.last + 1) / STRETCH), MOST / STRETCH);
    const here = Math.floor(turn / STRETCH);
    for (let away = 0; away < many && wanted() && !this.error; away += 1) {
      const stretches = Math.ceil((this.last + 1) / STRETCH);
      await this.fetch(((here + away) % stretches) * STRETCH);
    }
  }

  /** The next turn in a direction at which something happens, or the last one that there is. */
  async nextEvent(turn, step, more = () => false) {
    for (let next = turn + step; next >= 0 && next <= this.last; next += step) {
      if (!this.frames.has(next)) await this.fetch(next);
      if (this.frames.get(next)?.events.length || more(next)) return next;
    }
    return step > 0 ? this.last : 0;
  }
}

/** A film that follows a game, and draws anew whenever pictures arrive. */
export function useFilm(game, given = null) {
  const [, setCount] = useState(0);
  const rules = JSON.stringify([game.game, game.options, game.seed, game.start]);
  const film = useMemo(() => new Film(game, () => setCount((count) => count + 1), given), [rules, given]);
  film.follow(game);
  useEffect(() => () => { film.changed = () => {}; }, [film]);
  return film;
}
