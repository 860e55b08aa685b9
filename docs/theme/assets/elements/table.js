// A table of numbers in which every cell can be reached: Tab enters it, the arrows move, the row's
// and the column's names light up.

import { html, nothing } from "lit-html";

// `name`: one for each table of the element. `caption`: what the table is; `captionHidden`: for a
// screen reader only. `corner`: what stands above the rows' names.
// `rows`, `columns`: the names. `cell(i, j)`: {text, share, look, label, pressed}, where
//   text     what stands in it,
//   share    0 to 1: how strongly it is filled,
//   look     a class: "hidden" (hatched), "chosen" (framed), "quiet", or your own as attn-cell-…,
//   label    what is read out; row, column and text if not given,
//   pressed  true or false for a cell that can be on or off.
// `press(i, j)`: when a cell is clicked, or Enter or the space bar is pressed on it. Without it,
// cells are plain text. `visit(i, j)`: when one gets the focus or the pointer.
export function table(host, { name, caption, captionHidden = false, corner = "", rows, columns, cell, press, visit }) {
  const cursor = (host.cursors[name] ??= { row: 0, column: 0, lit: false });
  cursor.row = Math.min(cursor.row, rows.length - 1);
  cursor.column = Math.min(cursor.column, columns.length - 1);

  const goTo = (row, column) => {
    Object.assign(cursor, { row, column, lit: true });
    visit?.(row, column);
    host.update();
  };
  const leave = () => {
    cursor.lit = false;
    host.update();
  };
  const moved = (event) => {
    const { row, column } = cursor;
    const to = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, columns.length - 1],
    }[event.key];
    if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const table = event.currentTarget;
    const rowTo = Math.max(0, Math.min(rows.length - 1, to[0]));
    const columnTo = Math.max(0, Math.min(columns.length - 1, to[1]));
    table.tBodies[0].rows[rowTo].cells[columnTo + 1].querySelector("button").focus();
  };
  const lit = (on) => (cursor.lit && on ? "attn-lit" : "");

  const inside = (row, column) => {
    const { text, share, look, label, pressed } = cell(row, column);
    const classes = look ? `attn-cell attn-cell-${look}` : "attn-cell";
    const style = share === undefined ? nothing : `--share: ${share}`;
    if (!press) return html`<div class=${classes} style=${style}>${text}</div>`;
    return html`<button
      type="button"
      class=${classes}
      style=${style}
      tabindex=${row === cursor.row && column === cursor.column ? 0 : -1}
      aria-label=${label ?? `${rows[row]}, ${columns[column]}: ${text}`}
      aria-pressed=${pressed ?? nothing}
      @click=${() => press(row, column)}
      @focus=${() => goTo(row, column)}
      @pointerenter=${() => goTo(row, column)}
    >${text}</button>`;
  };

  const captionId = `${host.key}-${name}`;
  return html`
    <p class=${captionHidden ? "attn-unseen" : "attn-caption"} id=${captionId}>${caption}</p>
    <div class="attn-scroll">
      <table
        class="attn-table"
        role=${press ? "grid" : nothing}
        aria-labelledby=${captionId}
        @keydown=${press ? moved : nothing}
        @focusout=${press ? leave : nothing}
        @pointerleave=${press ? leave : nothing}
      >
        <thead>
          <tr>
            <td class="attn-corner">${corner}</td>
            ${columns.map((text, j) => html`<th scope="col" class=${lit(j === cursor.column)}>${text}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (text, i) => html`<tr>
              <th scope="row" class=${lit(i === cursor.row)}>${text}</th>
              ${columns.map((_, j) => html`<td>${inside(i, j)}</td>`)}
            </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}
