import { Attempts, withStore } from '../../discord/delivery/backoff.ts';
import type { InteractionFacts } from '../../discord/interaction-facts.ts';
import { bodyOf } from '../../discord/message-body.ts';
import { findPosted, WINDOW_MS } from '../../discord/outbox/adoption.ts';
import type { FailureKind } from '../../discord/outbox/errors.ts';
import { pause } from '../../lib/clock.ts';
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
  readonly #stopping = new AbortController();

  constructor(sources: MessageSources) {
    this.#sources = sources;
  }

  /** Receives every new state of a task. Returns true if its results must not be shown yet, because they are being checked. */
  intercept(task: Task): boolean {
    if (isLive(task) && task.failure?.refusal?.key === 'refusals.rules.resultUndecided')
      this.#start(task.id, (attempts) => this.#closeQuestion(task, attempts));
    if (task.state !== 'ready' || !isLive(task) || task.unwanted) return false;
    if (isHeld(task)) {
      if (task.review?.messageId === undefined)
        this.#start(task.id, (attempts) => this.#askModerators(task.id, attempts));
      return false;
    }
    if (task.review || !isVisual(task) || !this.#sources.safety.rules.judgesResults(task)) return false;
    this.#start(task.id, (attempts) => this.#judge(task, attempts));
    return true;
  }

  /**
   * Judges the results of a task by the rules of the place where they are shown again, unless the rules of its own place cover that. Throws
   * a `Refusal` if they do not allow the results there: no moderator can decide about a result of another server.
   */
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
    const workUnlessErased = (): Promise<void> =>
      work(attempts).catch((error: unknown) => {
        // The task was erased in the meantime.
        if (!(error instanceof Refusal)) throw error;
      });
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
    const { outbox } = this.#sources;
    // A restored store does not know when its moderators were asked before.
    const since = task.restored ? task.times.created : at;
    const intention = { by: 'channel', channelId, nonce: nonceOf(task), at: since, until: at + WINDOW_MS } as const;
    const existing = await attempts.request('channel', NO_CHANNEL, () => findPosted(task, intention, outbox));
    const posted = typeof existing === 'object' ? existing : await this.#post(task, channelId, attempts);
    const { guildId } = task;
    // The message is recorded, so that it can be deleted once it is old and its result has been decided on.
    if (typeof posted === 'object' && guildId !== undefined)
      await withStore(() => this.#sources.safety.serverLogs.record(guildId, { ...posted, at, heldTaskId: id }));
    await this.#change(id, (heldTask) => {
      if (typeof posted === 'string')
        return markResultsRefused(heldTask, { at, category }, 'refusals.rules.resultUndecidable');
      return posted ? setReviewMessage(addExtraMessage(heldTask, { ...posted, guildId }), posted.id) : heldTask;
    });
  }

  /** Replaces the question about a result that no moderator has decided about in time. */
  async #closeQuestion({ guildId, requesterId: member, review }: Task, attempts: Attempts): Promise<void> {
    const { channelId, messageId: id } = review ?? {};
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

const isVisual = ({ media }: Task): boolean => media.some(({ kind }) => kind !== 'audio');

const NO_CHANNEL = 'The log channel of a server could not be used.';

function refusalKeyOf({ isUnavailable, needsAgeRestriction }: ModerationOutcome): RefusalKey {
  if (isUnavailable) return 'refusals.rules.resultUnchecked';
  return needsAgeRestriction ? 'refusals.rules.resultElsewhere' : 'refusals.rules.resultRefused';
}

/** Differs from the nonce of the task's message, and after a restore from that of the question that was decided before. At most 25 characters. */
const nonceOf = ({ id, restored }: Task): string => (restored ? `${id}${restored.at.toString(36)}` : `${id}-review`);
