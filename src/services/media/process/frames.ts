import type { Duplex } from 'node:stream';

const HEADER_BYTES = 8;
/** The metadata of a frame contains a job with its parameters, and for a chart also the bars. */
const MAX_METADATA_BYTES = 1024 * 1024;

/** A message between the two processes: facts as JSON, and the unchanged bytes of a file. */
export interface Frame {
  readonly metadata: string;
  readonly body: Buffer<ArrayBuffer>;
}

/** Thrown if the input is not a frame. The rest of the stream cannot be parsed after that. */
export class BrokenFrame extends Error {
  override readonly name = 'BrokenFrame';
}

/** The body is not copied, so it must not change until it has been written. */
export function writeFrame(pipe: Duplex, metadata: object, body: Uint8Array = new Uint8Array()): void {
  const metadataBytes = Buffer.from(JSON.stringify(metadata));
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32LE(metadataBytes.length, 0);
  header.writeUInt32LE(body.length, 4);
  // The pipe is corked, because concatenating the buffers would copy the body.
  pipe.cork();
  pipe.write(header);
  pipe.write(metadataBytes);
  if (body.length > 0) pipe.write(body);
  pipe.uncork();
}

/** Assembles frames from chunks. Each byte is copied only once, to its final place. */
export class FrameReader {
  readonly #maxBodyBytes: number;
  readonly #deliver: (frame: Frame) => void;
  #header = Buffer.allocUnsafe(HEADER_BYTES);
  #metadata: Buffer | undefined;
  #body: Buffer<ArrayBuffer> | undefined;
  #filled = 0;

  constructor(maxBodyBytes: number, deliver: (frame: Frame) => void) {
    this.#maxBodyBytes = maxBodyBytes;
    this.#deliver = deliver;
  }

  /** Throws a `BrokenFrame`. */
  read(chunk: Buffer): void {
    for (let offset = 0; offset < chunk.length; ) {
      const target = this.#body ?? this.#metadata ?? this.#header;
      const copied = chunk.copy(target, this.#filled, offset);
      offset += copied;
      this.#filled += copied;
      while (this.#filled === (this.#body ?? this.#metadata ?? this.#header).length) this.#completePart();
    }
  }

  #completePart(): void {
    this.#filled = 0;
    if (!this.#metadata) {
      const length = this.#header.readUInt32LE(0);
      if (length === 0 || length > MAX_METADATA_BYTES)
        throw new BrokenFrame(`The length of the metadata is invalid: ${length} bytes.`);
      this.#metadata = Buffer.allocUnsafe(length);
    } else if (!this.#body) {
      const length = this.#header.readUInt32LE(4);
      if (length > this.#maxBodyBytes) throw new BrokenFrame(`A body is too long: ${length} bytes.`);
      this.#body = Buffer.allocUnsafeSlow(length);
    } else {
      const frame = { metadata: this.#metadata.toString(), body: this.#body };
      this.#metadata = undefined;
      this.#body = undefined;
      this.#deliver(frame);
    }
  }
}
