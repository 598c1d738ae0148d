/* A list of the games of an experiment, page by page. */

import { get } from "./api.js";
import { html, useState } from "./library.js";
import { ErrorMessage, useAnswer } from "./components.js";
import { address } from "./route.js";

/** The title of an experiment, or its agents. */
export function heading({ title, agents }) {
  return title || (agents.length > 2 ? `${agents.length} agents: ${agents.join(", ")}` : agents.join(" v "));
}

export function GameList({ experiment, pair = null }) {
  const [page, setPage] = useState(1);
  const query = new URLSearchParams({ ...(pair ? { a: pair[0], b: pair[1] } : {}), page: String(page) });
  const { value, error, busy } = useAnswer(
    () => get(`experiments/${encodeURIComponent(experiment)}/games?${query}`), [experiment, String(pair), page]);
  return html`
    <div aria-busy=${busy}>
      <${ErrorMessage} text=${error} />
      ${value && html`
        <div class="wide" tabindex="0" role="region" aria-label="Games">
          <table class="games">
            <thead><tr>
              <th scope="col">game</th>
              <th scope="col">seats</th>
              <th scope="col">result</th>
              <th scope="col" class="n">turns</th>
              <th scope="col">ending</th>
            </tr></thead>
            <tbody>${value.games.map((game) => html`
              <tr key=${game.number}>
                <th scope="row"><a href=${address("replay", [experiment, `${game.number}@0`])}>${game.number}</a></th>
                <td class="code">${game.agents.join(" v ")}</td>
                <td>${game.scores.map(half).join(" – ")}</td>
                <td class="n">${game.turns}</td>
                <td>${game.reason}</td>
              </tr>`)}</tbody>
          </table>
        </div>
        ${value.pages > 1 && html`
          <div class="row buttons">
            <button type="button" disabled=${page === 1} onClick=${() => setPage(page - 1)}>earlier</button>
            <span class="soft">page ${page} of ${value.pages}</span>
            <button type="button" disabled=${page >= value.pages} onClick=${() => setPage(page + 1)}>later</button>
          </div>`}`}
    </div>`;
}

const half = (score) => (score === 0.5 ? "½" : Number.isInteger(score) ? String(score) : score.toFixed(2));
