// What a reader changed, kept in the browser (and only there) until it is reset. One entry for a
// page: the code of each changed block by the hash of its original, which the build puts in
// `data-run`; so an edit of a block that the page no longer has is not shown, and is forgotten.

export class Edits {
  constructor(page, blocks) {
    this.key = `attn-run:${page}`;
    this.watchers = [];
    const hashes = new Set(blocks.map((block) => block.dataset.run));
    const saved = this.read();
    this.codes = Object.fromEntries(Object.entries(saved).filter(([hash]) => hashes.has(hash)));
    if (Object.keys(saved).length > Object.keys(this.codes).length) this.write();
  }

  has(block) {
    return block.dataset.run in this.codes;
  }

  get(block) {
    return this.codes[block.dataset.run];
  }

  // `code` undefined: as it was.
  set(block, code) {
    if (code === undefined) delete this.codes[block.dataset.run];
    else this.codes[block.dataset.run] = code;
    this.write();
    for (const watcher of this.watchers) watcher();
  }

  watch(watcher) {
    this.watchers.push(watcher);
  }

  // A browser may refuse to store anything: then an edit lasts as long as the page.
  read() {
    try {
      return JSON.parse(localStorage.getItem(this.key)) ?? {};
    } catch {
      return {};
    }
  }

  write() {
    try {
      if (Object.keys(this.codes).length) localStorage.setItem(this.key, JSON.stringify(this.codes));
      else localStorage.removeItem(this.key);
    } catch {
      // see `read`
    }
  }
}
