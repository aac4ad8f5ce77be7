import type { AppContext } from '../../lib/app-context.ts';
import { entriesOf } from '../../lib/entries.ts';
import { repeat } from '../../lib/repeat.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { reachedShare } from '../money/alerts.ts';
import type { Allowance } from '../money/allowance.ts';
import { BalanceWatch } from '../money/balance.ts';
import type { LaneTrouble } from '../orders/scheduler.ts';
import { type Occurrence, watchedTopics } from '../store/notice.ts';
import type { Runs } from '../store/runs.ts';
import type { StoredTasks } from '../store/stored-tasks.ts';
import type { Domains } from './engine.ts';
import type { Notices } from './notices.ts';

/** How often everything is checked. Trouble in between is not noticed. */
const CHECK_INTERVAL_MS = 10_000;
/** Only trouble that lasts longer is reported, because a busy gateway asks for short pauses every day. */
const MIN_TROUBLE_MS = 60_000;

const DEFAULT_MODEL_UNLISTED =
  'The gateway does not list this default model, so requests that name no model may fail. Set another one and run npm run reload.';

export interface WatchContext extends AppContext {
  gateway: Gateway;
  store: StoredTasks;
  domains: Domains;
  settings: { models: Readonly<Partial<Record<string, string>>> };
}

/** Checks regularly for what the operator needs to know. */
export class Watch {
  readonly #context: WatchContext;
  readonly #notices: Notices;
  readonly #runs: Runs;
  readonly #balanceWatch: BalanceWatch;
  /** The limits of the whole bot because of which an order was refused, and when they reset. */
  readonly #exceededUntil = new Map<string, number>();
  /** Default models that were logged, after the names of their settings. */
  readonly #loggedModels = new Set<string>();
  #reportedUnreadable = 0;
  #stopChecking: (() => Promise<void>) | undefined;

  constructor(context: WatchContext, notices: Notices, runs: Runs) {
    const { money } = context.domains;
    this.#context = context;
    this.#notices = notices;
    this.#runs = runs;
    this.#balanceWatch = new BalanceWatch(context, context.gateway.usage, money.ledger);
    money.spending.onRefusal((exceeded) => {
      const { holder, resetsAt } = exceeded;
      if (holder === 'total' && resetsAt !== undefined) this.#exceededUntil.set(nameOf(exceeded), resetsAt);
    });
  }

