import type { Duplex } from 'node:stream';

const HEADER_BYTES = 8;
/** A note contains a job with its parameters; that of a chart contains the bars. */
const MAX_NOTE_BYTES = 1024 * 1024;

/** A message between the two processes: facts as JSON, and the unchanged bytes of a file. */
export interface Frame {
  readonly note: string;
  readonly body: Buffer<ArrayBuffer>;
}

/** Thrown if the input is not a frame. Nothing that follows can be understood then. */
export class BrokenFrame extends Error {
  override readonly name = 'BrokenFrame';
}

/** The body is not copied, so it must not change until it has been written. */
export function writeFrame(pipe: Duplex, note: object, body: Uint8Array = new Uint8Array()): void {
  const text = Buffer.from(JSON.stringify(note));
  const head = Buffer.allocUnsafe(HEADER_BYTES);
  head.writeUInt32LE(text.length, 0);
  head.writeUInt32LE(body.length, 4);
  // The pipe is corked, because concatenating the buffers would copy the body.
  pipe.cork();
  pipe.write(head);
  pipe.write(text);
  if (body.length > 0) pipe.write(body);
  pipe.uncork();
}

/** Assembles frames from chunks. Each byte is copied only once, to its final place. */
export class FrameReader {
  readonly #maxBodyBytes: number;
  readonly #deliver: (frame: Frame) => void;
  #head = Buffer.allocUnsafe(HEADER_BYTES);
  #note: Buffer | undefined;
  #body: Buffer<ArrayBuffer> | undefined;
  #filled = 0;

  constructor(maxBodyBytes: number, take: (frame: Frame) => void) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#deliver = take;
  }

  /** Throws a `BrokenFrame`. */
  read(piece: Buffer): void {
    for (let at = 0; at < piece.length; ) {
      const target = this.#body ?? this.#note ?? this.#head;
      const copied = piece.copy(target, this.#filled, at);
      at += copied;
      this.#filled += copied;
      while (this.#filled === (this.#body ?? this.#note ?? this.#head).length) this.#completePart();
    }
  }

  #completePart(): void {
    this.#filled = 0;
    if (!this.#note) {
      const length = this.#head.readUInt32LE(0);
      if (length === 0 || length > MAX_NOTE_BYTES) throw new BrokenFrame(`A note of ${length} bytes.`);
      this.#note = Buffer.allocUnsafe(length);
    } else if (!this.#body) {
      const length = this.#head.readUInt32LE(4);
      if (length > this.#maxBodyBytes) throw new BrokenFrame(`A body of ${length} bytes.`);
      this.#body = Buffer.allocUnsafeSlow(length);
    } else {
      const frame = { note: this.#note.toString(), body: this.#body };
      this.#note = undefined;
      this.#body = undefined;
      this.#deliver(frame);
    }
  }
}
