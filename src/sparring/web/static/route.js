/* The address: everything that a link should open again stands behind the #. */

import { useEffect, useState } from "./library.js";

/** `#/replay/3f2a/17@40?x=1` as {view: "replay", parts: ["3f2a", "17@40"], query}. */
function readRoute(hash = location.hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const [view, ...parts] = path.split("/").map(decodeURIComponent);
  return { view: view || "play", parts: parts.filter(Boolean), query: new URLSearchParams(query), hash };
}

export function address(view, parts = [], query = {}) {
  const path = [view, ...parts].map((part) => encodeURIComponent(part).replaceAll("%40", "@")).join("/");
  const search = new URLSearchParams(query).toString();
  return `#/${path}${search && `?${search}`}`;
}

/** Changes the address without a new entry in the browser's history. */
export const replaceAddress = (hash) => history.replaceState(null, "", hash);

export function useRoute() {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const changed = () => setRoute(readRoute());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

/* Values in links: JSON, deflated, as base64 for addresses. */

async function pipe(stream, bytes) {
  const blob = new Blob([bytes]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(blob).arrayBuffer());
}

export async function pack(value) {
  const bytes = await pipe(new CompressionStream("deflate-raw"), new TextEncoder().encode(JSON.stringify(value)));
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function unpack(text) {
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await pipe(new DecompressionStream("deflate-raw"), bytes)));
  } catch {
    throw new Error("This link is incomplete: copy the whole link.");
  }
}
