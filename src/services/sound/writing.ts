import { PCM_RATE, type Pcm } from '../../lib/pcm.ts';
import type { WriteJob, WriteResult } from './job.ts';
import type { SpokenMessage, VoiceWriter } from './sound.ts';

/** Two seconds, some thirty milliseconds of work: then it is another voice's turn. */
const MOST_AT_ONCE = 2 * PCM_RATE;

interface WritingParts {
  /** Throws where there is no room for so much more of it. */
  admit(writing: Writing, samples: number): void;
  leave(writing: Writing): void;
  /** The lower the rank when its turn could come, the sooner it comes. */
  run(job: WriteJob, rank: () => number): Promise<WriteResult>;
}

/** One voice on its way to the worker: what comes while a piece of it is written waits, and then goes together. */
export class Writing implements VoiceWriter {
  readonly #number: number;
  readonly #most: number;
  readonly #parts: WritingParts;
  #pieces: Pcm[] = [];
  #heard = 0;
  #sent = 0;
  #waiting = 0;
  #isCut = false;
  #isWhole = false;
  /** What came of it; nothing more is done for it then. */
  #end: { message: SpokenMessage } | { error: unknown } | undefined;
  /** Its steps, in a row: it has one job at a time. */
  #work: Promise<void> = Promise.resolve();

  constructor(number: number, most: number, parts: WritingParts) {
    this.#number = number;
    this.#most = most;
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#heard === 0;
  }

  /** Samples that have not been written yet. */
  get waiting(): number {
    return this.#waiting;
  }

  add(pcm: Pcm): void {
    const kept = pcm.subarray(0, this.#most - this.#heard);
    if (kept.length < pcm.length) this.#isCut = true;
    this.#heard += kept.length;
    if (kept.length === 0 || this.#end) return;
    try {
      this.#parts.admit(this, kept.length);
    } catch (error) {
      this.#giveUp(error);
      return;
    }
    this.#pieces.push(kept);
    this.#waiting += kept.length;
    this.#work = this.#work.then(() => this.#write());
  }

  async finish(): Promise<SpokenMessage> {
    if (this.isEmpty) throw new Error('There is nothing to say in no samples.');
    this.#isWhole = true;
    this.#work = this.#work.then(() => this.#write());
    await this.#work;
    if (this.#end && 'message' in this.#end) return this.#end.message;
    throw this.#end?.error;
  }

  drop(): void {
    if (!this.#end) this.#giveUp(new Error('A voice was dropped.'));
  }

  async #write(): Promise<void> {
    try {
      while (!this.#end && (this.#pieces.length > 0 || this.#isWhole)) await this.#writePiece();
    } catch (error) {
      this.#conclude({ error });
    }
  }

  async #writePiece(): Promise<void> {
    const pcm = this.#taken();
    const { length } = pcm;
    const isLast = this.#isWhole && this.#pieces.length === 0;
    const from = this.#sent;
    this.#sent += length;
    const { bytes, waveform = '' } = await this.#run({ do: 'go on', voice: this.#number, from, pcm, isLast });
    this.#waiting = Math.max(0, this.#waiting - length);
    if (!bytes) return;
    const seconds = this.#sent / PCM_RATE;
    this.#conclude({ message: { bytes: Buffer.from(bytes), seconds, waveform, isCut: this.#isCut } });
  }

  #run(job: WriteJob): Promise<WriteResult> {
    return this.#parts.run(job, () => this.#waiting);
  }

  /** The oldest of what waits, in an array of its own, for it is handed over. */
  #taken(): Int16Array<ArrayBuffer> {
    const taken = new Int16Array(Math.min(MOST_AT_ONCE, this.#waiting));
    for (let at = 0; at < taken.length; ) {
      const [piece = taken] = this.#pieces;
      const part = piece.subarray(0, taken.length - at);
      taken.set(part, at);
      at += part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    return taken;
  }

  /** The worker lets go of it too, unless it never heard of it. */
  #giveUp(error: unknown): void {
    this.#end = { error };
    this.#pieces = [];
    this.#waiting = 0;
    const leave = (): void => this.#parts.leave(this);
    const dropped = async (): Promise<void> => {
      if (this.#sent > 0) await this.#run({ do: 'drop', voice: this.#number });
    };
    // A worker that cannot be told any more has lost it anyway.
    this.#work = this.#work.then(dropped).then(leave, leave);
  }

  #conclude(end: { message: SpokenMessage } | { error: unknown }): void {
    if (this.#end) return;
    this.#end = end;
    this.#pieces = [];
    this.#parts.leave(this);
  }
}
