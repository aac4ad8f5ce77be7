/** The parts of a file that stay, in their order. Where everything stays, the file itself is the result. */
export class Keep {
  readonly #bytes: Buffer;
  readonly #parts: { start: number; end: number }[] = [];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  part(start: number, end: number): void {
    const last = this.#parts.at(-1);
    if (last?.end === start) last.end = end;
    else this.#parts.push({ start, end });
  }

  result(): Buffer {
    const [first, ...others] = this.#parts;
    if (first?.start === 0 && first.end === this.#bytes.length && others.length === 0) return this.#bytes;
    return Buffer.concat(this.#parts.map(({ start, end }) => this.#bytes.subarray(start, end)));
  }
}
