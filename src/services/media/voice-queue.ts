import { z } from 'zod';
import { PCM_RATE, type Pcm } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import { memoryContent } from './content.ts';
import type { MediaProcess } from './media-process.ts';
import { type Job, JobLost } from './process/jobs.ts';

export interface VoiceMessage {
  /** Ogg Opus. */
  bytes: Buffer;
  seconds: number;
  /** One byte per column, in base64. */
  waveform: string;
  /** Whether the audio was longer than the limit and was truncated. */
  isTruncated: boolean;
}

/** The caller must either finish the voice message or drop it. */
export type VoiceWriter = Pick<QueuedVoiceMessage, 'isEmpty' | 'add' | 'finish' | 'drop'>;
/** Two seconds of audio take about thirty milliseconds to encode; then another voice message gets a turn. */
const MAX_PIECE_LENGTH = 2 * PCM_RATE;

/** The job with the last piece returns the whole file and its waveform. `isUnchanged`, as for images, means that a job returned no output. */
const writeResultSchema = z.object({ waveform: z.string().optional(), isUnchanged: z.boolean() });

type VoiceJob = Extract<Job, { voice: number }>;

/** A voice message that is being encoded. It uses no resources until its first sample arrives. Samples that arrive during a job are sent together. */
export class QueuedVoiceMessage {
  readonly #number: number;
  readonly #maxSamples: number;
  readonly #queue: VoiceQueue;
  #pieces: Pcm[] = [];
  #acceptedSamples = 0;
  #sentSamples = 0;
  /** Samples that are not encoded yet. */
  waitingSamples = 0;
  #isTruncated = false;
  #isComplete = false;
  /** The result. Once it is set, no more audio is encoded. */
  #outcome: { message: VoiceMessage } | { error: unknown } | undefined;
  /** The chain of pending writes, which run one at a time, because a voice message can have only one job at a time. */
  #work: Promise<void> = Promise.resolve();

  constructor(number: number, maxSamples: number, queue: VoiceQueue) {
    this.#number = number;
    this.#maxSamples = maxSamples;
    this.#queue = queue;
  }

  get isEmpty(): boolean {
    return this.#acceptedSamples === 0;
  }

