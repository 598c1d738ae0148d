/* The lines of a game: a player may go back and play another move, and the old line stays.

{lines: [moves, ...], line: index of the line that is shown, turn: turn that is shown} */

import { common, sameStep } from "./game.js";

export function firstLine(moves = [], turn = moves.length) {
  return { lines: [moves], line: 0, turn: Math.min(turn, moves.length) };
}

export const currentLine = ({ lines, line }) => lines[line];

/** Plays a step at the turn that is shown: along a known line, at the end of a line, or as a new line. */
export function withStep(state, step) {
  const moves = currentLine(state);
  const turn = state.turn + 1;
  if (state.turn < moves.length && sameStep(moves[state.turn], step)) return { ...state, turn };
  const path = [...moves.slice(0, state.turn), step];
  if (state.turn === moves.length) {
    return { ...state, lines: state.lines.map((one, line) => (line === state.line ? path : one)), turn };
  }
  const line = state.lines.findIndex((one) => common(one, path) === path.length);
  if (line >= 0) return { ...state, line, turn };
  return { lines: [...state.lines, path], line: state.lines.length, turn };
}

/** The turn at which a line branches off from the lines before it. */
export function branchTurn({ lines }, line) {
  const others = lines.filter((_, index) => index < line);
  return others.length ? Math.max(...others.map((other) => common(other, lines[line]))) : 0;
}
