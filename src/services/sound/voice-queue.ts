import { z } from 'zod';
import { PCM_RATE, type Pcm } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import { memoryContent } from '../media/content.ts';
import { type Job, JobLost } from '../media-process/jobs.ts';
import type { MediaProcess } from '../media-process/media-process.ts';

export interface VoiceMessage {
  /** Ogg Opus. */
  bytes: Buffer;
  seconds: number;
  /** One byte per column, in base64. */
  waveform: string;
  /** Whether the audio was longer than the limit and was truncated. */
  isTruncated: boolean;
}

/** The caller must either finish the voice or drop it. */
export type VoiceWriter = Pick<QueuedVoice, 'isEmpty' | 'add' | 'finish' | 'drop'>;
/** Two seconds of audio take about thirty milliseconds to encode; then another voice gets a turn. */
const MAX_PIECE_LENGTH = 2 * PCM_RATE;

/** The job with the last piece returns the whole file and its waveform. */
const writeFacts = z.object({ waveform: z.string().optional(), isUnchanged: z.boolean() });

type VoiceJob = Extract<Job, { voice: number }>;

/** A voice that is being encoded. It costs nothing before its first sample; samples that arrive during a job are sent together. */
export class QueuedVoice {
  readonly #number: number;
  readonly #max: number;
  readonly #queue: VoiceQueue;
  #pieces: Pcm[] = [];
  #acceptedSamples = 0;
  #sentSamples = 0;
  /** Samples that are not encoded yet. */
  waitingSamples = 0;
  #isTruncated = false;
  #isComplete = false;
  /** The result. Once it is set, nothing more is done. */
  #outcome: { message: VoiceMessage } | { error: unknown } | undefined;
  /** The steps, one after another, because a voice has only one job at a time. */
  #work: Promise<void> = Promise.resolve();

  constructor(number: number, max: number, queue: VoiceQueue) {
    this.#number = number;
    this.#max = max;
    this.#queue = queue;
  }

  get isEmpty(): boolean {
    return this.#acceptedSamples === 0;
  }

  /** Never throws: `finish` reports failures. The samples must not change from now on, because they may have to wait. */
  add(pcm: Pcm): void {
    const accepted = pcm.subarray(0, this.#max - this.#acceptedSamples);
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

  /** Does nothing once the voice has ended. */
  drop(): void {
    if (!this.#outcome) this.#abandon(new Error('A voice was dropped.'));
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

  /** The oldest waiting samples, in a separate array, because it is transferred. */
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

  /** Gives up the voice, also in the worker if the worker has received any of it. */
  #abandon(error: unknown): void {
    this.#outcome = { error };
    this.#pieces = [];
    this.waitingSamples = 0;
    const unregister = (): void => this.#queue.unregister(this);
    const dropInWorker = async (): Promise<void> => {
      if (this.#sentSamples > 0) await this.#queue.run(this, { do: 'drop-voice', voice: this.#number });
    };
    // A worker that can no longer be reached has lost the voice anyway.
    this.#work = this.#work.then(dropInWorker).then(unregister, unregister);
  }

  #conclude(end: { message: VoiceMessage } | { error: unknown }): void {
    if (this.#outcome) return;
    this.#outcome = end;
    this.#pieces = [];
    this.#queue.unregister(this);
  }
}

/** In the worker, each voice has an encoder, its waveform and its file so far, which take half a megabyte plus 4 KB per second. */
const MAX_VOICES = 200;
/** The most waiting samples of all voices, about 86 MB. They take half a minute to encode, and no one waits longer than that. */
const MAX_WAITING_SAMPLES = 30 * 60 * PCM_RATE;
/** The next job is already sent while another one runs. */
const MAX_RUNNING_JOBS = 2;

/**
 * Encodes all voices in turns. The one with the fewest waiting samples goes first, so that under overload most voices are
 * finished as soon as they end instead of all being late, and a voice with many samples at once does not delay the others.
 */
export class VoiceQueue {
  readonly #process: MediaProcess;
  readonly #openVoices = new Set<QueuedVoice>();
  readonly #turns: { readonly voice: QueuedVoice; begin(): void }[] = [];
  /** Keeps the process alive, because a pause in a voice must not lose the earlier part, which only the process has. */
  #releaseProcess: (() => void) | undefined;
  #runningJobs = 0;
  #voiceCount = 0;
  #isClosed = false;

  constructor(process: MediaProcess) {
    this.#process = process;
  }

  begin(maxSeconds: number): QueuedVoice {
    this.#voiceCount += 1;
    return new QueuedVoice(this.#voiceCount, maxSeconds * PCM_RATE, this);
  }

  close(): void {
    this.#isClosed = true;
    for (const turn of this.#turns.splice(0)) turn.begin();
  }

  /** The more samples of a voice are waiting, the later its turn comes. */
  async run(voice: QueuedVoice, job: VoiceJob, bytes?: Buffer) {
    if (this.#runningJobs >= MAX_RUNNING_JOBS && !this.#isClosed) {
      await new Promise<void>((begin) => this.#turns.push({ voice, begin }));
    }
    if (this.#isClosed) throw new Refusal('refusals.stopping');
    this.#runningJobs++;
    try {
      return await this.#process.run(job, writeFacts, { input: bytes && memoryContent(bytes) });
    } catch (error) {
      throw error instanceof JobLost && error.reason === 'closed' ? new Refusal('refusals.stopping') : error;
    } finally {
      this.#runningJobs--;
      const waitingCounts = this.#turns.map((turn) => turn.voice.waitingSamples);
      this.#turns.splice(waitingCounts.indexOf(Math.min(...waitingCounts)), 1)[0]?.begin();
    }
  }

  admit(voice: QueuedVoice, samples: number): void {
    const waitingSamples = this.#openVoices.values().reduce((sum, other) => sum + other.waitingSamples, samples);
    const isNew = !this.#openVoices.has(voice);
    if (waitingSamples > MAX_WAITING_SAMPLES || (isNew && this.#openVoices.size >= MAX_VOICES))
      throw new Refusal('refusals.audioBusy');
    this.#openVoices.add(voice);
    this.#releaseProcess ??= this.#process.keepAlive();
  }

  unregister(voice: QueuedVoice): void {
    this.#openVoices.delete(voice);
    if (this.#openVoices.size > 0) return;
    this.#releaseProcess?.();
    this.#releaseProcess = undefined;
  }
}
