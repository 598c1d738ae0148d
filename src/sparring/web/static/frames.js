/* The positions of a game, fetched in batches and cached, so that a replay can run at any speed. */

import { post } from "./api.js";
import { useEffect, useMemo, useState } from "./library.js";
import { bare, common, until } from "./game.js";

const BATCH = 40;
const CAPACITY = 2400;

class FrameCache {
  /** `given` are the frames of a log, if the server cannot compute them from the moves. */
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

  /** Switches to a game with other moves. The frames that both games share stay. */
  follow(game) {
    if (this.given || game.moves === this.game.moves) return;
    this.error = "";
    const shared = common(this.game.moves, game.moves);
    for (const turn of this.frames.keys()) if (turn > shared) this.frames.delete(turn);
    for (const turn of this.choices.keys()) if (turn > shared) this.choices.delete(turn);
    if (shared < this.game.moves.length) this.pending.clear();
    this.game = bare(game);
  }

  /** The frame of a turn, if it is here. Otherwise it is fetched with its neighbours, and `changed` is called later. */
  at(turn) {
    if (!this.frames.has(turn) && turn <= this.last) this.fetch(turn);
    return this.frames.get(turn);
  }

  fetch(turn) {
    const begin = turn - (turn % BATCH);
    let [first, last] = [begin, Math.min(begin + BATCH - 1, this.last)];
    while (this.frames.has(first)) first += 1;
    while (this.frames.has(last)) last -= 1;
    if (first > last) return Promise.resolve();
    return this.request(`${first}-${last}`, { ...this.game, first, last });
  }

  /** The choices of all players in the position of a turn. */
  choicesAt(turn) {
    if (!this.choices.has(turn) && !this.given && turn <= this.last) {
      this.request(`at ${turn}`, { ...until(this.game, turn), first: turn, last: turn }, turn);
    }
    return this.choices.get(turn);
  }

  request(key, body, turn = null) {
    if (this.error) return Promise.resolve(); // the next move tries again
    if (this.pending.has(key)) return this.pending.get(key);
    const moves = this.game.moves;
    const request = post("frames", body).then(
      (answer) => {
        if (common(moves, this.game.moves) < body.last) return; // the player has left this line
        this.players = answer.players ?? this.players;
        this.joined = Boolean(answer.joined);
        for (const frame of answer.frames) this.frames.set(frame.turn, frame);
        if (turn !== null) this.choices.set(turn, answer.choices);
        this.forget(body.first);
      },
      (error) => { this.error = error.message; },
    ).finally(() => { this.pending.delete(key); this.changed(); });
    this.pending.set(key, request);
    return request;
  }

  /** Removes the frames that are farthest from a turn, if there are too many. */
  forget(turn) {
    if (this.given) return;
    const far = [...this.frames.keys()].sort((one, other) => Math.abs(other - turn) - Math.abs(one - turn));
    for (const one of far.slice(0, Math.max(0, far.length - CAPACITY))) this.frames.delete(one);
  }

  /** Fetches all frames that fit, beginning at a turn. */
  async fill(turn, wanted) {
    const batches = Math.min(Math.ceil((this.last + 1) / BATCH), CAPACITY / BATCH);
    const here = Math.floor(turn / BATCH);
    for (let away = 0; away < batches && wanted() && !this.error; away += 1) {
      await this.fetch(((here + away) % Math.ceil((this.last + 1) / BATCH)) * BATCH);
    }
  }

  /** The next turn in a direction that has an event, or else the last turn in it. */
  async nextEvent(turn, step, more = () => false) {
    for (let next = turn + step; next >= 0 && next <= this.last; next += step) {
      if (!this.frames.has(next)) await this.fetch(next);
      if (this.frames.get(next)?.events.length || more(next)) return next;
    }
    return step > 0 ? this.last : 0;
  }
}

/** A cache that follows a game. The component is rendered again whenever frames arrive. */
export function useFrames(game, given = null) {
  const [, setCount] = useState(0);
  const rules = JSON.stringify([game.game, game.options, game.seed, game.start]);
  const frameCache = useMemo(() => new FrameCache(game, () => setCount((count) => count + 1), given), [rules, given]);
  frameCache.follow(game);
  useEffect(() => () => { frameCache.changed = () => {}; }, [frameCache]);
  return frameCache;
}
