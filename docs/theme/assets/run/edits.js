// What a reader changed, kept in the browser (and only there) until it is reset. One entry for a
// page: the code of each changed block by the hash of its original, which the build puts in
// `data-run`; so an edit of a block that the page no longer has is not shown, and is forgotten.

export class Edits {
  constructor(page, blocks) {
    this.key = `attn-run:${page}`;
    this.watchers = [];
    this.hashes = new Set(blocks.map((block) => block.dataset.run));
    this.codes = this.read();
    this.write(this.codes);
    addEventListener("storage", ({ key }) => {
      if (key !== this.key && key !== null) return; // null: everything was cleared
      this.codes = this.read();
      this.tell();
    });
  }

  has(block) {
    return block.dataset.run in this.codes;
  }

  get(block) {
    return this.codes[block.dataset.run];
  }

  // `code` undefined: as it was. Answers whether the browser keeps it.
  set(block, code) {
    const saved = this.read(); // another tab may have changed another block
    for (const codes of [this.codes, saved]) {
      if (code === undefined) delete codes[block.dataset.run];
      else codes[block.dataset.run] = code;
    }
    const kept = this.write(saved);
    this.tell();
    return kept;
  }

  watch(watcher) {
    this.watchers.push(watcher);
  }

  tell() {
    for (const watcher of this.watchers) watcher();
  }

  // A browser may refuse to store anything: then an edit lasts as long as the page.
  read() {
    try {
      const saved = Object.entries(JSON.parse(localStorage.getItem(this.key)) ?? {});
      return Object.fromEntries(saved.filter(([hash, code]) => this.hashes.has(hash) && typeof code === "string"));
    } catch {
      return {};
    }
  }

  write(codes) {
    try {
      if (Object.keys(codes).length) localStorage.setItem(this.key, JSON.stringify(codes));
      else localStorage.removeItem(this.key);
      return true;
    } catch {
      return false;
    }
  }
}
