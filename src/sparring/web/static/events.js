/* What happened in a game, for timelines and in words. */

/** Where on the timeline things happened, as far as it is known. */
export function eventMarks(film, more = []) {
  const seen = [...film.frames.values()].flatMap(({ turn, events }) => events.map(({ kind }) => ({ turn, kind })));
  return [...new Map([...seen, ...more].map((one) => [`${one.turn} ${one.kind}`, one])).values()];
}

/** What led to a frame, in words; its end is told by `result`. */
export const happened = (frame) => frame.events.filter(({ kind }) => kind !== "end").map(({ text }) => text);

/** Who has won, and how. */
export function result({ outcome, ending }, name) {
  const best = Math.max(...outcome);
  const winners = outcome.map((score, player) => (score === best ? player : -1)).filter((player) => player >= 0);
  let told = winners.length === 1 ? `${name(winners[0])} has won` : "A draw";
  if (outcome.length === 1) told = "The game is over";
  return ending ? `${told}: ${ending}` : told;
}
