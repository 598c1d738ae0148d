/* Graphs by uPlot, which is loaded for the first graph. */

import { html, useEffect, useRef, useState } from "./library.js";
import { Dot } from "./components.js";

let loading = null;

function library() {
  loading ??= new Promise((resolve, reject) => {
    const style = Object.assign(document.createElement("link"), { rel: "stylesheet", href: "vendor/uPlot.min.css" });
    const script = Object.assign(document.createElement("script"), { src: "vendor/uPlot.min.js" });
    script.onload = () => resolve(window.uPlot);
    script.onerror = () => reject(new Error("The graph could not be loaded."));
    document.head.append(style, script);
  });
  return loading;
}

/** Reads a colour of the style sheet from an invisible element. */
function colour(host, name) {
  const probe = host.appendChild(document.createElement("i"));
  probe.className = name;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/**
 * @param data   [xs, ys, ys, ...]
 * @param series [{label, colour?}] for each ys; the default colour is the accent
 * @param at     the x of a vertical line
 * @param rules  [{y, label}] horizontal lines
 * @param onPick gets the x of a click
 */
export function Graph({ data, series, at, rules = [], label, onPick, height = 150 }) {
  const host = useRef(null);
  const plot = useRef(null);
  const marked = useRef(at);
  const [theme, setTheme] = useState(0);
  marked.current = at;
  const picks = useRef(onPick);
  picks.current = onPick;

  useEffect(() => {
    const changed = () => setTheme((count) => count + 1);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", changed);
    addEventListener("themechange", changed);
    return () => { dark.removeEventListener("change", changed); removeEventListener("themechange", changed); };
  }, []);

  const shape = JSON.stringify([series, rules.map((rule) => rule.label), theme]);
  useEffect(() => {
    const element = host.current;
    let wanted = true;
    let watcher = null;
    library().then((UPlot) => {
      if (!wanted) return;
      const [ink, faint, accent] = ["graph-ink", "graph-faint", "graph-accent"].map((name) => colour(element, name));
      const grid = { stroke: faint, width: 1 };
      const axis = { stroke: ink, grid, ticks: { show: false }, font: "12px system-ui", size: 44, space: 30 };
      const overlay = (drawing) => {
        const { ctx, bbox } = drawing;
        ctx.save();
        ctx.lineWidth = devicePixelRatio;
        ctx.strokeStyle = ink;
        ctx.fillStyle = ink;
        ctx.font = `${12 * devicePixelRatio}px system-ui`;
        for (const rule of rules) {
          const y = drawing.valToPos(rule.y, "y", true);
          ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
          ctx.beginPath();
          ctx.moveTo(bbox.left, y);
          ctx.lineTo(bbox.left + bbox.width, y);
          ctx.stroke();
          ctx.fillText(rule.label ?? "", bbox.left + 6, y - 5 * devicePixelRatio);
        }
        ctx.setLineDash([]);
        if (marked.current !== undefined) {
          const x = drawing.valToPos(marked.current, "x", true);
          ctx.strokeStyle = accent;
          ctx.lineWidth = 2 * devicePixelRatio;
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, bbox.top + bbox.height);
          ctx.stroke();
        }
        ctx.restore();
      };
      const levels = rules.map((rule) => rule.y);
      const range = (_, low, high) => UPlot.rangeNum(Math.min(low, ...levels), Math.max(high, ...levels), 0.1, true);
      const curve = { width: 2, points: { show: false }, spanGaps: true };
      plot.current = new UPlot({
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
        scales: { x: { time: false }, y: { range } },
        axes: [{ ...axis, size: 26, grid: { show: false } }, axis],
        series: [{}, ...series.map((one) => ({ ...curve, label: one.label, stroke: one.colour ?? accent }))],
        hooks: { draw: [overlay] },
      }, data, element);
      plot.current.over.addEventListener("click", () => {
        const { idx } = plot.current.cursor;
        if (idx !== null && idx !== undefined) picks.current?.(plot.current.data[0][idx]);
      });
      watcher = new ResizeObserver(() => plot.current.setSize({ width: element.clientWidth, height }));
      watcher.observe(element);
    });
    return () => {
      wanted = false;
      watcher?.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [data]);
  useEffect(() => plot.current?.redraw(false), [at]);
  return html`
    <figure class="graph">
      <div ref=${host} style=${{ minHeight: `${height}px` }} role="img" aria-label=${label}></div>
      ${series.length > 1 && html`
        <figcaption>${series.map((one) => html`
          <span key=${one.label}><${Dot} colour=${one.colour} /> ${one.label}</span>`)}</figcaption>`}
    </figure>`;
}
