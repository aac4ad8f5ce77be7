import { Attempts, withStore } from '../../discord/delivery/backoff.ts';
import type { InteractionFacts } from '../../discord/interaction-facts.ts';
import { bodyOf } from '../../discord/message-body.ts';
import { findPosted, WINDOW_MS } from '../../discord/outbox/adoption.ts';
import type { FailureKind } from '../../discord/outbox/errors.ts';
import { pause } from '../../lib/clock.ts';
import { expecting } from '../../lib/expecting.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Refusal, type RefusalKey } from '../../lib/refusal.ts';
import { markResultsRefused, markReviewed, setReviewMessage } from '../../services/orders/review.ts';
import type { ModerationOutcome } from '../../services/safety/moderation.ts';
import { addExtraMessage } from '../../services/tasks/delivery-state.ts';
import { isHeld, isLive, type MessagePlace, type Task, withRequest } from '../../services/tasks/task.ts';
import { copiesOf, type MessageSources } from '../results.ts';
import { filesOf, imagesOf } from './images.ts';
import { reviewQuestion } from './question.ts';

/** How many times results are sent to an unavailable moderation service, and the pause between attempts. */
const MAX_ATTEMPTS = 3;
const RETRY_PAUSE_MS = 5_000;

/** Checks results before anyone sees them, if the rules of the server require it, and asks the server's moderators about those that are held. */
export class ResultReview {
  readonly #sources: MessageSources;
  readonly #running = new Map<string, Promise<void>>();
  readonly #lookups = new KeyedLock();
  readonly #stopping = new AbortController();

  constructor(sources: MessageSources) {
    this.#sources = sources;
    const { safety, tasks } = sources;
    safety.rules.onChange((guildId, { history }, count) => {
      if (!history.slice(history.length - count).some(({ what }) => what === 'log-channel')) return;
      for (const task of tasks.book.live((one) => one.guildId === guildId && isHeld(one))) this.#findQuestion(task);
    });
  }

