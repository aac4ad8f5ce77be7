/** The bound on file bytes in the bot's own memory. Nobody waits for it: what has no room in memory goes to the disk. */
export class Memory {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get used(): number {
    return this.#used;
  }

  tryTake(bytes: number): boolean {
    if (this.#used + bytes > this.#most) return false;
    this.#used += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#used -= bytes;
  }
}
