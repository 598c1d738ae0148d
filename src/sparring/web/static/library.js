/* The libraries of the page: preact, its hooks, and htm for elements. Other modules import them from here. */

import htm from "./vendor/htm.mjs";
import { Component, h, render } from "./vendor/preact.mjs";

export * from "./vendor/hooks.mjs";
export const html = htm.bind(h);
export { Component, render };