  /** Receives every new state of a task; without a previous one, it is announced, as after a start. Returns true if its results must not be shown yet, because they are being checked. */
  intercept(task: Task, previous?: Task): boolean {
    if (isLive(task) && isUndecided(task)) this.#start(task.id, (attempts) => this.#closeQuestion(task, attempts));
    if (task.state !== 'ready' || !isLive(task) || task.unwanted) return false;
    if (isHeld(task)) {
      if (task.review?.messageId === undefined)
        this.#start(task.id, (attempts) => this.#askModerators(task.id, attempts));
      else if (previous === undefined) this.#findQuestion(task);
      return false;
    }
    if (task.review || !isVisual(task) || !this.#sources.safety.rules.judgesResults(task)) return false;
    this.#start(task.id, (attempts) => this.#judge(task, attempts));
    return true;
  }

  /** Judges results again by the rules of another place where they are shown. Throws a `Refusal` if these forbid it, because no moderator there can decide about them. */
  async judgeAgain(task: Task, { guildId, isAgeRestricted }: InteractionFacts): Promise<Task> {
    const { rules } = this.#sources.safety;
    const isOtherServer = guildId !== undefined && guildId !== task.guildId;
    const isLessRestricted = task.isAgeRestricted === true && !isAgeRestricted;
    const place = { guildId, isAgeRestricted: isAgeRestricted || undefined };
    if (isHeld(task) || !isVisual(task) || !(isOtherServer || isLessRestricted) || !rules.judgesResults(place))
      return task;
    const copies = copiesOf((await this.#sources.storedFiles(task)) ?? new Map());
    const outcome = await rules.judgeResults(place, await imagesOf(task, this.#sources, copies));
    if (outcome.action === 'allow') return task;
    if (outcome.action === 'spoiler') return withRequest(task, { spoiler: 'required' });
    if (outcome.isUnavailable) throw new Refusal('refusals.rules.showUnchecked');
    throw new Refusal(outcome.needsAgeRestriction ? 'refusals.rules.showElsewhere' : 'refusals.rules.showRefused');
  }

  /** Finishes running work. Results without a stored verdict are checked again after the next start. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running.values());
  }

  #start(id: string, work: (attempts: Attempts) => Promise<void>): void {
    if (this.#running.has(id)) return;
    const attempts = new Attempts({ id, ...this.#sources, stopping: this.#stopping.signal });
    // The task may be erased in the meantime.
    const workUnlessErased = () => work(attempts).catch(expecting(Refusal, () => undefined));
    const running = attempts
      .retryUntilDone(workUnlessErased, 'The results of a task could not be judged.')
      .finally(() => this.#running.delete(id));
    this.#running.set(id, running);
  }

  async #judge(task: Task, attempts: Attempts): Promise<void> {
    const { clock } = this.#sources;
    const { rules } = this.#sources.safety;
    const images = await imagesOf(task, this.#sources);
    let outcome = await rules.judgeResults(task, images);
    for (let attempt = 1; outcome.isUnavailable && attempt < MAX_ATTEMPTS; attempt++) {
      await pause(clock, RETRY_PAUSE_MS, this.#stopping.signal);
      if (this.#stopping.signal.aborted) return;
      outcome = await rules.judgeResults(task, images);
    }
    const changed = await this.#change(task.id, (current) => this.#applyOutcome(current, outcome));
    if (changed.review?.outcome === 'deleted') rules.reportRefusedResult(changed, outcome.category);
    if (isHeld(changed)) await this.#askModerators(task.id, attempts);
  }

  #applyOutcome(task: Task, outcome: ModerationOutcome): Task {
    const { action, category } = outcome;
    const review = { at: this.#sources.clock.now(), category };
    const channelId = action === 'hold' ? this.#channelFor(task) : undefined;
    if (channelId !== undefined) return markReviewed(task, { ...review, outcome: 'held', channelId });
    // Without a channel where moderators can decide, a held result would be lost, so it is refused.
    if (action === 'hold') {
      const isDirect = task.guildId === undefined;
      const reason = isDirect ? 'refusals.rules.resultUndecidableDirect' : 'refusals.rules.resultUndecidable';
      return markResultsRefused(task, review, reason);
    }
    if (action === 'refuse') return markResultsRefused(task, review, refusalKeyOf(outcome));
    return markReviewed(task, { ...review, outcome: 'passed' }, { isSpoiler: action === 'spoiler' });
  }

  #channelFor({ guildId }: Task): string | undefined {
    const { budgets } = this.#sources.money;
    return guildId === undefined
      ? undefined
      : (this.#sources.safety.rules.get(guildId).logChannelId ?? budgets.get(guildId).alertsChannelId);
  }

  /** Posts the question to the moderators, only once. */
  async #askModerators(id: string, attempts: Attempts): Promise<void> {
    const task = await this.#change(id, (current) => current);
    const { channelId, messageId, at = 0, category } = task.review ?? {};
    if (!isHeld(task) || messageId !== undefined || channelId === undefined) return;
    // A restored store does not know when its moderators were asked before.
    const period = { at: task.restored ? task.times.created : at, until: at + WINDOW_MS };
    if ((await this.#askOnce(task, { channelId, ...period }, attempts)) === 'refused')
      await this.#change(id, (heldTask) =>
        markResultsRefused(heldTask, { at, category }, 'refusals.rules.resultUndecidable'),
      );
  }

  /** Looks for the questions of a server one after another. */
  #findQuestion({ id, guildId = '' }: Task): void {
    this.#start(id, (attempts) => this.#lookups.run(guildId, () => this.#replaceLostQuestion(id, attempts)));
  }

  /** Asks again, where moderators decide now, if the question was deleted. Until that is possible, the result waits. */
  async #replaceLostQuestion(id: string, attempts: Attempts): Promise<void> {
    const task = await this.#change(id, (current) => current);
    const { channelId: formerId, messageId, at = 0 } = task.review ?? {};
    if (!isHeld(task) || formerId === undefined || messageId === undefined) return;
    const { outbox, clock } = this.#sources;
    const question = { channelId: formerId, id: messageId };
    const exists = await attempts.request('channel', NO_CHANNEL, () => outbox.hasMessage(question));
    const channelId = this.#channelFor(task);
    if (exists === false && channelId !== undefined)
      await this.#askOnce(task, { channelId, at, until: clock.now() }, attempts);
  }

  /** `at`, `until`: when the question may have been posted already. */
  async #askOnce(
    task: Task,
    { channelId, ...period }: { channelId: string; at: number; until: number },
    attempts: Attempts,
  ): Promise<'asked' | 'refused'> {
    const { outbox, safety } = this.#sources;
    const { id, guildId, review: { at = 0 } = {} } = task;
    const existing = await attempts.request('channel', NO_CHANNEL, () =>
      findPosted(task, { channelId, ...period }, outbox),
    );
    const posted = typeof existing === 'object' ? existing : await this.#post(task, channelId, attempts);
    if (typeof posted === 'string') return 'refused';
    // The message is recorded, so that it can be deleted once it is old and its result has been decided on.
    if (posted && guildId !== undefined)
      await withStore(() => safety.serverLogs.record(guildId, { ...posted, at, heldTaskId: id }));
    const asked = await this.#change(id, (heldTask) =>
      posted ? setReviewMessage(addExtraMessage(heldTask, { ...posted, guildId }), posted) : heldTask,
    );
    // The time to decide was over before the question was stored.
    if (posted && isUndecided(asked)) await this.#closeQuestion(asked, attempts, posted);
    return 'asked';
  }

  /** Replaces the question about a result that no moderator has decided about in time. */
  async #closeQuestion({ guildId, requesterId: member, review }: Task, attempts: Attempts, posted?: MessagePlace) {
    const { channelId, id } = posted ?? { channelId: review?.channelId, id: review?.messageId };
    if (channelId === undefined || id === undefined) return;
    const { outbox, readers } = this.#sources;
    const say = await readers.sayTo({ guildId, channelId });
    const body = bodyOf({ content: say('task.review.undecided', { member }), files: [], controls: [] });
    const edit = () => outbox.edit({ by: 'edit', message: { channelId, id } }, body);
    await attempts.request('channel', NO_CHANNEL, edit);
  }

