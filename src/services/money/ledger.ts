import { setImmediate } from 'node:timers/promises';
import type { AppContext } from '../../lib/app-context.ts';
import { DAY_MS, dayOf } from '../../lib/clock.ts';
import { Gate } from '../../lib/gate.ts';
import { merge } from '../../lib/merge.ts';
import { trackUntilDone } from '../../lib/track-until-done.ts';
import type { Task } from '../tasks/task.ts';
import type { BudgetStore } from './budgets.ts';
import {
  type AnonymisationRequest,
  addFact,
  amountOf,
  anonymise,
  closeOrphan,
  createEntry,
  type EntryStore,
  entryKey,
  extendReservation,
  type Fact,
  factOfTask,
  type LedgerEntry,
  reconcileEntry,
  type Standing,
  standingOf,
  taskEntryKey,
} from './entry.ts';
import type { Limits } from './limits.ts';
import type { Spending } from './spending.ts';
import { sumUsage, type UsageGroup, type UsageQuery } from './usage-query.ts';

/** Two months, because usage above last month's limit counts against this month. */
const COUNTING_PERIOD_MS = 62 * DAY_MS;

export interface OtherEntries {
  all(): Promise<readonly { entries: EntryStore; budgets: BudgetStore }[]>;
}

type EntryTransition = (known: LedgerEntry | undefined) => LedgerEntry;

export type Cost = NonNullable<ReturnType<typeof amountOf>> & { standing: Standing };

/**
 * Who used what, derived from tasks: reserved before a request is submitted, settled or refunded at its end. A failed
 * write is retried at the task's next change, at shutdown or at the next start; no result waits for it.
 */
export class Ledger {
  readonly #context: AppContext;
  readonly #entries: EntryStore;
  readonly #spending: Spending | undefined;
  readonly #others: OtherEntries | undefined;
  /** The tasks whose entries are reserved: their end is not written yet. */
  readonly #reservedIds = new Set<string>();
  readonly #unwritten = new Map<string, { task: Task; fact: Fact }>();
  readonly #pending = new Set<Promise<unknown>>();
  readonly #gate = new Gate();

  /** Without `spending`, there are no limits; without `others`, no other partitions. */
  constructor(context: AppContext, entries: EntryStore, spending?: Spending, others?: OtherEntries) {
    this.#context = context;
    this.#entries = entries;
    this.#spending = spending;
    this.#others = others;
  }

  async open(tasks: readonly Task[]): Promise<void> {
    const live = tasks.filter(({ traits }) => traits.isPaid);
    // Entries before this day need no repair: none is reserved, and `expectDecision` moves the day back before a decision is stored.
    const since = await this.#entries.openSince();
    const today = dayOf(this.#context.clock.now());
    const unmatched = new Map(live.map((task) => [task.id, task]));
    const counting = this.#spending?.beginCount();
    const countedSince = counting === undefined ? today : dayOf(counting.since);
    const keptScopes = await this.#entries.keptScopes();
    const count = (entry: LedgerEntry): void => counting?.add(entry, keptScopes.get(entryKey(entry)));
    for await (const entry of this.#entries.readRange([since, countedSince].sort()[0] ?? '', today)) {
      if (dayOf(entry.at) < since) {
        count(entry);
        continue;
      }
      // The member may have decided about an unknown outcome, or withdrawn that decision, before a crash prevented the change of the entry.
      const mayDiffer =
        standingOf(entry) === 'reserved' || entry.facts.some(({ standing }) => standing === 'unconfirmed');
      const task = unmatched.get(entry.id) ?? (mayDiffer ? await this.#entries.task(entry.id) : undefined);
      unmatched.delete(entry.id);
      // `closeOrphan` leaves an entry that has an end as it is.
      const corrected = task
        ? reconcileEntry(entry, task)
        : closeOrphan(entry, this.#context.clock.now(), mayDiffer && (await this.#entries.isUnreadable(entry.id)));
      if (corrected !== entry) await this.#entries.change(entryKey(entry), () => corrected);
      count(corrected);
    }
    counting?.finish();
    for (const task of unmatched.values()) await this.#change(task, (known) => reconcileEntry(known, task));
    for (const task of live) if (factOfTask(task).standing === 'reserved') this.#reservedIds.add(task.id);
    await this.#entries.setOpenSince([today, ...live.map(({ times }) => dayOf(times.created))].sort()[0] ?? today);
  }

  /** Called before a task is stored and sent. Throws the `Refusal` of a limit that it would exceed. */
  async reserve(task: Task, roleIds: readonly string[] = []): Promise<void> {
    if (!task.traits.isPaid) return;
    await this.#gate.run(async () => {
      const entry = createEntry(task, this.#spending?.limitedRoles(task, roleIds));
      await this.#admit(task, (known) => known ?? entry, roleIds);
      this.#reservedIds.add(task.id);
    });
  }

  /** Called before an answer requests another response, whose estimate its task includes already. Throws the `Refusal` of a limit that it would exceed. */
  async extend(task: Task): Promise<void> {
    const extendEntry = (entry: LedgerEntry | undefined): LedgerEntry =>
      extendReservation(entry, task.estimate?.amount, this.#context.clock.now());
    await this.#gate.run(async () => {
      const known = await this.#entries.find(taskEntryKey(task));
      await this.#admit(task, extendEntry, known?.roleIds ?? [], known);
    });
  }

  /** Counts the entry that `transition` makes of the counted one, if there is one, and stores it. */
  async #admit(task: Task, transition: EntryTransition, roleIds: readonly string[], counted?: LedgerEntry) {
    const entry = transition(counted);
    await this.#spending?.admit(entry, roleIds, counted);
    try {
      // After a new entry its task is stored, which brings the entry to the disk.
      await this.#entries.change(taskEntryKey(task), transition, !counted || undefined);
    } catch (error) {
      this.#spending?.replace(entry, counted);
      throw error;
    }
  }

