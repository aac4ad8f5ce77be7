import { type Clock, HOUR_MS } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { runWithoutSubject } from '../../lib/log-subject.ts';
import {
  causeOf,
  isEvent,
  type Notice,
  type NoticeFacts,
  type NoticeStore,
  type NoticeTopic,
  type Occurrence,
} from '../store/notice.ts';

/** Within this time, the same cause does not lead to another new message, even across restarts. */
const QUIET_MS = HOUR_MS;
/** Changes are delayed by up to this time, and then only the latest state is shown. */
const EDIT_GAP_MS = 30_000;
/** The pause after Discord did not accept a message or was unreachable. It doubles up to the quiet time. */
const RETRY_MS = 60_000;
/** More simultaneous causes would not be informative. */
const MAX_NOTICES = 60;
/** After a restart, earlier trouble may be found again as soon as it is checked, so its end is not reported before this time. */
const GRACE_MS = 2 * 60_000;
/** The pause after a failed write, which is one line in the log. */
const STORE_RETRY_MS = 60_000;

interface NoticeDelivery {
  /** Sends a new message. Returns where it was posted: in one channel, in several, or in none. */
  post(notice: Notice): Promise<Notice['messages']>;
  /** Edits the messages of a notice. Returns those that still exist. */
  edit(notice: Notice): Promise<{ messages: Notice['messages']; needsRetry: boolean }>;
}

interface State {
  notice: Notice;
  isStored: boolean;
  /** Whether the trouble was last reported by an earlier run. */
  isEarlier: boolean;
  /** Nothing about this notice is sent before this time. */
  nextSendAt: number;
  /** How many times in a row nothing could be sent. */
  failureCount: number;
  sending?: Promise<void> | undefined;
  cancel?: (() => void) | undefined;
}

/**
 * Notifies the operator of trouble and events. Trouble leads to a new message, which is edited when the trouble repeats or
 * ends. Everything is kept in memory, so that trouble with the store can be reported, too. It is also stored, so that a bot
 * that keeps crashing does not flood the channel.
 */
export class Notices {
  readonly #store: NoticeStore;
  readonly #delivery: NoticeDelivery;
  readonly #clock: Clock;
  readonly #log: PlainLog;
  readonly #statesByCause = new Map<string, State>();
  #startedAt = 0;
  #storeRetryAt = 0;
  #isRunning = false;

  constructor(store: NoticeStore, delivery: NoticeDelivery, clock: Clock, log: PlainLog) {
    this.#store = store;
    this.#delivery = delivery;
    this.#clock = clock;
    this.#log = log;
  }

