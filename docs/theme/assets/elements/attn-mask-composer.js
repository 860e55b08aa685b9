import { AttnElement, define, html } from "./shared.js";
class X extends AttnElement { static words={zh:{title:"a"},en:{title:"b"}}; fields(){return {}} view(){return html`<p>x</p>`}}
define("mask-composer", X);
