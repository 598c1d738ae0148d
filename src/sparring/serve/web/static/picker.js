/* Choosing an agent and a game's options. */

import { get } from "./api.js";
import { html, useState } from "./library.js";
import { useAnswer } from "./parts.js";

export const PERSON = "person";
export const TIMES = [0.1, 0.3, 1, 3, 5];
const OTHER = "other …";

let own = null;

/** A file was saved: who is in it is asked for again. */
export const filesChanged = () => { own = null; };

/** Agents and heuristics of the user's own files, as specs. */
function useOwn() {
  const { value } = useAnswer(() => (own ??= get("files").catch(() => ({ files: [] }))), []);
  return (value?.files ?? []).flatMap((file) => [...file.heuristics, ...file.agents].map((name) => `${file.name}:${name}`));
}

/** Whether a spec says itself how long it thinks. */
const budgeted = (spec) => /\b(time|nodes|depth|iterations|evolutions|samples|games)=/.test(spec);

/**
 * Who plays: {spec, seconds}, from a list or as free text.
 * @param person  whether a person may be chosen
 * @param timed   whether there is a clock to set
 */
export function AgentPicker({ info, value, onChange, label, person = false, timed = true }) {
  const own = useOwn();
  const known = [...(person ? [PERSON] : []), ...info.agents.map((agent) => agent.spec), ...own];
  const [free, setFree] = useState(false);
  const typed = free || !known.includes(value.spec);
  const pick = (event) => {
    const spec = event.target.value;
    setFree(spec === OTHER);
    if (spec !== OTHER) onChange({ ...value, spec });
  };
  return html`
    <div class="picker">
      <select aria-label=${label} value=${typed ? OTHER : value.spec} onChange=${pick}>
        ${person && html`<option value=${PERSON}>a person</option>`}
        <optgroup label="Agents">${info.agents.map((agent) => html`<option key=${agent.spec} value=${agent.spec} title=${agent.about}>${agent.spec}</option>`)}</optgroup>
        ${own.length > 0 && html`<optgroup label="Your files">${own.map((spec) => html`<option key=${spec} value=${spec}>${spec}</option>`)}</optgroup>`}
        <option value=${OTHER}>${OTHER}</option>
      </select>
      ${typed && html`<input type="text" class="code" aria-label=${`${label}: spec`} spellcheck="false" autocapitalize="off" value=${value.spec === PERSON ? "" : value.spec}
        placeholder=${`${info.best},nodes=20000`} onChange=${(event) => event.target.value.trim() && onChange({ ...value, spec: event.target.value.trim() })} />`}
      ${timed && value.spec !== PERSON && html`<select class="time" aria-label=${`${label}: time a move`} disabled=${budgeted(value.spec)}
        value=${budgeted(value.spec) ? "" : String(value.seconds ?? "")} onChange=${(event) => onChange({ ...value, seconds: Number(event.target.value) || null })}>
        <option value="">own time</option>
        ${TIMES.map((time) => html`<option key=${time} value=${String(time)}>${time} s</option>`)}
      </select>`}
    </div>`;
}

/** What `/api/decide` and others are told of a choice. */
export const asked = ({ spec, seconds }) => (seconds && !budgeted(spec) ? { agent: spec, seconds } : { agent: spec });

/** The options of a game as a form; `values` holds those that differ from their defaults. */
export function Options({ info, values, onChange }) {
  const set = (option, text) => {
    const rest = Object.fromEntries(Object.entries(values).filter(([name]) => name !== option.name));
    onChange(text === String(option.default) ? rest : { ...rest, [option.name]: text });
  };
  return html`<div class="options">${info.options.map((option) => html`
    <label key=${option.name} title=${option.about}>${option.name.replaceAll("_", " ")}
      ${option.values
        ? html`<select value=${values[option.name] ?? String(option.default)} onChange=${(event) => set(option, event.target.value)}>
            ${option.values.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>`
        : html`<input type="text" value=${values[option.name] ?? String(option.default)} onChange=${(event) => set(option, event.target.value.trim())} />`}
    </label>`)}</div>`;
}
