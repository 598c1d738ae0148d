/* From the legal moves to places on the board that can be clicked, dragged to or walked over by keys.

A choice is {move, at, from?, piece?, label}. Where all choices belong to one piece, or to none, their places are shown
at once. Where every piece has one choice, the pieces themselves are clicked. Otherwise a piece is picked first. */

export const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];

export const inside = ([x, y, width, height], [px, py]) => px >= x && px <= x + width && py >= y && py <= y + height;

const pieceOf = (choice) => choice.piece ?? String(choice.from ?? "");

/** The choices by the piece that they move. */
export function byPiece(choices) {
  const pieces = new Map();
  for (const choice of choices) {
    const piece = pieceOf(choice);
    if (!pieces.has(piece)) pieces.set(piece, []);
    pieces.get(piece).push(choice);
  }
  return pieces;
}

/** Where each piece is taken up. Those who stand on one another share their cell in columns. */
export function held(pieces) {
  const standing = [...pieces].map(([piece, [{ from }]]) => ({ piece, from })).filter(({ from }) => from);
  return new Map(standing.map(({ piece, from }) => {
    const crowd = standing.filter((other) => String(other.from) === String(from)).map((other) => other.piece);
    const [x, y, width, height] = from;
    return [piece, [x + (crowd.indexOf(piece) * width) / crowd.length, y, width / crowd.length, height]];
  }));
}

const place = (piece, choice) => ({ key: choice.move, piece, choice, rect: choice.at, label: choice.label });

/** What can be chosen now: {targets, picks}. `picks` says that pieces come first, and then their places. */
export function offered(choices, picked, orders = {}) {
  const pieces = byPiece(choices);
  const rects = held(pieces);
  const all = [...pieces];
  const ordering = Object.keys(orders).length > 0;
  if (all.length === 1 && !ordering) {
    return { targets: all[0][1].map((choice) => place(all[0][0], choice)), picks: false };
  }
  if (all.every(([, own]) => own.length === 1)) {
    const targets = all.map(([piece, [choice]]) => ({ ...place(piece, choice), rect: rects.get(piece) ?? choice.at }));
    return { targets, picks: false };
  }
  if (picked !== null && pieces.has(picked)) {
    return { targets: pieces.get(picked).map((choice) => place(picked, choice)), picks: true };
  }
  const targets = all.map(([piece, own]) => {
    const told = orders[piece] ? `, told ${orders[piece].label}` : "";
    const label = `piece ${piece}${told}: ${own.length} places`;
    return { key: `piece ${piece}`, piece, rect: rects.get(piece), label };
  });
  return { targets, picks: true };
}

/** In the order in which one reads a board. */
export function boardOrder(targets) {
  const key = (target) => middle(target.rect);
  return [...targets].sort((one, other) => key(one)[1] - key(other)[1] || key(one)[0] - key(other)[0]);
}

const WAYS = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };

/** The target that an arrow key leads to: the nearest one that way, distance across counting double. */
export function towards(targets, current, key) {
  const [right, down] = WAYS[key];
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

export const isArrow = (key) => key in WAYS;

/** The move that an arrow key stands for where moves are called by directions. */
export function direction(choices, key) {
  const name = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" }[key];
  return name && choices.find((choice) => choice.move === name);
}

/** The part of a rectangle that lies on the board, and never less than a thumb's strip of it. */
export function clipped([x, y, width, height], [left, top, right, bottom]) {
  const strip = Math.min(width, height) / 3;
  const x1 = Math.min(Math.max(x, left), left + right - strip);
  const y1 = Math.min(Math.max(y, top), top + bottom - strip);
  const x2 = Math.max(Math.min(x + width, left + right), left + strip);
  const y2 = Math.max(Math.min(y + height, top + bottom), top + strip);
  return [x1, y1, Math.max(x2 - x1, strip), Math.max(y2 - y1, strip)];
}
