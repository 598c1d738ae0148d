/* What the page is written in: preact, its hooks, and htm for elements. Other modules know no vendor file. */

import htm from "./vendor/htm.mjs";
import { Component, h, render } from "./vendor/preact.mjs";

export * from "./vendor/hooks.mjs";
export const html = htm.bind(h);
export { Component, render };