  start(): void {
    this.#stopChecking = repeat(this.#context.clock, async () => {
      this.#check();
      return CHECK_INTERVAL_MS;
    });
    // The balance can only be interpreted if the unit of its amounts is known.
    if (this.#context.domains.money.usage.unit === 'cents') this.#balanceWatch.start();
  }

  /** Checks now, so that a page does not show trouble that it disproves. Does nothing before the start. */
  refresh(): void {
    if (this.#stopChecking) this.#check();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#stopChecking?.(), this.#balanceWatch.stop()]);
  }

  #check(): void {
    const notices = this.#notices;
    const { store } = this.#context;
    this.#runs.noteSeen();
    this.#updateGateway();
    const { addedCount } = store.quarantine;
    if (addedCount > this.#reportedUnreadable)
      notices.report({ topic: 'unreadable' }, addedCount - this.#reportedUnreadable);
    this.#reportedUnreadable = addedCount;
    notices.update(watchedTopics, [
      ...this.#lanes(),
      ...this.#store(),
      ...this.#budgets(),
      ...this.#balance(),
      ...this.#models(),
      ...this.#moderation(),
      ...this.#defaultModels(),
    ]);
    this.#endFormerBudgets();
  }

  /** The start reports a gateway that is silent or rejects the key. Once it has accepted the key, each lane has its own notice. */
  #updateGateway(): void {
    const notices = this.#notices;
    const { gateway } = this.#context;
    const [since, isAccepted] = [gateway.keyRejectedAt(), gateway.answeredAt() !== undefined];
    if (isAccepted) notices.end('gateway', 'key');
    else if (since !== undefined) notices.begin({ topic: 'gateway', subject: 'key', since });
    if (isAccepted || since !== undefined) notices.end('gateway', 'silence');
  }

  /** A limit that is no longer set cannot be found again after a restart. */
  #endFormerBudgets(): void {
    const limits = new Set(
      this.#context.domains.money.spending.allowances({}).map((allowance) => `${nameOf(allowance)} ${allowance.limit}`),
    );
    for (const { topic, subject, facts } of this.#notices.ongoing)
      if (topic === 'budget' && !limits.has(`${subject} ${facts.limit}`)) this.#notices.end(topic, subject);
  }

  #lanes(): Occurrence[] {
    const { domains, clock } = this.#context;
    const now = clock.now();
    // A refusal by the gateway does not end by itself.
    const isReportable = ({ kind, since }: LaneTrouble): boolean => kind === 'refused' || now - since >= MIN_TROUBLE_MS;
    return domains.tasks.scheduler
      .troubles()
      .filter(isReportable)
      .map(({ lane, kind, since }) => ({ topic: 'lane', subject: lane, facts: { kind }, since }));
  }

  #store(): Occurrence[] {
    const { store, domains } = this.#context;
    const outage = store.ownership.trouble();
    const failure = outage ? { since: outage.since, kind: 'unreachable' } : store.health.failure;
    const unsaved = domains.tasks.book.unsavedCount;
    if (!failure && unsaved === 0) return [];
    return [{ topic: 'store', facts: { kind: failure?.kind ?? 'failed', unsaved }, since: failure?.since }];
  }

  #balance(): Occurrence[] {
    const { lowBalance } = this.#balanceWatch;
    return lowBalance ? [{ topic: 'balance', facts: { ...lowBalance } }] : [];
  }

  /** Members can invent ids of models, so only listed ones are named. */
  #models(): Occurrence[] {
    const { tasks, models } = this.#context.domains;
    const { allFailing } = tasks.circuits;
    const listed = new Set(allFailing.length === 0 ? [] : models.lastListed.map(({ id }) => id));
    return allFailing.map(({ kind, model, since }): Occurrence => {
      if (model === undefined) return { topic: 'model', subject: kind, facts: { kind }, since };
      if (!listed.has(model))
        return { topic: 'model', subject: `${kind} (unlisted)`, facts: { kind, isUnlisted: true } };
      return { topic: 'model', subject: `${kind} ${model}`, facts: { kind, model }, since };
    });
  }

  #moderation(): Occurrence[] {
    const { domains, clock } = this.#context;
    const since = domains.safety.moderationAwaySince();
    return since === undefined || clock.now() - since < MIN_TROUBLE_MS ? [] : [{ topic: 'moderation', since }];
  }

  /** After a start or a reload, the latest list shows at once whether the gateway has the models of the settings. */
  #defaultModels(): Occurrence[] {
    const { gateway, settings, log } = this.#context;
    const { lastIds } = gateway.models;
    if (lastIds.size === 0) return [];
    return entriesOf(settings.models).flatMap(([purpose, model]): Occurrence[] => {
      if (model === undefined || lastIds.has(model)) return [];
      const setting = `DEFAULT_${purpose.toUpperCase()}_MODEL`;
      if (!this.#loggedModels.has(setting + model)) log.warn({ setting, model }, DEFAULT_MODEL_UNLISTED);
      this.#loggedModels.add(setting + model);
      return [{ topic: 'model', subject: setting, facts: { setting, model } }];
    });
  }

  /** Trouble with the limits of the whole bot; servers have their own alerts. */
  #budgets(): Occurrence[] {
    const { domains, clock } = this.#context;
    return domains.money.spending.allowances({}).flatMap((allowance): Occurrence[] => {
      const { unit, limit, left, kind, period, resetsAt = 0 } = allowance;
      const subject = nameOf(allowance);
      const isExceeded = (this.#exceededUntil.get(subject) ?? 0) > clock.now();
      // Even if an expensive request was refused, the limit is not used up as long as most of it is left.
      const used = reachedShare(allowance);
      if (period === undefined || used === undefined) return [];
      const share = isExceeded ? 100 : used;
      const facts = { share, unit, limit, period, left, resets: resetsAt, ...(kind !== undefined && { kind }) };
      return [{ topic: 'budget', subject, facts }];
    });
  }
}

const nameOf = ({ unit, period, kind = '' }: Allowance): string => `${unit} ${period} ${kind}`;
