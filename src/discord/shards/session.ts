import type { FetchingStrategyOptions, SessionInfo } from '@discordjs/ws';
import { z } from 'zod';
import { parsePlainJson } from '../../lib/exact-json.ts';
import type { ClusterContext } from '../../services/cluster/claim.ts';
import type { SharedFacts } from '../../services/store/shared-facts.ts';
import { SHARD_PREFIX } from './shard-processes.ts';

const rowShape = z.object({
  sessionId: z.string().min(1),
  resumeURL: z.string().min(1),
  sequence: z.int().min(0),
  shardCount: z.int().min(1),
  intents: z.int().min(0),
});
const NO_SESSION = '';

/**
 * The session of a shard, which the next process resumes. The library uses the sequence number of the last event received; the store has the one up
 * to which everything has been handed over, so that a resume replays events that were received but lost.
 */
export class Session {
  readonly #shardId: number;
  readonly #options: FetchingStrategyOptions;
  readonly #facts: SharedFacts;
  /** The claim on the shard, without which nothing is stored. */
  readonly #held: { claim: string; holder: string };
  /** Undefined until it has been read; null if there is none. */
  #info: SessionInfo | null | undefined;
  #storedText = NO_SESSION;
  progress = new Progress(0);

  constructor(shardId: number, options: FetchingStrategyOptions, { facts, holder }: ClusterContext) {
    this.#shardId = shardId;
    this.#options = options;
    this.#facts = facts;
    this.#held = { claim: SHARD_PREFIX + shardId, holder };
  }

  get info(): SessionInfo | null | undefined {
    return this.#info;
  }

  /** Reads the session that the last process stored. */
  async load(): Promise<SessionInfo | null> {
    const { shardCount, intents } = this.#options;
    const text = await this.#facts.read(this.#name);
    // An unreadable row costs one identify.
    const { data: row } = rowShape.safeParse(parsePlainJson(text ?? ''));
    // A session started with a different shard count covers different servers, and one started with different intents receives different events.
    const isOurs = row?.shardCount === shardCount && row.intents === intents;
    this.#info = isOurs ? { ...row, shardId: this.#shardId } : null;
    this.progress = new Progress(this.#info?.sequence ?? 0);
    this.#storedText = text ?? NO_SESSION;
    return this.#info;
  }

  /** Returns true if a new session begins. */
  update(info: SessionInfo): boolean {
    const isNew = info.sessionId !== this.#info?.sessionId;
    this.#info = info;
    // READY, the first event of a session, is not handed over.
    if (isNew) this.progress = new Progress(info.sequence);
    return isNew;
  }

  drop(): void {
    this.#info = null;
    this.progress = new Progress(0);
  }

  /** Returns false if this process does not have the claim on the shard. */
  async store(): Promise<boolean> {
    const text = this.#text();
    if (text === undefined || text === this.#storedText) return true;
    const isWritten = await this.#facts.write(this.#name, text, this.#held);
    if (isWritten) this.#storedText = text;
    return isWritten;
  }

  get #name(): string {
    return `session:${this.#shardId}`;
  }

  #text(): string | undefined {
    if (!this.#info) return this.#info === null ? NO_SESSION : undefined;
    const { sessionId, resumeURL, shardCount } = this.#info;
    const { intents } = this.#options;
    return JSON.stringify({ sessionId, resumeURL, sequence: this.progress.completedSequence, shardCount, intents });
  }
}

/** Tracks up to which dispatch everything in a session has been handed over. Hand-overs may finish in any order. */
export class Progress {
  #highest: number;
  readonly #pending = new Set<number>();

  /** Everything up to the sequence number `start` has been handed over. */
  constructor(start: number) {
    this.#highest = start;
  }

  /** Records an event that does not need to be handed over. */
  skip(sequence: number): void {
    this.#highest = Math.max(this.#highest, sequence);
  }

  begin(sequence: number): void {
    this.skip(sequence);
    this.#pending.add(sequence);
  }

  end(sequence: number): void {
    this.#pending.delete(sequence);
  }

  /** The highest sequence number up to which everything has been handed over. A resume replays all later events. */
  get completedSequence(): number {
    let completedSequence = this.#highest;
    for (const sequence of this.#pending) completedSequence = Math.min(completedSequence, sequence - 1);
    return completedSequence;
  }
}