  /** Counts all entries again if these limits need sums that are not counted yet. During the count, no other request is reserved. */
  async countFor(limits: readonly Limits[]): Promise<void> {
    const spending = this.#spending;
    if (!spending?.needsCount(limits)) return;
    await this.#gate.runExclusively(async () => {
      const counting = spending.beginCount(limits);
      const kept = await this.#entries.keptScopes();
      for await (const entry of this.#entries.readRange(dayOf(counting.since), dayOf(this.#context.clock.now())))
        counting.add(entry, kept.get(entryKey(entry)));
      counting.finish();
    });
  }

  /** Called before a member's decision about an unknown outcome is stored, so that after a crash the next start finds the entry, however old. */
  async expectDecision(task: Task): Promise<void> {
    const day = dayOf(task.times.created);
    if (day < (await this.#entries.openSince())) await this.#entries.setOpenSince(day);
  }

  /** Requests with an unknown outcome, made within a range of time. */
  unconfirmedEntries(after: number, until: number): AsyncGenerator<LedgerEntry> {
    return entriesIn(
      this.#entries.readRange(dayOf(after), dayOf(until)),
      (entry) => standingOf(entry) === 'unconfirmed' && entry.at > after && entry.at <= until,
    );
  }

  /** Records the current state of a task long after its outcome was recorded as unknown. */
  async reconsider(task: Task): Promise<void> {
    await Promise.all(this.#pending);
    if (task.traits.isPaid) await this.#write(task, factOfTask(task));
  }

  async refund(task: Task): Promise<void> {
    if (task.traits.isPaid) await this.#write(task, { standing: 'refunded', at: this.#context.clock.now() });
  }

  /** Called for every change of a task, possibly several times. */
  onTaskChange(task: Task): void {
    const fact = factOfTask(task);
    // A member or a moderator can decide long after the outcome was recorded.
    const isDecided =
      task.failure?.cause === 'dismissed' ||
      task.isRepeated ||
      task.releasedAt !== undefined ||
      fact.standing === 'waived';
    if (fact.standing === 'reserved' || !(this.#reservedIds.has(task.id) || isDecided)) return;
    void trackUntilDone(this.#write(task, fact), this.#pending);
  }

  /** Resolves when the task's end is recorded, so the task may be deleted. */
  async writeEnd(task: Task): Promise<void> {
    await Promise.all(this.#pending);
    if (this.#reservedIds.has(task.id)) await this.#write(task, factOfTask(task));
    if (this.#unwritten.has(task.id)) throw new Error(`The end of task ${task.id} is not in the ledger yet.`);
  }

  /** Anonymizes a member's entries, which stay in the sums. Returns how many it skipped because their tasks are kept or still open. */
  async anonymise(request: AnonymisationRequest, isKept: (id: string) => Promise<boolean>): Promise<number> {
    let keptCount = 0;
    for await (const entry of entriesIn(this.#entries.readRange('', dayOf(request.until)), isOf(request))) {
      if (this.#reservedIds.has(entry.id) || this.#unwritten.has(entry.id) || (await isKept(entry.id))) keptCount += 1;
      else {
        const anonymous = anonymise(entry, request.secret);
        await this.#gate.run(async () => {
          // Usage stays counted in the same sums, without a name.
          if (this.#spending)
            await this.#entries.keepScopes(anonymous, this.#spending.scopesOf(entry), COUNTING_PERIOD_MS);
          await this.#entries.rename(entry, anonymous);
        });
      }
    }
    return keptCount;
  }

  async costOf(task: Task): Promise<Cost | undefined> {
    if (!task.traits.isPaid) return undefined;
    const entry = await this.#entries.find(taskEntryKey(task));
    const known = entry && amountOf(entry);
    return entry && known && { ...known, standing: standingOf(entry) };
  }

  allEntriesOf(memberId: string, until: number): AsyncGenerator<LedgerEntry> {
    return entriesIn(this.#allEntries('', dayOf(until)), isOf({ memberId, until }));
  }

  async flush(): Promise<void> {
    await Promise.all(this.#pending);
    for (const { task, fact } of [...this.#unwritten.values()]) await this.#write(task, fact);
  }

  /** The entries of all partitions, oldest day first. */
  async *#allEntries(first: string, last: string): AsyncGenerator<LedgerEntry> {
    if (!this.#others) return yield* this.#entries.readRange(first, last);
    const entryStores = [this.#entries, ...(await this.#others.all()).map((rows) => rows.entries)];
    const sources = entryStores.map((one) => one.readRange(first, last));
    yield* merge(sources, (one, other) => entryKey(one) < entryKey(other));
  }

  /** The sums of all partitions, sorted by day, then by first occurrence. */
  queryUsage(query: UsageQuery): Promise<UsageGroup[]> {
    return sumUsage(this.#allEntries(query.range.start, query.range.end), query);
  }

  /** Changes the entry of a task, and updates the sums that it counts in. What a power cut undoes, the next start repairs from the task. */
  async #change(task: Task, transition: EntryTransition): Promise<void> {
    await this.#gate.run(async () => {
      let previous: LedgerEntry | undefined;
      let updated: LedgerEntry | undefined;
      const remember = (known: LedgerEntry | undefined): LedgerEntry => {
        previous = known;
        updated = transition(known);
        return updated;
      };
      await this.#entries.change(taskEntryKey(task), remember, true);
      if (previous !== updated) this.#spending?.replace(previous, updated);
    });
  }

  async #write(task: Task, fact: Fact): Promise<void> {
    try {
      await this.#change(task, (known) => addFact(known ?? createEntry(task), fact));
      this.#reservedIds.delete(task.id);
      this.#unwritten.delete(task.id);
    } catch (error) {
      this.#context.log.error(
        { task: task.id, err: error },
        'The outcome of a task could not be written to the ledger.',
      );
      this.#unwritten.set(task.id, { task, fact });
    }
  }
}

/** SQLite reads synchronously, so a long scan of other members' entries would block the process. */
const ENTRIES_PER_TURN = 100;

async function* entriesIn(entries: AsyncIterable<LedgerEntry>, matches: (entry: LedgerEntry) => boolean) {
  let seenCount = 0;
  for await (const entry of entries) {
    seenCount += 1;
    if (seenCount % ENTRIES_PER_TURN === 0) await setImmediate();
    if (matches(entry)) yield entry;
  }
}

const isOf =
  ({ memberId, until }: Pick<AnonymisationRequest, 'memberId' | 'until'>) =>
  (entry: LedgerEntry): boolean =>
    entry.memberId === memberId && entry.at <= until;
