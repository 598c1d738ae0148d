/* The events of a game, for timelines and in words. */

/** The known events, as marks of a timeline. */
export function eventMarks(frameCache, more = []) {
  const known = [...frameCache.frames.values()].flatMap(({ turn, events }) => events.map(({ kind }) => ({ turn, kind })));
  return [...new Map([...known, ...more].map((one) => [`${one.turn} ${one.kind}`, one])).values()];
}

/** The events that led to a frame, in words. `result` has the words for the end of the game. */
export const eventTexts = (frame) => frame.events.filter(({ kind }) => kind !== "end").map(({ text }) => text);

/** The winner and the ending, in words. */
export function result({ outcome, ending }, name) {
  const best = Math.max(...outcome);
  const winners = outcome.map((score, player) => (score === best ? player : -1)).filter((player) => player >= 0);
  let text = winners.length === 1 ? `${name(winners[0])} has won` : "A draw";
  if (outcome.length === 1) text = "The game is over";
  return ending ? `${text}: ${ending}` : text;
}
