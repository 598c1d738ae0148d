/* The board: the picture of the server, and the choices as buttons over it. */

import {
  boardOrder, byPiece, clipped, contains, directionMove, isArrow, middle, neighbour, pieceRects, targetsOf,
} from "./targets.js";
import { html, useEffect, useLayoutEffect, useRef, useState } from "./library.js";

const parser = new DOMParser();

/** The element of a picture. It is parsed as XML, so that nothing in it runs. */
function svgElement(svg) {
  const element = parser.parseFromString(svg, "image/svg+xml").documentElement;
  if (element.localName !== "svg") throw new Error("The picture of the server is not SVG.");
  element.removeAttribute("width");
  return document.importNode(element, true);
}

const viewBox = (svg) => svg.match(/viewBox="([^"]+)"/)[1].split(/[ ,]+/).map(Number);

export function Picture({ svg, label }) {
  const host = useRef(null);
  useLayoutEffect(() => {
    const element = svgElement(svg);
    if (label) element.setAttribute("aria-label", label);
    host.current.replaceChildren(element);
  }, [svg, label]);
  return html`<div class="picture" ref=${host}></div>`;
}

function percent([x, y, width, height], [left, top, wide, high]) {
  return {
    left: `${(100 * (x - left)) / wide}%`,
    top: `${(100 * (y - top)) / high}%`,
    width: `${(100 * width) / wide}%`,
    height: `${(100 * height) / high}%`,
  };
}

/**
 * @param svg      the picture
 * @param choices  the legal moves of the player to choose
 * @param marks    [{choices, size}]: moves that are shown as dots, with sizes from 0 to 1
 * @param orders   the choice of each piece so far, where a move joins the commands of several pieces
 * @param onChoose gets the choice
 */
export function Board({ svg, choices = [], marks = [], orders = {}, joined = false, onChoose, label }) {
  const [picked, setPicked] = useState(null);
  const [current, setCurrent] = useState(null);
  const [drag, setDrag] = useState(null);
  const surface = useRef(null);
  const focused = useRef(false);
  const box = viewBox(svg);
  const pieces = byPiece(choices);
  const rects = pieceRects(pieces);
  const { targets, picks } = targetsOf(choices, picked, joined ? orders : {});
  const ordered = boardOrder(targets);
  const cursor = ordered.find((target) => target.key === current) ?? ordered[0];

  useEffect(() => setPicked(null), [choices]);
  useLayoutEffect(() => {
    if (focused.current && cursor) surface.current.querySelector("[tabindex='0']")?.focus({ preventScroll: true });
  });

  const choose = (choice) => {
    setDrag(null);
    if (joined) {
      const left = [...pieces.keys()].filter((piece) => piece !== choice.piece && !orders[piece]);
      setPicked(null);
      setCurrent(left.length ? `piece ${left[0]}` : null);
      if (!left.length) focused.current = false;
    }
    onChoose(choice);
  };
  const press = (target) => {
    if (target.choice) choose(target.choice);
    else {
      setPicked(target.piece);
      setCurrent(null);
    }
  };

  const keys = (event) => {
    if (event.key === "Escape" && picked !== null) {
      setCurrent(`piece ${picked}`);
      setPicked(null);
      event.stopPropagation();
    } else if (isArrow(event.key) && cursor) {
      event.preventDefault();
      event.stopPropagation();
      const move = directionMove(choices, event.key);
      if (move) choose(move);
      else setCurrent(neighbour(ordered, cursor, event.key).key);
    }
  };

  const point = (event) => {
    const frame = surface.current.getBoundingClientRect();
    const [x, y] = [(event.clientX - frame.left) / frame.width, (event.clientY - frame.top) / frame.height];
    return [box[0] + x * box[2], box[1] + y * box[3]];
  };
  const startDrag = (event) => {
    if (event.button !== 0) return;
    const at = point(event);
    const piece = [...rects.keys()].find((one) => contains(rects.get(one), at));
    if (piece === undefined) return;
    setDrag({ piece, from: pieces.get(piece)[0].from, start: at, at, moving: false });
  };
  const moveDrag = (event) => {
    if (!drag) return;
    const at = point(event);
    const far = Math.hypot(at[0] - drag.start[0], at[1] - drag.start[1]);
    const moving = drag.moving || far > box[2] / 60;
    if (moving && !drag.moving && picks) setPicked(drag.piece);
    setDrag({ ...drag, at, moving });
  };
  const endDrag = (event) => {
    if (!drag) return;
    const at = point(event);
    setDrag(null);
    if (!drag.moving) return;
    const choice = pieces.get(drag.piece)?.find((one) => contains(one.at, at));
    if (choice) choose(choice);
  };

  return html`
    <div class="board" data-choosing=${choices.length > 0}>
      <div class="surface" ref=${surface} role="group" aria-label=${label ?? "Board"}
        onKeyDown=${keys} onPointerDown=${startDrag} onPointerMove=${moveDrag} onPointerUp=${endDrag}
        onPointerCancel=${() => setDrag(null)}
        onFocusIn=${() => { focused.current = true; }}
        onFocusOut=${(event) => { if (event.relatedTarget) focused.current = false; }}>
        <${Picture} svg=${svg} />
        <${Marks} marks=${marks} box=${box} />
        <${Orders} orders=${orders} box=${box} />
        ${[...rects].map(([piece, rect]) => html`<div key=${piece} class="handle" data-picked=${piece === picked}
          style=${percent(rect, box)} onClick=${() => picks && setPicked(piece === picked ? null : piece)}></div>`)}
        ${ordered.map((target) => html`
          <${Target} key=${target.key} target=${target} box=${box} tabindex=${target === cursor ? 0 : -1}
            onFocus=${() => setCurrent(target.key)} onClick=${() => press(target)} />`)}
        ${!picks && targets.filter((target) => target.rect !== target.choice.at).map((target) => html`
          <div key=${`to ${target.key}`} class="landing" style=${percent(clipped(target.choice.at, box), box)}
            onClick=${() => press(target)}></div>`)}
        ${drag?.moving && html`<${DraggedPiece} svg=${svg} drag=${drag} box=${box} />`}
      </div>
    </div>`;
}