  async open(): Promise<void> {
    for (const notice of await this.#store.all())
      this.#statesByCause.set(causeOf(notice), {
        notice,
        isStored: true,
        isEarlier: true,
        nextSendAt: 0,
        failureCount: 0,
      });
  }

  /** Nothing is sent before this is called. */
  start(): void {
    this.#startedAt = this.#clock.now();
    this.#isRunning = true;
    for (const [cause, { notice }] of this.#statesByCause) if (!notice.isShown) this.#showSoon(cause);
  }

  /** Stops sending, waits for notices that are being sent, and stores what could not be stored before. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    const states = [...this.#statesByCause.values()];
    for (const { cancel } of states) cancel?.();
    await Promise.all(states.map(({ sending }) => sending));
    await Promise.all(states.filter(({ isStored }) => !isStored).map((state) => this.#leave(state)));
  }

  /** The next run does not know a notice that cannot be stored, so its messages say that they stay as they are. */
  async #leave(state: State): Promise<void> {
    await this.#write(state);
    const { notice, isStored } = state;
    if (!isStored && notice.messages.length > 0 && !isEvent(notice))
      await this.#delivery.edit({ ...notice, facts: { ...notice.facts, isLeft: true } });
  }

  /** The notices that have not ended, oldest first. */
  get ongoing(): Notice[] {
    return [...this.#statesByCause.values()]
      .map(({ notice }) => notice)
      .filter((notice) => notice.endedAt === undefined)
      .sort((a, b) => a.since - b.since);
  }

  /** The ongoing notices, without those that only an earlier run has seen and that may be over. */
  get confirmed(): Notice[] {
    return this.ongoing.filter((notice) => this.#statesByCause.get(causeOf(notice))?.isEarlier === false);
  }

  /** Reports that trouble has started. Until it ends, only its facts can change; its time then belongs to the new ones. */
  begin(occurrence: Occurrence): void {
    const { facts = {}, since = this.#clock.now() } = occurrence;
    const state = this.#statesByCause.get(causeOf(occurrence));
    if (!state || state.notice.endedAt !== undefined) this.report(occurrence);
    else if (state.isEarlier || !isSame(state.notice.facts, facts)) this.#set({ ...state.notice, facts, since });
  }

  end(topic: NoticeTopic, subject?: string, endedAt = this.#clock.now()): void {
    const known = this.#statesByCause.get(causeOf({ topic, subject }))?.notice;
    if (known && known.endedAt === undefined) this.#set({ ...known, endedAt });
  }

  /** When this trouble ended, if it did so within the last hour. */
  endOf(topic: NoticeTopic, subject: string): number | undefined {
    return this.#statesByCause.get(causeOf({ topic, subject }))?.notice.endedAt;
  }

  /** Reports all current trouble of these topics. Trouble that is missing from the list is over, if the list is complete. */
  update(topics: readonly NoticeTopic[], occurrences: readonly Occurrence[], isComplete = true): void {
    for (const occurrence of occurrences) this.begin(occurrence);
    const now = this.#clock.now();
    const causes = new Set(occurrences.map(causeOf));
    for (const [cause, state] of this.#statesByCause) {
      const { topic, endedAt } = state.notice;
      const isOver = isComplete && endedAt === undefined && topics.some((one) => one === topic) && !causes.has(cause);
      if (isOver && (!state.isEarlier || now - this.#startedAt >= GRACE_MS))
        this.#set({ ...state.notice, endedAt: now });
      this.#cleanUp(cause, state, now);
    }
  }

  /** Stores what could not be stored before. Drops notices that are over, have been sent, and no longer delay a new message. */
  #cleanUp(cause: string, state: State, now: number): void {
    const { notice, sending, isStored } = state;
    const isQuietTimeOver = now - (notice.postedAt ?? Number.NEGATIVE_INFINITY) >= QUIET_MS;
    if (notice.endedAt !== undefined && notice.isShown && isQuietTimeOver && !sending) {
      this.#statesByCause.delete(cause);
      state.cancel?.();
      this.#store.remove(notice).catch((error: unknown) => this.#logUnstored(error));
    } else if (!isStored && !sending && now >= this.#storeRetryAt) {
      this.#storeRetryAt = now + STORE_RETRY_MS;
      void this.#write(state);
    }
  }

  /** Reports an event, or the start of trouble. */
  report(occurrence: Occurrence, count = 1): void {
    const { topic, subject = '', facts = {} } = occurrence;
    const now = this.#clock.now();
    const known = this.#statesByCause.get(causeOf(occurrence))?.notice;
    const endedAt = isEvent({ topic }) ? now : undefined;
    if (known && (known.postedAt === undefined || now - known.postedAt < QUIET_MS)) {
      const { endedAt: _, ...rest } = known;
      const since = isEvent({ topic }) ? known.since : (occurrence.since ?? now);
      this.#set({ ...rest, facts, since, count: known.count + count, ...(endedAt !== undefined && { endedAt }) });
      return;
    }
    if (!known && this.#statesByCause.size >= MAX_NOTICES) {
      this.#log.warn({ topic }, 'There are too many notices for the operator: one was left out.');
      return;
    }
    const since = occurrence.since ?? now;
    const newNotice = { topic, subject, facts, since, count, messages: [], isShown: false };
    this.#set({ ...newNotice, ...(endedAt !== undefined && { endedAt }) });
  }

  #set(notice: Notice): void {
    const cause = causeOf(notice);
    const known = this.#statesByCause.get(cause);
    const next = { ...notice, isShown: false };
    const isNew = { notice: next, isStored: false, isEarlier: false };
    if (known) Object.assign(known, isNew);
    else this.#statesByCause.set(cause, { ...isNew, nextSendAt: 0, failureCount: 0 });
    this.#showSoon(cause);
  }

  #showSoon(cause: string): void {
    const state = this.#statesByCause.get(cause);
    if (!state || !this.#isRunning || state.sending || state.cancel) return;
    const waitMs = state.nextSendAt - this.#clock.now();
    if (waitMs > 0) {
      state.cancel = this.#clock.after(waitMs, () => {
        state.cancel = undefined;
        this.#showSoon(cause);
      });
      return;
    }
    state.sending = runWithoutSubject(() => this.#show(state))
      .catch((error: unknown) => {
        this.#delayNext(state, false);
        this.#log.warn({ err: error }, 'A notice for the operator could not be sent.');
      })
      .finally(() => {
        state.sending = undefined;
        if (!state.notice.isShown) this.#showSoon(cause);
      });
  }

  async #show(state: State): Promise<void> {
    const { notice } = state;
    if (notice.messages.length > 0) {
      await this.#write(state);
      const { messages, needsRetry } = await this.#delivery.edit(notice);
      const isUpToDate = state.notice === notice && !needsRetry;
      // Trouble without a message is reported again once the hour is over.
      const hasReader = messages.length > 0 || notice.endedAt !== undefined;
      state.notice = { ...state.notice, messages, isShown: isUpToDate && hasReader };
      this.#delayNext(state, !needsRetry);
    } else if (notice.endedAt !== undefined && !isEvent(notice)) {
      // The trouble was over before it could be reported.
      state.notice = { ...notice, isShown: true };
    } else {
      const quietUntil = (notice.postedAt ?? Number.NEGATIVE_INFINITY) + QUIET_MS;
      if (quietUntil > this.#clock.now()) {
        state.nextSendAt = quietUntil;
        return;
      }
      await this.#post(state);
    }
    await this.#write(state);
  }

  /** Stores the notice before posting it. After a crash in between, the message is missing, but it is never sent twice. */
  async #post(state: State): Promise<void> {
    const postedNotice = { ...state.notice, postedAt: this.#clock.now() };
    state.notice = postedNotice;
    await this.#write(state);
    const messages = await this.#delivery.post(postedNotice);
    const isUpToDate = state.notice === postedNotice && messages.length > 0;
    const { postedAt, ...rest } = state.notice;
    // If no one has received the notice, the next attempt is not a second message.
    state.notice = { ...rest, ...(messages.length > 0 && { postedAt }), messages, isShown: isUpToDate };
    this.#delayNext(state, messages.length > 0);
  }

  #delayNext(state: State, wasSent: boolean): void {
    const waitMs = wasSent ? EDIT_GAP_MS : Math.min(QUIET_MS, RETRY_MS * 2 ** state.failureCount);
    state.failureCount = wasSent ? 0 : state.failureCount + 1;
    state.nextSendAt = this.#clock.now() + waitMs;
  }

  /** A failure to store a notice is ignored, because the notice may be about the store. */
  async #write(state: State): Promise<void> {
    const { notice } = state;
    try {
      await this.#store.put(notice);
      if (state.notice === notice) state.isStored = true;
    } catch (error) {
      state.isStored = false;
      this.#logUnstored(error);
    }
  }

  #logUnstored(error: unknown): void {
    this.#log.info({ err: error }, 'A notice for the operator could not be stored.');
  }
}

const isSame = (one: NoticeFacts, other: NoticeFacts): boolean => {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
};
