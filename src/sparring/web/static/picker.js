/* Fields for an agent and for the options of a game. */

import { get } from "./api.js";
import { html, useState } from "./library.js";
import { useAnswer } from "./components.js";

export const PERSON = "person";
const TIMES = [0.1, 0.3, 1, 3, 5];
const OTHER = "other …";

let userFiles = null;

/** Forgets the user's files, after one was saved. */
export const filesChanged = () => { userFiles = null; };

/** Agents and heuristics of the user's files, as specs. */
function useUserSpecs() {
  const { value } = useAnswer(() => (userFiles ??= get("files").catch(() => ({ files: [] }))), []);
  const declared = ({ name, heuristics, agents }) => [...heuristics, ...agents].map((one) => `${name}:${one}`);
  return (value?.files ?? []).flatMap(declared);
}

/** Whether a spec has a budget of its own. */
const hasBudget = (spec) => /\b(time|nodes|depth|iterations|evolutions|samples|games)=/.test(spec);

/** The fields of an agent in a request. */
export const agentFields = ({ spec, seconds }) => (seconds && !hasBudget(spec) ? { agent: spec, seconds } : { agent: spec });

const Choices = ({ label, specs }) => specs.length > 0 && html`
  <optgroup label=${label}>${specs.map(({ spec, about }) => html`
    <option key=${spec} value=${spec} title=${about}>${spec}</option>`)}</optgroup>`;

/**
 * A field for an agent, {spec, seconds}, from a list or as text.
 * @param person  true if a person may be chosen
 * @param timed   true if the time for a move may be set
 */
export function AgentPicker({ info, value, onChange, label, person = false, timed = true }) {
  const [free, setFree] = useState(false);
  const files = useUserSpecs().map((spec) => ({ spec }));
  const known = [...info.agents, ...files].some(({ spec }) => spec === value.spec) || (person && value.spec === PERSON);
  const typed = free || !known;
  const pick = ({ target }) => {
    setFree(target.value === OTHER);
    if (target.value !== OTHER) onChange({ ...value, spec: target.value });
  };
  const write = ({ target }) => target.value.trim() && onChange({ ...value, spec: target.value.trim() });
  return html`
    <div class="picker">
      <select aria-label=${label} value=${typed ? OTHER : value.spec} onChange=${pick}>
        ${person && html`<option value=${PERSON}>a person</option>`}
        <${Choices} label="Agents" specs=${info.agents} />
        <${Choices} label="Your files" specs=${files} />
        <option value=${OTHER}>${OTHER}</option>
      </select>
      ${typed && html`
        <input type="text" class="code" aria-label=${`${label}: spec`} spellcheck="false" autocapitalize="off"
          value=${value.spec === PERSON ? "" : value.spec} onChange=${write}
          placeholder=${`${info.best},nodes=20000`} />`}
      ${timed && value.spec !== PERSON && html`<${Clock} value=${value} onChange=${onChange} label=${label} />`}
    </div>`;
}

function Clock({ value, onChange, label }) {
  const fixed = hasBudget(value.spec);
  const set = ({ target }) => onChange({ ...value, seconds: Number(target.value) || null });
  return html`
    <select class="time" aria-label=${`${label}: time a move`} disabled=${fixed} onChange=${set}
      value=${fixed ? "" : String(value.seconds ?? "")}>
      <option value="">own</option>
      ${TIMES.map((time) => html`<option key=${time} value=${String(time)}>${time} s</option>`)}
    </select>`;
}

/** The options of a game as a form. `values` has the options that differ from their defaults. */
export function Options({ info, values, onChange }) {
  const set = ({ name, default: usual }, text) => {
    const rest = Object.fromEntries(Object.entries(values).filter(([other]) => other !== name));
    onChange(text === usual ? rest : { ...rest, [name]: text });
  };
  const field = (option) => {
    const value = values[option.name] ?? option.default;
    const changed = ({ target }) => set(option, target.value.trim());
    if (!option.values) return html`<input type="text" value=${value} onChange=${changed} />`;
    return html`
      <select value=${value} onChange=${changed}>
        ${option.values.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}
      </select>`;
  };
  return html`
    <div class="options">${info.options.map((option) => html`
      <label key=${option.name} title=${option.about}>${option.name.replaceAll("_", " ")} ${field(option)}</label>`)}
    </div>`;
}
