import { z } from 'zod';
import type { AppContext } from '../../lib/app-context.ts';
import { repeat } from '../../lib/repeat.ts';
import { ALL_KINDS, sumOfUses, type Use } from './spending/tally.ts';

/** The partition whose rows say whether the operator has paused the whole bot. */
export const PAUSE_PARTITION = 0;

const NOTE_NAME = 'whole-bot';
/** A pause by the operator reaches every partition within two of these intervals. */
const REFRESH_MS = 2_000;
/** How many times a change is retried because another partition was faster. */
const MAX_ATTEMPTS = 100;

const use = z.object({ tasks: z.int(), amount: z.string().regex(/^\d+(\.\d+)?$/) });

const part = z.object({
  /** Increases with each owner of the partition, so that a previous owner that was suspended can no longer change the note. */
  owner: z.int(),
  /** Tasks that have not ended; undefined if the owner knows of no limit for them. */
  open: z.int().optional(),
  /** Tasks that wait for their turns; undefined if the owner knows of no limit for them. */
  waiting: z.int().optional(),
  /** Usage by period and kind, where the owner knows of a limit. */
  uses: z.record(z.string(), z.record(z.string(), use)),
});

const note = z.object({ isPaused: z.boolean(), parts: z.record(z.string(), part) });
type Note = z.output<typeof note>;

/** The usage of a partition, including what it is about to reserve. */
export type PartUse = Omit<z.output<typeof part>, 'owner'>;

/** Notes on the store's server. A note is only replaced if it has not changed since it was read. */
export interface SharedNotes {
  read(name: string): Promise<string | undefined>;
  /** Like `read`, but the text may be a second old. */
  readRecent(name: string): Promise<string | undefined>;
  replace(name: string, expected: string | undefined, newText: string): Promise<boolean>;
  /** Runs changes of a note by this process one after another, because each makes those that are under way fail. */
  inTurn(name: string, change: () => Promise<void>): Promise<void>;
}

interface OwnPart {
  used(): PartUse;
  /** Undefined in partitions other than `PAUSE_PARTITION`. */
  isPausedHere(): boolean | undefined;
}

/**
 * What the partitions of a bot know about each other: how much of the operator's limits for the whole bot each one has used, and whether the operator has
 * paused it. A reservation is announced in the shared note before it counts, so the partitions together never exceed a limit.
 */
export class WholeBot {
  readonly #context: AppContext;
  readonly #notes: SharedNotes;
  readonly #partition: number;
  #own: OwnPart = { used: () => ({ uses: {} }), isPausedHere: () => undefined };
  #text: string | undefined;
  #note: Note = { isPaused: false, parts: {} };
  #owner = 0;
  #stopRefreshing: (() => Promise<void>) | undefined;

  constructor(context: AppContext, notes: SharedNotes, partition: number) {
    this.#context = context;
    this.#notes = notes;
    this.#partition = partition;
  }

  get isPausedElsewhere(): boolean {
    return this.#partition !== PAUSE_PARTITION && this.#note.isPaused;
  }

  usageElsewhere(spanKey: string, kind = ALL_KINDS): Use {
    return sumOfUses(this.#others.flatMap(({ uses }) => uses[spanKey]?.[kind] ?? []));
  }

  get openTasksElsewhere(): number {
    return this.#others.reduce((sum, { open = 0 }) => sum + open, 0);
  }

  get waitingTasksElsewhere(): number {
    return this.#others.reduce((sum, { waiting = 0 }) => sum + waiting, 0);
  }

  /** Whether the other partitions publish all that this one limits. One that still runs with earlier settings may not. */
  get isComplete(): boolean {
    const own = this.#own.used();
    return this.#others.every((other) => publishes(other, own));
  }

  /** To be called once everything that this partition has used is counted, and before anything is reserved. */
  async open(own: OwnPart): Promise<void> {
    this.#own = own;
    const becomeOwner = ({ parts }: Note): boolean => {
      this.#owner = (parts[this.#partition]?.owner ?? 0) + 1;
      return true;
    };
    // A worker opens many partitions at once.
    await this.#notes.inTurn(NOTE_NAME, async () => this.#change(becomeOwner, await this.#notes.readRecent(NOTE_NAME)));
  }

  start(): void {
    this.#stopRefreshing = repeat(this.#context.clock, () => this.#refresh(), REFRESH_MS);
  }

  async stop(): Promise<void> {
    await this.#stopRefreshing?.();
  }

  /**
   * Announces what this partition uses, with a new reservation. `fits` is called with the latest usage of the others; if it returns false, nothing is
   * announced.
   */
  async announce(fits: () => boolean): Promise<void> {
    await this.#change(() => this.#assertOwner() && fits());
  }

  get #others() {
    const ownPartition = String(this.#partition);
    return Object.entries(this.#note.parts).flatMap(([partition, one]) => (partition === ownPartition ? [] : [one]));
  }

  #assertOwner(): true {
    if (this.#note.parts[this.#partition]?.owner === this.#owner) return true;
    throw new Error(`Another process owns partition ${this.#partition}.`);
  }

  async #refresh(): Promise<number> {
    try {
      await this.#change(() => this.#assertOwner(), await this.#notes.readRecent(NOTE_NAME));
    } catch (error) {
      this.#context.log.warn({ err: error }, 'The usage of the whole bot could not be updated.');
    }
    return REFRESH_MS;
  }

  async #change(shouldChange: (known: Note) => boolean, recentText?: string): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const text = attempt === 0 && recentText !== undefined ? recentText : await this.#notes.read(NOTE_NAME);
      if (text !== this.#text) {
        this.#note = text === undefined ? { isPaused: false, parts: {} } : note.parse(JSON.parse(text));
        this.#text = text;
      }
      if (!shouldChange(this.#note)) return;
      const { isPausedHere, used } = this.#own;
      const updated: Note = {
        isPaused: isPausedHere() ?? this.#note.isPaused,
        parts: { ...this.#note.parts, [this.#partition]: { owner: this.#owner, ...used() } },
      };
      const updatedText = JSON.stringify(updated);
      if (updatedText === text) return;
      if (!(await this.#notes.replace(NOTE_NAME, text, updatedText))) continue;
      this.#note = updated;
      this.#text = updatedText;
      return;
    }
    throw new Error('The shared note of the whole bot kept changing.');
  }
}

function publishes(part: PartUse, { open, waiting, uses }: PartUse): boolean {
  if ((open !== undefined && part.open === undefined) || (waiting !== undefined && part.waiting === undefined))
    return false;
  // The part of a partition that is idle ends with an earlier day.
  return Object.entries(uses).every(([span, kinds]) =>
    Object.entries(part.uses).some(
      ([otherSpan, otherKinds]) =>
        periodOf(otherSpan) === periodOf(span) && Object.keys(kinds).every((kind) => kind in otherKinds),
    ),
  );
}

const periodOf = (spanKey: string): string | undefined => spanKey.split(' ', 1)[0];
