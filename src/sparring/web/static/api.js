/* Requests to the server. Every failure becomes an Error with a message of one line. */

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
  const result = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(result.error || `The server answers ${answer.status}.`);
  return result;
}

export const get = (path) => ask("GET", path);
export const post = (path, body, signal) => ask("POST", path, { body, signal });
export const put = (path, body) => ask("PUT", path, { body });
export const upload = (text) => ask("POST", "upload", { body: text, type: "text/plain" });

/** Returns a function that loads something once. After a failure it loads it again. */
function once(load) {
  let promise = null;
  return () => (promise ??= load().catch((error) => { promise = null; throw error; }));
}

export const allGames = once(() => get("games"));

/** Calls `onChange` with an experiment whenever it changes, and returns a function that stops this. Hidden pages do not
 * listen, because a browser has only six connections to a server for all its pages. */
export function listen(experiment, onChange) {
  let source = null;
  const connect = () => {
    source?.close();
    source = document.hidden ? null : new EventSource(`/api/events?experiment=${encodeURIComponent(experiment)}`);
    if (source) source.onmessage = (event) => onChange(JSON.parse(event.data));
  };
  connect();
  document.addEventListener("visibilitychange", connect);
  return () => {
    document.removeEventListener("visibilitychange", connect);
    source?.close();
  };
}
