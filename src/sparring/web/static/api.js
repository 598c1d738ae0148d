/* The server's answers. Whatever goes wrong becomes an Error whose message is one line for people. */

async function ask(method, path, { body, signal, type = "application/json" } = {}) {
  const request = { method, signal, headers: body === undefined ? {} : { "Content-Type": type } };
  if (body !== undefined) request.body = type === "application/json" ? JSON.stringify(body) : body;
  let answer;
  try {
    answer = await fetch(`/api/${path}`, request);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Error("The server does not answer. Is spar web still running?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.error || `The server answers ${answer.status}.`);
  return said;
}

export const get = (path) => ask("GET", path);
export const post = (path, body, signal) => ask("POST", path, { body, signal });
export const put = (path, body) => ask("PUT", path, { body });
export const upload = (text) => ask("POST", "upload", { body: text, type: "text/plain" });

/** Something that is the same for the whole visit, asked for once; after a failure it is asked for again. */
function once(load) {
  let promise = null;
  return () => (promise ??= load().catch((error) => { promise = null; throw error; }));
}

export const allGames = once(() => get("games"));

/** Calls `heard` with an experiment whenever it changes; returns how to stop listening. Pages that nobody sees do not
 * listen: a browser has only six connections to a server, for all its pages together. */
export function listen(experiment, heard) {
  let source = null;
  const tune = () => {
    source?.close();
    source = document.hidden ? null : new EventSource(`/api/events?experiment=${encodeURIComponent(experiment)}`);
    if (source) source.onmessage = (event) => heard(JSON.parse(event.data));
  };
  tune();
  document.addEventListener("visibilitychange", tune);
  return () => {
    document.removeEventListener("visibilitychange", tune);
    source?.close();
  };
}
