import { EventError } from './event-error.ts';
import { PCM_RATE, type Pcm } from './pcm.ts';

/** The maximum length of the base64 text in one event. */
const MAX_EVENT_LENGTH = 15 * 1024 * 1024;
const BYTES_PER_SAMPLE = 2;
/** The maximum duration of uncommitted audio. */
const MAX_SECONDS = 600;
/** The shortest audio that can be committed. */
const MIN_COMMIT_MS = 100;

/** The audio input that has not been committed yet. */
export class InputBuffer {
  #chunks: Buffer[] = [];
  #bytes = 0;

  get ms(): number {
    return (this.#bytes / BYTES_PER_SAMPLE / PCM_RATE) * 1_000;
  }

  append(base64: string): Buffer {
    const reject = (message: string) => {
      throw new EventError(message, { code: 'invalid_value', param: 'audio' });
    };
    if (base64.length > MAX_EVENT_LENGTH)
      reject(`Invalid 'audio': an event can contain at most ${MAX_EVENT_LENGTH} bytes.`);
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) reject("Invalid 'audio'. Expected base64-encoded audio bytes.");
    const chunk = Buffer.from(base64, 'base64');
    if (this.#bytes + chunk.length > MAX_SECONDS * PCM_RATE * BYTES_PER_SAMPLE)
      reject(`The input audio buffer holds at most ${MAX_SECONDS} seconds: commit or clear it.`);
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    return chunk;
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  take(): Pcm {
    if (this.ms < MIN_COMMIT_MS) {
      throw new EventError(
        `Error committing input audio buffer: buffer too small. Expected at least ${MIN_COMMIT_MS}ms of audio, but buffer only has ${this.ms.toFixed(2)}ms of audio.`,
        { code: 'input_audio_buffer_commit_empty' },
      );
    }
    const samples = samplesFrom(Buffer.concat(this.#chunks));
    this.clear();
    return samples;
  }
}

/** Drops an odd last byte, which is half a sample. */
export function samplesFrom(bytes: Buffer): Pcm {
  const samples = new Int16Array(Math.floor(bytes.length / BYTES_PER_SAMPLE));
  for (let index = 0; index < samples.length; index++) samples[index] = bytes.readInt16LE(index * BYTES_PER_SAMPLE);
  return samples;
}

export function bytesOf(samples: Pcm): Buffer {
  const bytes = Buffer.allocUnsafe(samples.length * BYTES_PER_SAMPLE);
  for (let index = 0; index < samples.length; index++)
    bytes.writeInt16LE(samples[index] ?? 0, index * BYTES_PER_SAMPLE);
  return bytes;
}
