import type { Duplex } from 'node:stream';

const HEAD_BYTES = 8;
/** A note names a job and its facts; a chart's note holds its bars. */
const MOST_NOTE_BYTES = 1024 * 1024;

/** What the two processes say to each other: a few facts as JSON, and the bytes of a file as they are. */
export interface Frame {
  readonly note: string;
  readonly body: Buffer<ArrayBuffer>;
}

/** The other side said something that cannot be a frame: nothing after it can be understood. */
export class BrokenFrame extends Error {
  override readonly name = 'BrokenFrame';
}

/** The body is not copied: it must stay as it is until it has been written. */
export function writeFrame(pipe: Duplex, note: object, body: Uint8Array = new Uint8Array()): void {
  const text = Buffer.from(JSON.stringify(note));
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32LE(text.length, 0);
  head.writeUInt32LE(body.length, 4);
  // Written together and not joined, which would copy the body.
  pipe.cork();
  pipe.write(head);
  pipe.write(text);
  if (body.length > 0) pipe.write(body);
  pipe.uncork();
}

/** Puts frames together from pieces; each byte is copied once, to where it stays. */
export class FrameReader {
  readonly #mostBodyBytes: number;
  readonly #take: (frame: Frame) => void;
  #head = Buffer.allocUnsafe(HEAD_BYTES);
  #note: Buffer | undefined;
  #body: Buffer<ArrayBuffer> | undefined;
  #filled = 0;

  constructor(mostBodyBytes: number, take: (frame: Frame) => void) {
    this.#mostBodyBytes = mostBodyBytes;
    this.#take = take;
  }

  /** Throws a `BrokenFrame`. */
  read(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      const target = this.#body ?? this.#note ?? this.#head;
      const copied = piece.copy(target, this.#filled, at);
      at += copied;
      this.#filled += copied;
      while (this.#filled === (this.#body ?? this.#note ?? this.#head).length) this.#goOn();
    }
  }

  #goOn(): void {
    this.#filled = 0;
    if (!this.#note) {
      const length = this.#head.readUInt32LE(0);
      if (length === 0 || length > MOST_NOTE_BYTES) throw new BrokenFrame(`A note of ${length} bytes.`);
      this.#note = Buffer.allocUnsafe(length);
    } else if (!this.#body) {
      const length = this.#head.readUInt32LE(4);
      if (length > this.#mostBodyBytes) throw new BrokenFrame(`A body of ${length} bytes.`);
      this.#body = Buffer.allocUnsafeSlow(length);
    } else {
      const frame = { note: this.#note.toString(), body: this.#body };
      this.#note = undefined;
      this.#body = undefined;
      this.#take(frame);
    }
  }
}
