import { z } from 'zod';
import { type Clock, DAY_MS } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { repeat } from '../../lib/repeat.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import type { MessagePlace } from '../tasks/task.ts';
import type { Reports } from './reports.ts';
import type { Rules } from './rules.ts';

/** The most messages that are recorded per server. Beyond that, the oldest are no longer recorded, and stay in Discord. */
const MAX_MESSAGES = 1_000;
/** How many messages one sweep deletes per server. Discord allows only a few deletions per second in a channel, also for other deletions. */
const MAX_DELETIONS = 50;

const id = z.string().regex(/^\d{1,20}$/);

const logMessage = z.object({
  channelId: id,
  id,
  at: z.number(),
  /** The member whom the message names. */
  about: id.optional(),
  /** Another one, who did what it says. */
  by: id.optional(),
  /** Set if the message asks for a decision about a held result or a report. It is kept until the decision. */
  heldTaskId: z.string().optional(),
  reportId: z.string().optional(),
});
export type LogMessage = z.output<typeof logMessage>;

const isNamedIn = ({ about, by }: LogMessage, memberId: string): boolean => about === memberId || by === memberId;

/** The messages in a server's log channels, oldest first. */
export const serverLog = z.object({ guildId: id, messages: z.array(logMessage) });
type StoredServerLog = z.output<typeof serverLog>;

export type LogStore = StoredRows<StoredServerLog, { guildId: string }>;

/** The outcome of a deletion. `later`: Discord does not accept it right now. The other outcomes are final. */
export type Removal = 'gone' | 'none' | 'stays' | 'later';

interface ServerLogsParts {
  store: LogStore;
  rules: Pick<Rules, 'get' | 'logRetentions'>;
  isUndecided(message: LogMessage): Promise<boolean>;
  removeMessage(message: MessagePlace): Promise<Removal>;
  clock: Clock;
}

/** Records what was posted in log channels, so that it can be deleted when it is too old, or together with the data of the member whom it names. */
export class ServerLogs {
  readonly #parts: ServerLogsParts;
  readonly #lock = new KeyedLock();

  constructor(parts: ServerLogsParts) {
    this.#parts = parts;
  }

  record(guildId: string, message: LogMessage): Promise<void> {
    const { store } = this.#parts;
    return this.#lock.run(guildId, async () => {
      const { messages } = (await store.get({ guildId })) ?? { messages: [] };
      if (messages.some((one) => one.id === message.id)) return;
      await store.put({ guildId, messages: [...messages, message].slice(-MAX_MESSAGES) });
    });
  }

  /** Records a message in the alerts channel if that is the log channel, too. */
  async recordAlert(guildId: string, message: MessagePlace): Promise<void> {
    const { rules, clock } = this.#parts;
    const { logChannelId = message.channelId } = rules.get(guildId);
    if (logChannelId === message.channelId) await this.record(guildId, { ...message, at: clock.now() });
  }

  /** Deletes messages that are older than their server's retention period, a limited number at a time. */
  async sweep(): Promise<void> {
    const { rules, clock } = this.#parts;
    for (const { guildId, days } of rules.logRetentions()) {
      const cutoff = clock.now() - days * DAY_MS;
      await this.#remove(
        guildId,
        async (one) => one.at <= cutoff && !(await this.#parts.isUndecided(one)),
        MAX_DELETIONS,
      );
    }
  }

  /** Deletes the messages that name a member. Returns false if some still have to be deleted later. */
  async erase(memberId: string): Promise<boolean> {
    let hasRemovedAll = true;
    for (const { guildId, messages } of await this.#parts.store.all())
      if (messages.some((one) => isNamedIn(one, memberId)))
        hasRemovedAll = (await this.#remove(guildId, async (one) => isNamedIn(one, memberId))) && hasRemovedAll;
    return hasRemovedAll;
  }

  /** Deletes messages. One that can never be deleted is no longer recorded. */
  #remove(
    guildId: string,
    matches: (message: LogMessage) => Promise<boolean>,
    max = Number.POSITIVE_INFINITY,
  ): Promise<boolean> {
    const { store, removeMessage } = this.#parts;
    return this.#lock.run(guildId, async () => {
      const { messages } = (await store.get({ guildId })) ?? { messages: [] };
      const removedIds = new Set<string>();
      let hasRemovedAll = true;
      for (const message of messages) {
        if (removedIds.size >= max) break;
        if (!(await matches(message))) continue;
        hasRemovedAll = (await removeMessage(message)) !== 'later';
        if (!hasRemovedAll) break;
        removedIds.add(message.id);
      }
      const log = { guildId, messages: messages.filter((one) => !removedIds.has(one.id)) };
      if (removedIds.size > 0) await (log.messages.length > 0 ? store.put(log) : store.remove(log));
      return hasRemovedAll;
    });
  }
}

/** Often enough, because retention periods are in days. */
const SWEEP_INTERVAL_MS = 10 * 60_000;

/** Deletes old messages in log channels and old reports, now and then regularly. The returned function ends this. */
export const startLogSweep = (
  { serverLogs, reports }: { serverLogs: ServerLogs; reports: Reports },
  clock: Clock,
  log: PlainLog,
): (() => Promise<void>) =>
  repeat(clock, async () => {
    try {
      await reports.sweep();
      await serverLogs.sweep();
    } catch (error) {
      log.warn({ err: error }, 'Could not delete expired log messages and reports.');
    }
    return SWEEP_INTERVAL_MS;
  });
