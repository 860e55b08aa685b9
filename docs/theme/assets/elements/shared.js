// What the elements share: one script, loaded once by a page that has any of them. An element
// imports from here; a module that only one element uses is imported by that element itself.

export { html, nothing, svg } from "lit-html";
export { keyed } from "lit-html/directives/keyed.js";
export { live } from "lit-html/directives/live.js";
export * as attention from "./attention.js";
export { button, choose, slider, tick } from "./controls.js";
export { AttnElement, define } from "./element.js";
export { decimal, fill, fraction, listing, number, percent, sentences, shares, vector } from "./format.js";
export { choice, digits, flag, flags, numbers, order, whole } from "./state.js";
export { table } from "./table.js";
