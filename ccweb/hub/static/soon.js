// Something that is to be done again and again: wishes in a row are one, and one that comes while it
// is being done is fulfilled afterwards. So no older answer ever takes the place of a newer one.
import { Refusal } from "./server.js";

const RETRY_MS = 1000;

export class Soon {
  #timer = null;
  #next = null;
  #last = Promise.resolve();

  constructor(act, pause) {
    Object.assign(this, { act, pause });
  }

  wish() {
    this.#timer ??= setTimeout(() => this.now(), this.pause);
  }

  // Resolves when it has been done once from its beginning.
  now() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#next ??= this.#after(this.#last);
    this.#last = this.#next;
    return this.#last;
  }

  async #after(last) {
    await last;
    this.#next = null;
    try {
      await this.act();
    } catch (error) {
      this.#failed(error);
    }
  }

  // Nothing else would tell of what was missed; what the hub refuses, it would refuse again.
  #failed(error) {
    if (!(error instanceof Refusal)) reportError(error);
    else if (error.status < 400 || error.status >= 500) this.#timer ??= setTimeout(() => this.now(), RETRY_MS);
  }
}