  async #post(task: Task, channelId: string, attempts: Attempts): Promise<MessagePlace | FailureKind | undefined> {
    const { outbox, readers } = this.#sources;
    const say = await readers.sayTo({ guildId: task.guildId, channelId });
    const { files, release } = await filesOf(task, this.#sources);
    try {
      const body = bodyOf({ ...reviewQuestion(task, say), files });
      return await attempts.request('channel', NO_CHANNEL, () => outbox.post(channelId, nonceOf(task), body));
    } finally {
      release();
    }
  }

  #change(id: string, transition: (task: Task) => Task): Promise<Task> {
    return withStore(() => this.#sources.tasks.book.change(id, transition));
  }
}

const isUndecided = ({ failure }: Task): boolean => failure?.refusal?.key === 'refusals.rules.resultUndecided';

const isVisual = ({ media }: Task): boolean => media.some(({ kind }) => kind !== 'audio');

const NO_CHANNEL = 'The log channel of a server could not be used.';

function refusalKeyOf({ isUnavailable, needsAgeRestriction }: ModerationOutcome): RefusalKey {
  if (isUnavailable) return 'refusals.rules.resultUnchecked';
  return needsAgeRestriction ? 'refusals.rules.resultElsewhere' : 'refusals.rules.resultRefused';
}

/** Differs from the nonces of the task's message and of a question that was deleted or, before a restore, decided. At most 25 characters. */
function nonceOf({ id, restored, review }: Task): string {
  if (review?.messageId !== undefined) return `${id}-${review.messageId.slice(-7)}`;
  return restored ? `${id}${restored.at.toString(36)}` : `${id}-review`;
}
