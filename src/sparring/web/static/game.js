/* A game is a value: {game, options, seed, start?, moves}. Undo, lines and links are slices of its moves. */

export const until = (game, turn) => ({ ...bare(game), moves: game.moves.slice(0, turn) });

/** A game without its agents and its result. */
export function bare({ game, options, seed, start, moves }) {
  return start === undefined ? { game, options, seed, moves } : { game, options, seed, start, moves };
}

/** Checks a game of a link: anybody can write a link. */
export function checkedGame(value) {
  const { game, options, seed, moves, seats = [], agents = [], scores = [] } = value ?? {};
  const plain = (one) => typeof one === "object" && one !== null && !Array.isArray(one);
  const valid = typeof game === "string" && plain(options) && Number.isInteger(seed)
    && [moves, seats, agents, scores].every(Array.isArray) && moves.every(plain)
    && seats.every((seat) => typeof seat?.spec === "string");
  if (!valid) throw new Error("This link does not hold a game: copy the whole link.");
  return value;
}

export const freshSeed = () => 1 + (crypto.getRandomValues(new Uint32Array(1))[0] % 999999);

export const sameStep = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** How many steps two lists of moves have in common. */
export function common(moves, others) {
  let count = 0;
  while (count < moves.length && count < others.length && sameStep(moves[count], others[count])) count += 1;
  return count;
}

/** A step in words: the move, or each player with its move if several moved. */
export function stepWords(step, players) {
  const moves = Object.entries(step);
  if (moves.length === 1) return moves[0][1];
  return moves.map(([player, move]) => `${players[player]?.name ?? player} ${move}`).join(" · ");
}

/** A score with few digits and a sign. */
export function signed(value) {
  if (value === null || value === undefined) return "";
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  const text = String(Number(Math.abs(value).toFixed(digits)));
  return (value < 0 && text !== "0" ? "-" : "+") + text;
}

/* The position that Play showed last, which Write uses. */

export function remember(game) {
  sessionStorage.setItem("position", JSON.stringify(bare(game)));
}

export function remembered() {
  return JSON.parse(sessionStorage.getItem("position"));
}
