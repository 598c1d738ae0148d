/* The targets on a board for mouse, touch and keyboard, made from the legal moves.

A choice is {move, at, from?, piece?, label}. If all choices belong to one piece, or to none, their places are shown at
once. If every piece has one choice, the pieces themselves are the targets. Otherwise a piece is picked up first. */

export const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];

export const contains = ([x, y, width, height], [px, py]) => px >= x && px <= x + width && py >= y && py <= y + height;

const pieceOf = (choice) => choice.piece ?? String(choice.from ?? "");

/** The choices by piece. */
export function byPiece(choices) {
  const pieces = new Map();
  for (const choice of choices) {
    const piece = pieceOf(choice);
    if (!pieces.has(piece)) pieces.set(piece, []);
    pieces.get(piece).push(choice);
  }
  return pieces;
}

/** The rectangle of each piece. Pieces on one cell share it in columns. */
export function pieceRects(pieces) {
  const placed = [...pieces].map(([piece, [{ from }]]) => ({ piece, from })).filter(({ from }) => from);
  return new Map(placed.map(({ piece, from }) => {
    const crowd = placed.filter((other) => String(other.from) === String(from)).map((other) => other.piece);
    const [x, y, width, height] = from;
    return [piece, [x + (crowd.indexOf(piece) * width) / crowd.length, y, width / crowd.length, height]];
  }));
}

const placeTarget = (piece, choice) => ({ key: choice.move, piece, choice, rect: choice.at, label: choice.label });

/** The current targets: {targets, picks}. With `picks` a piece is picked up before its place is chosen. */
export function targetsOf(choices, picked, orders = {}) {
  const pieces = byPiece(choices);
  const rects = pieceRects(pieces);
  const all = [...pieces];
  const ordering = Object.keys(orders).length > 0;
  if (all.length === 1 && !ordering) {
    return { targets: all[0][1].map((choice) => placeTarget(all[0][0], choice)), picks: false };
  }
  if (all.every(([, own]) => own.length === 1)) {
    const targets = all.map(([piece, [choice]]) => ({ ...placeTarget(piece, choice), rect: rects.get(piece) ?? choice.at }));
    return { targets, picks: false };
  }
  if (picked !== null && pieces.has(picked)) {
    return { targets: pieces.get(picked).map((choice) => placeTarget(picked, choice)), picks: true };
  }
  const targets = all.map(([piece, own]) => {
    const order = orders[piece] ? `, ordered ${orders[piece].label}` : "";
    const label = `piece ${piece}${order}: ${own.length} places`;
    return { key: `piece ${piece}`, piece, rect: rects.get(piece), label };
  });
  return { targets, picks: true };
}

/** Sorts targets from top to bottom, and from left to right. */
export function boardOrder(targets) {
  const key = (target) => middle(target.rect);
  return [...targets].sort((one, other) => key(one)[1] - key(other)[1] || key(one)[0] - key(other)[0]);
}

const STEPS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** The nearest target in the direction of an arrow key. The distance across counts double. */
export function neighbour(targets, current, key) {
  const [right, down] = STEPS[key];
  const [x, y] = middle(current.rect);
  let best = null;
  for (const target of targets) {
    const [tx, ty] = middle(target.rect);
    const along = (tx - x) * right + (ty - y) * down;
    const across = Math.abs((tx - x) * down) + Math.abs((ty - y) * right);
    if (along > 0.5 && (!best || along + 2 * across < best.far)) best = { target, far: along + 2 * across };
  }
  return best ? best.target : current;
}

export const isArrow = (key) => key in STEPS;

/** The move with the name of an arrow key's direction, if there is one. */
export function directionMove(choices, key) {
  const name = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" }[key];
  return name && choices.find((choice) => choice.move === name);
}

/** The part of a rectangle on the board, but at least a strip that a thumb can touch. */
export function clipped([x, y, width, height], [left, top, right, bottom]) {
  const strip = Math.min(width, height) / 3;
  const x1 = Math.min(Math.max(x, left), left + right - strip);
  const y1 = Math.min(Math.max(y, top), top + bottom - strip);
  const x2 = Math.max(Math.min(x + width, left + right), left + strip);
  const y2 = Math.max(Math.min(y + height, top + bottom), top + strip);
  return [x1, y1, Math.max(x2 - x1, strip), Math.max(y2 - y1, strip)];
}
