// Controls with which a reader changes a figure. Each is the browser's own, so that keyboard and
// screen reader work as everywhere. `host` is the element.

import { html, nothing } from "lit-html";
import { live } from "lit-html/directives/live.js";

// `pressed`: for a button that stays down. `label`: where the text alone would not say it.
export const button = (text, press, { pressed, label, primary = false, disabled = false } = {}) => html`
  <button
    type="button"
    class="attn-button ${primary ? "attn-primary" : ""}"
    aria-pressed=${pressed ?? nothing}
    aria-label=${label ?? nothing}
    aria-disabled=${disabled || nothing}
    @click=${() => !disabled && press()}
  >
    ${text}
  </button>
`;

// One of several. `options`: [value, text] each.
export const choose = (host, { name, legend, options, pick, value = host.state[name] }) => html`
  <fieldset class="attn-choose">
    <legend>${legend}</legend>
    ${options.map(
      ([option, text]) => html`
        <label>
          <input
            type="radio"
            name="${host.key}-${name}"
            value=${option}
            .checked=${live(option === value)}
            @change=${() => pick(option)}
          />
          <span>${text}</span>
        </label>
      `,
    )}
  </fieldset>
`;

// A number from a range. `text` is what stands beside it, and is announced, in place of the number.
export const slider = ({ label, least, most, value, step = 1, text = `${value}`, move }) => html`
  <label class="attn-slider">
    <span>${label}</span>
    <span class="attn-value" aria-hidden="true">${text}</span>
    <input
      type="range"
      min=${least}
      max=${most}
      step=${step}
      aria-valuetext=${text}
      .value=${live(`${value}`)}
      @input=${(event) => move(Number(event.target.value))}
    />
  </label>
`;

// On or off.
export const tick = ({ label, value, flip }) => html`
  <label class="attn-tick">
    <input type="checkbox" .checked=${live(value)} @change=${(event) => flip(event.target.checked)} />
    <span>${label}</span>
  </label>
`;
