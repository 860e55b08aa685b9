// The few things that a page needs a script for. Without it, everything can still be read.

keepPlace(document.querySelector(".attn-switch"));
mendSearch();
window.addEventListener("load", watchScrollBoxes);

// The language switch leads to the same page; the query and the anchor change while it is open.
function keepPlace(link) {
  if (!link) return;
  for (const press of ["click", "auxclick", "contextmenu"]) {
    link.addEventListener(press, () => {
      link.search = location.search;
      link.hash = location.hash;
    });
  }
}

// Material's search has the role of a dialog, but no name; and it listens to keys only, where
// text that is pasted, spoken or from an input method may come without any.
function mendSearch() {
  const search = document.querySelector(".md-search[role=dialog]");
  const input = search?.querySelector("input");
  if (!input) return;
  search.setAttribute("aria-label", input.getAttribute("aria-label"));
  input.addEventListener("input", () => input.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true })));
}

// A box that scrolls can be reached with the keyboard, and says what it is.
function watchScrollBoxes() {
  const labels = JSON.parse(document.getElementById("attn-labels").textContent);
  const kinds = [
    [".attn-output pre > code", labels.scroll_output],
    ["pre > code", labels.scroll_code],
    [".md-typeset__scrollwrap", labels.scroll_table],
    ["div.arithmatex", labels.scroll_formula],
    [".attn-figure", labels.scroll_figure],
  ];
  const names = new Map();
  const watcher = new ResizeObserver((entries) => {
    for (const { target } of entries) markScrollBox(target, names.get(target));
  });
  for (const [selector, name] of kinds) {
    for (const box of document.querySelectorAll(`.md-content ${selector}`)) {
      if (names.has(box)) continue;
      names.set(box, name);
      watcher.observe(box);
    }
  }
}

function markScrollBox(box, name) {
  const attributes = { tabindex: "0", role: "group", "aria-label": name };
  const scrolls = box.scrollWidth > box.clientWidth;
  for (const [attribute, value] of Object.entries(attributes)) {
    if (scrolls) box.setAttribute(attribute, value);
    else box.removeAttribute(attribute);
  }
}
