// Something that is to be done again and again: wishes in a row are one, and one that comes while it
// is being done is fulfilled afterwards. So no older answer ever takes the place of a newer one.
export class Soon {
  #timer = null;
  #running = null;
  #again = false;

  constructor(act, pause) {
    Object.assign(this, { act, pause });
  }

  wish() {
    this.#timer ??= setTimeout(() => this.now(), this.pause);
  }

  // Resolves when it has been done once more.
  async now() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#again = true;
    this.#running ??= this.#run();
    await this.#running;
  }

  async #run() {
    try {
      while (this.#again) {
        this.#again = false;
        await this.act();
      }
    } finally {
      this.#running = null;
    }
  }
}