/** A button for a move, or for a piece that is picked up first. */
function Target({ target: { choice, rect, label, piece }, box, ...more }) {
  const kind = rect === choice?.at ? "place" : "piece";
  return html`
    <button type="button" class=${`target ${kind}`} style=${percent(clipped(rect, box), box)} aria-label=${label}
      title=${label} data-move=${choice?.move} data-piece=${choice ? undefined : piece} ...${more}></button>`;
}

/** The dragged piece: its part of the picture, under the pointer. */
function DraggedPiece({ svg, drag, box }) {
  const host = useRef(null);
  const [x, y, width, height] = drag.from;
  useLayoutEffect(() => {
    const element = svgElement(svg);
    element.setAttribute("viewBox", drag.from.join(" "));
    element.setAttribute("aria-hidden", "true");
    host.current.replaceChildren(element);
  }, [svg, x, y]);
  return html`<div class="held" ref=${host}
    style=${percent([drag.at[0] - width / 2, drag.at[1] - height / 2, width, height], box)}></div>`;
}

/** Moves as dots. A better move has a larger dot. */
function Marks({ marks, box }) {
  return marks.length > 0 && html`
    <svg class="marks" viewBox=${box.join(" ")} aria-hidden="true">
      ${marks.flatMap(({ choices, size }) => choices.map(({ move, at }) => {
        const [x, y] = middle(at);
        return html`<circle key=${`${move} ${size}`} cx=${x} cy=${y} r=${at[2] * (0.08 + 0.28 * size)} />`;
      }))}
    </svg>`;
}

/** The commands of pieces that are not played yet. */
function Orders({ orders, box }) {
  const commands = Object.values(orders);
  return commands.length > 0 && html`
    <svg class="orders" viewBox=${box.join(" ")} aria-hidden="true">
      ${commands.map((choice) => {
        const [x1, y1] = middle(choice.from);
        const [x2, y2] = middle(choice.at);
        return html`
          <g key=${choice.piece}>
            <line x1=${x1} y1=${y1} x2=${x2} y2=${y2} />
            <circle cx=${x2} cy=${y2} r=${choice.at[2] / 5} />
          </g>`;
      })}
    </svg>`;
}
