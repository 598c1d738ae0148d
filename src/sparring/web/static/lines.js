/* The lines of a game that is being played: one may go back and play something else, and no line is lost.

{lines: [moves, ...], line: which one is shown, turn: how far} */

import { common, sameStep } from "./game.js";

export function begun(moves = [], turn = moves.length) {
  return { lines: [moves], line: 0, turn: Math.min(turn, moves.length) };
}

export const shown = ({ lines, line }) => lines[line];

/** A step is played where one stands: along the line, at its end, along another one, or as a new one. */
export function played(state, step) {
  const moves = shown(state);
  const turn = state.turn + 1;
  if (state.turn < moves.length && sameStep(moves[state.turn], step)) return { ...state, turn };
  const way = [...moves.slice(0, state.turn), step];
  if (state.turn === moves.length) {
    return { ...state, lines: state.lines.map((one, line) => (line === state.line ? way : one)), turn };
  }
  const line = state.lines.findIndex((one) => common(one, way) === way.length);
  if (line >= 0) return { ...state, line, turn };
  return { lines: [...state.lines, way], line: state.lines.length, turn };
}

/** Where a line leaves the others: the turn of its first move of its own. */
export function leaves({ lines }, line) {
  const others = lines.filter((_, index) => index < line);
  return others.length ? Math.max(...others.map((other) => common(other, lines[line]))) : 0;
}