  /** Never throws: `finish` reports failures. The caller must not modify the samples afterwards, because they may not be encoded until later. */
  add(pcm: Pcm): void {
    const accepted = pcm.subarray(0, this.#maxSamples - this.#acceptedSamples);
    if (accepted.length < pcm.length) this.#isTruncated = true;
    this.#acceptedSamples += accepted.length;
    if (accepted.length === 0 || this.#outcome) return;
    try {
      this.#queue.admit(this, accepted.length);
    } catch (error) {
      this.#abandon(error);
      return;
    }
    this.#pieces.push(accepted);
    this.waitingSamples += accepted.length;
    this.#work = this.#work.then(() => this.#write());
  }

  /** Throws if there were no samples, or if they could not be encoded. */
  async finish(): Promise<VoiceMessage> {
    if (this.isEmpty) throw new Error('A voice message needs at least one sample.');
    this.#isComplete = true;
    this.#work = this.#work.then(() => this.#write());
    await this.#work;
    if (this.#outcome && 'message' in this.#outcome) return this.#outcome.message;
    throw this.#outcome?.error;
  }

  /** Does nothing once the voice message is finished or has failed. */
  drop(): void {
    if (!this.#outcome) this.#abandon(new Error('The voice message was dropped.'));
  }

  async #write(): Promise<void> {
    try {
      while (!this.#outcome && (this.#pieces.length > 0 || this.#isComplete)) await this.#writePiece();
    } catch (error) {
      this.#conclude({ error });
    }
  }

  async #writePiece(): Promise<void> {
    const pcm = this.#nextPiece();
    const { length } = pcm;
    const isLast = this.#isComplete && this.#pieces.length === 0;
    const from = this.#sentSamples;
    this.#sentSamples += length;
    const job = { do: 'write-voice', voice: this.#number, from, isLast } as const;
    const { facts, bytes } = await this.#queue.run(this, job, Buffer.from(pcm.buffer));
    this.waitingSamples = Math.max(0, this.waitingSamples - length);
    if (facts.isUnchanged) return;
    const { waveform = '' } = facts;
    this.#conclude({
      message: { bytes, seconds: this.#sentSamples / PCM_RATE, waveform, isTruncated: this.#isTruncated },
    });
  }

  /** The oldest waiting samples, copied into a new array, because the array's entire underlying buffer is sent. */
  #nextPiece(): Int16Array<ArrayBuffer> {
    const samples = new Int16Array(Math.min(MAX_PIECE_LENGTH, this.waitingSamples));
    for (let offset = 0; offset < samples.length; ) {
      const [piece = samples] = this.#pieces;
      const part = piece.subarray(0, samples.length - offset);
      samples.set(part, offset);
      offset += part.length;
      if (part.length === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(part.length);
    }
    return samples;
  }

  /** Abandons the voice message, and tells the media process to do the same if it has received any of it. */
  #abandon(error: unknown): void {
    this.#outcome = { error };
    this.#pieces = [];
    this.waitingSamples = 0;
    const unregister = (): void => this.#queue.unregister(this);
    const dropInProcess = async (): Promise<void> => {
      if (this.#sentSamples > 0) await this.#queue.run(this, { do: 'drop-voice', voice: this.#number });
    };
    // A media process that can no longer be reached has lost the voice message anyway.
    this.#work = this.#work.then(dropInProcess).then(unregister, unregister);
  }

  #conclude(outcome: { message: VoiceMessage } | { error: unknown }): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    this.#pieces = [];
    this.#queue.unregister(this);
  }
}

/** In the media process, each voice message has an encoder, its waveform and its file so far, which take half a megabyte plus 4 KB per second. */
const MAX_OPEN_MESSAGES = 200;
/** The maximum number of samples waiting across all voice messages, about 86 MB. They take half a minute to encode, the longest that anyone waits. */
const MAX_WAITING_SAMPLES = 30 * 60 * PCM_RATE;
/** One job runs, and the next one is sent ahead so that the media process never idles. */
const MAX_RUNNING_JOBS = 2;

/**
 * Encodes all voice messages, which take turns. The one with the fewest waiting samples goes first, so that under overload most of them
 * are ready as soon as their audio ends instead of all being late, and one that receives many samples at once does not delay the others.
 */
export class VoiceQueue {
  readonly #process: MediaProcess;
  readonly #openMessages = new Set<QueuedVoiceMessage>();
  readonly #turns: { readonly message: QueuedVoiceMessage; begin(): void }[] = [];
  /** Set while the process is kept alive, because a pause in a voice message must not lose the earlier part, which only the process has. */
  #releaseProcess: (() => void) | undefined;
  #runningJobs = 0;
  #messageCount = 0;
  #isClosed = false;

  constructor(process: MediaProcess) {
    this.#process = process;
  }

  begin(maxSeconds: number): QueuedVoiceMessage {
    this.#messageCount += 1;
    return new QueuedVoiceMessage(this.#messageCount, maxSeconds * PCM_RATE, this);
  }

  close(): void {
    this.#isClosed = true;
    for (const turn of this.#turns.splice(0)) turn.begin();
  }

  /** The more samples of a voice message are waiting, the later its turn comes. */
  async run(message: QueuedVoiceMessage, job: VoiceJob, bytes?: Buffer) {
    if (this.#runningJobs >= MAX_RUNNING_JOBS && !this.#isClosed) {
      await new Promise<void>((begin) => this.#turns.push({ message, begin }));
    }
    if (this.#isClosed) throw new Refusal('refusals.stopping');
    this.#runningJobs++;
    try {
      return await this.#process.run(job, writeResultSchema, { input: bytes && memoryContent(bytes) });
    } catch (error) {
      throw error instanceof JobLost && error.reason === 'closed' ? new Refusal('refusals.stopping') : error;
    } finally {
      this.#runningJobs--;
      const waitingCounts = this.#turns.map((turn) => turn.message.waitingSamples);
      this.#turns.splice(waitingCounts.indexOf(Math.min(...waitingCounts)), 1)[0]?.begin();
    }
  }

  admit(message: QueuedVoiceMessage, samples: number): void {
    const waitingSamples = this.#openMessages.values().reduce((sum, other) => sum + other.waitingSamples, samples);
    const isNew = !this.#openMessages.has(message);
    if (waitingSamples > MAX_WAITING_SAMPLES || (isNew && this.#openMessages.size >= MAX_OPEN_MESSAGES))
      throw new Refusal('refusals.audioBusy');
    this.#openMessages.add(message);
    this.#releaseProcess ??= this.#process.keepAlive();
  }

  unregister(message: QueuedVoiceMessage): void {
    this.#openMessages.delete(message);
    if (this.#openMessages.size > 0) return;
    this.#releaseProcess?.();
    this.#releaseProcess = undefined;
  }
}
