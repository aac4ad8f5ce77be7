import { z } from 'zod';
import { PCM_RATE } from '../../lib/pcm.ts';
import { Refusal } from '../../lib/refusal.ts';
import { JobLost } from '../media-process/job-lost.ts';
import type { MediaProcess } from '../media-process/media-process.ts';
import type { WriteJob, WriteResult } from './job.ts';
import { Writing } from './writing.ts';

/** Each has an encoder, its drawing and its file so far in the worker: half a megabyte, and 4 KB a second. */
const MOST_VOICES = 200;
/** What all voices together may have waiting, some 86 MB: half a minute's work, which nobody waits for. */
const MOST_WAITING = 30 * 60 * PCM_RATE;

/** Another one is on its way while one is written. */
const MOST_AT_ONCE = 2;

interface Turn {
  readonly rank: () => number;
  begin(): void;
}

const facts = z.object({ waveform: z.string().optional(), isUnchanged: z.boolean() });

/**
 * All voices that are being written, by turns. Who has least waiting goes first: where more is said than can be written at once, most
 * are written as soon as they end, instead of all being late, and who says much at once keeps nobody waiting.
 */
export class Writings {
  readonly #process: MediaProcess;
  readonly #open = new Set<Writing>();
  readonly #turns: Turn[] = [];
  /** A pause in a voice must not cost what came before, which only the process has. */
  #letGo: (() => void) | undefined;
  #underWay = 0;
  #begun = 0;
  #isClosed = false;

  constructor(process: MediaProcess) {
    this.#process = process;
  }

  begin(mostSeconds: number): Writing {
    this.#begun += 1;
    return new Writing(this.#begun, mostSeconds * PCM_RATE, {
      admit: (writing, samples) => this.#admit(writing, samples),
      leave: (writing) => this.#leave(writing),
      run: (job, rank) => this.#run(job, rank),
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const turn of this.#turns.splice(0)) turn.begin();
  }

  async #run(job: WriteJob, rank: () => number): Promise<WriteResult> {
    if (this.#underWay >= MOST_AT_ONCE && !this.#isClosed) {
      await new Promise<void>((begin) => this.#turns.push({ rank, begin }));
    }
    if (this.#isClosed) throw new Refusal('refusals.stopping');
    this.#underWay++;
    try {
      return await this.#written(job);
    } catch (error) {
      throw error instanceof JobLost && error.reason === 'closed' ? new Refusal('refusals.stopping') : error;
    } finally {
      this.#underWay--;
      const ranks = this.#turns.map((turn) => turn.rank());
      this.#turns.splice(ranks.indexOf(Math.min(...ranks)), 1)[0]?.begin();
    }
  }

  async #written(job: WriteJob): Promise<WriteResult> {
    const { voice } = job;
    if (job.do === 'drop') {
      await this.#process.run({ do: 'drop-voice', voice }, facts);
      return {};
    }
    const { from, isLast, pcm } = job;
    const input = { bytes: new Uint8Array(pcm.buffer) };
    const result = await this.#process.run({ do: 'write-voice', voice, from, isLast }, facts, { input });
    const { waveform, isUnchanged } = result.facts;
    return isUnchanged ? {} : { bytes: result.bytes.buffer, ...(waveform !== undefined && { waveform }) };
  }

  #admit(writing: Writing, samples: number): void {
    const waiting = this.#open.values().reduce((sum, other) => sum + other.waiting, samples);
    const isNew = !this.#open.has(writing);
    if (waiting > MOST_WAITING || (isNew && this.#open.size >= MOST_VOICES)) throw new Refusal('refusals.soundsBusy');
    this.#open.add(writing);
    this.#letGo ??= this.#process.hold();
  }

  #leave(writing: Writing): void {
    this.#open.delete(writing);
    if (this.#open.size > 0) return;
    this.#letGo?.();
    this.#letGo = undefined;
  }
}
