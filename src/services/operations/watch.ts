import type { AppContext } from '../../lib/app-context.ts';
import { HOUR_MS } from '../../lib/clock.ts';
import { entriesOf } from '../../lib/entries.ts';
import { repeat } from '../../lib/repeat.ts';
import type { Gateway } from '../gateway/gateway.ts';
import { reachedShare } from '../money/alerts.ts';
import type { Allowance } from '../money/allowance.ts';
import { createBalanceWatch } from '../money/balance.ts';
import type { OtherPartitions } from '../orders/other-partitions.ts';
import type { LaneTrouble } from '../orders/scheduler.ts';
import { type Findings, watchedTopics } from '../store/notice.ts';
import type { Runs } from '../store/runs.ts';
import type { StoredTasks } from '../store/stored-tasks.ts';
import type { Partition } from '../tasks/homes.ts';
import type { Domains } from './engine.ts';
import { areSettled, latestCredit, mergeByCause, type WatchedOccurrence } from './findings.ts';
import type { Notices } from './notices.ts';

/** How often everything is checked. Trouble in between is not noticed. */
const CHECK_INTERVAL_MS = 10_000;
/** Only trouble that lasts longer is reported, because a busy gateway asks for short pauses every day. */
const MIN_TROUBLE_MS = 60_000;

const DEFAULT_MODEL_UNLISTED =
  'The gateway does not list this default model, so requests that name no model may fail. Set another one and run npm run reload.';

export interface WatchContext extends AppContext {
  partition: Partition;
  others?: OtherPartitions | undefined;
  /** What the bots of all partitions but 0 know. */
  findingsElsewhere?: (() => Promise<(Findings | undefined)[]>) | undefined;
  gateway: Gateway;
  store: StoredTasks;
  domains: Domains;
  settings: { models: Readonly<Partial<Record<string, string>>> };
}

/** Checks regularly for what the operator needs to know. In a cluster, the bot of partition 0 notifies for all. */
export class Watch {
  readonly #context: WatchContext;
  readonly #notices: Notices;
  readonly #runs: Runs;
  readonly #balanceWatch: ReturnType<typeof createBalanceWatch>;
  /** The limits of the whole bot because of which an order was refused, and when they reset. */
  readonly #exceededUntil = new Map<string, number>();
  /** Default models that were logged, after the names of their settings. */
  readonly #loggedModels = new Set<string>();
  readonly #startedAt: number;
  #silentSince: number | undefined;
  #credit: Findings['credit'] = {};
  #elsewhere: readonly (Findings | undefined)[] = [];
  #reportedUnreadable = 0;
  #stopChecking: (() => Promise<void>) | undefined;

  constructor(context: WatchContext, notices: Notices, runs: Runs) {
    const { money, tasks } = context.domains;
    this.#startedAt = context.clock.now();
    this.#context = context;
    this.#notices = notices;
    this.#runs = runs;
    this.#balanceWatch = createBalanceWatch(context, context.gateway.usage, money.ledger);
    money.spending.onRefusal((exceeded) => {
      const { holder, resetsAt } = exceeded;
      if (holder === 'total' && resetsAt !== undefined) this.#exceededUntil.set(nameOf(exceeded), resetsAt);
    });
    tasks.orders.onCredit((kind, isAvailable) => {
      this.#credit[kind] = { isAvailable, at: context.clock.now() };
      if (this.#notifies) this.#updateCredit();
    });
  }

  get #notifies(): boolean {
    return this.#context.partition.number === 0;
  }

  start(): void {
    const { clock, log } = this.#context;
    this.#stopChecking = repeat(clock, async () => {
      try {
        await this.#reportUnreadable();
        this.#elsewhere = (await this.#context.findingsElsewhere?.()) ?? [];
      } catch (error) {
        log.info({ err: error }, 'What other partitions need to know could not be exchanged.');
      }
      this.refresh();
      return CHECK_INTERVAL_MS;
    });
    if (!this.#notifies) return;
    // The balance can only be interpreted if the unit of its amounts is known.
    if (this.#context.domains.money.usage.unit === 'cents') this.#balanceWatch.start();
  }

  /** Checks now, so that a page does not show trouble that it disproves. Does nothing before the start. */
  refresh(): void {
    if (this.#stopChecking && this.#notifies) this.#check();
  }

  /** What this bot knows of trouble that is noticed where it happens. */
  findings(): Findings {
    const occurrences = [
      ...this.#lanes(),
      ...this.#store(),
      // All partitions know how much is used, and only one that an order was refused because of it.
      ...this.#budgets().filter(({ facts }) => facts.share === 100),
      ...this.#models(),
      ...this.#moderation(),
    ];
    return { startedAt: this.#startedAt, occurrences, gateway: this.#gatewayState(), credit: this.#credit };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#stopChecking?.(), this.#balanceWatch.stop()]);
  }

  #check(): void {
    this.#runs.noteSeen();
    this.#updateGateway();
    this.#updateCredit();
    const own = [...this.#budgets(), ...this.#balance(), ...this.#defaultModels(), ...this.findings().occurrences];
    const limits = this.#limits();
    // While the settings are being changed, another worker may have other limits.
    const isKnown = ({ topic, subject, facts }: WatchedOccurrence): boolean =>
      topic !== 'budget' || limits.has(`${subject} ${facts?.limit}`);
    const elsewhere = this.#elsewhere.flatMap((one) => one?.occurrences.filter(isKnown) ?? []);
    const isComplete = areSettled(this.#elsewhere, this.#context.clock.now());
    this.#notices.update(watchedTopics, mergeByCause([...own, ...elsewhere]), isComplete);
    // A limit that is no longer set cannot be found again after a restart.
    for (const { topic, subject, facts } of this.#notices.ongoing)
      if (topic === 'budget' && !limits.has(`${subject} ${facts.limit}`)) this.#notices.end(topic, subject);
  }

  async #reportUnreadable(): Promise<void> {
    const { store, others } = this.#context;
    const { addedCount } = store.quarantine;
    const count = addedCount - this.#reportedUnreadable;
    if (count === 0) return;
    if (this.#notifies) this.#notices.report({ topic: 'unreadable' }, count);
    else await others?.send(0, { do: 'unreadable', count });
    this.#reportedUnreadable = addedCount;
  }

  /** Only the latest task of a kind shows whether the account has credit for it. */
  #updateCredit(): void {
    const elsewhere = this.#elsewhere.flatMap((one) => (one ? [one.credit] : []));
    for (const [subject, { isAvailable, at }] of latestCredit([this.#credit, ...elsewhere])) {
      if (isAvailable) this.#notices.end('noCredit', subject, at);
      // A later task may have been accepted in a partition that has passed to another worker since.
      else if (at > this.#creditKnownUntil(subject)) this.#notices.begin({ topic: 'noCredit', subject, since: at });
    }
  }

  /** What happened before is no news: a notice that has ended is known for an hour after it was sent. */
  #creditKnownUntil(kind: string): number {
    return Math.max(this.#notices.endOf('noCredit', kind) ?? 0, this.#context.clock.now() - HOUR_MS);
  }

  /** Call this if the gateway did not respond to the check at the start. */
  noteSilence(): void {
    this.#silentSince = this.#startedAt;
    this.refresh();
  }

  /** Once the gateway has accepted the key, each lane has its own notice. */
  #gatewayState(): Findings['gateway'] {
    const { gateway } = this.#context;
    const keyRejectedAt = gateway.keyRejectedAt();
    if (gateway.answeredAt() !== undefined) return { isAccepted: true };
    // A gateway that rejects the key has responded.
    if (keyRejectedAt !== undefined) return { isAccepted: false, keyRejectedAt };
    return { isAccepted: false, ...(this.#silentSince !== undefined && { silentSince: this.#silentSince }) };
  }

  #updateGateway(): void {
    const notices = this.#notices;
    const states = [this.#gatewayState(), ...this.#elsewhere.flatMap((one) => (one ? [one.gateway] : []))];
    const isAccepted = states.some((one) => one.isAccepted);
    // A worker may have another key or address than the others.
    const facts = isAccepted ? { isPartial: true } : {};
    const rejected = states.flatMap(({ keyRejectedAt }) => keyRejectedAt ?? []);
    const silent = states.flatMap(({ silentSince }) => silentSince ?? []);
    if (rejected.length > 0) notices.begin({ topic: 'gateway', subject: 'key', facts, since: Math.min(...rejected) });
    else if (isAccepted) notices.end('gateway', 'key');
    if (silent.length > 0) notices.begin({ topic: 'gateway', subject: 'silence', facts, since: Math.min(...silent) });
    else if (isAccepted || rejected.length > 0) notices.end('gateway', 'silence');
  }

  /** The limits of the whole bot that are in force. */
  #limits(): Set<string> {
    const allowances = this.#context.domains.money.spending.allowances({});
    return new Set(allowances.map((allowance) => `${nameOf(allowance)} ${allowance.limit}`));
  }

  #lanes(): WatchedOccurrence[] {
    const { domains, clock } = this.#context;
    const now = clock.now();
    // A refusal by the gateway does not end by itself.
    const isReportable = ({ kind, since }: LaneTrouble): boolean => kind === 'refused' || now - since >= MIN_TROUBLE_MS;
    return domains.tasks.scheduler
      .troubles()
      .filter(isReportable)
      .map(({ lane, kind, since }) => ({ topic: 'lane', subject: lane, facts: { kind }, since }));
  }

  #store(): WatchedOccurrence[] {
    const { store, domains } = this.#context;
    const outage = store.ownership.trouble();
    const failure = outage ? { since: outage.since, kind: 'unreachable' } : store.health.failure;
    const unsaved = domains.tasks.book.unsavedCount;
    if (!failure && unsaved === 0) return [];
    return [{ topic: 'store', facts: { kind: failure?.kind ?? 'failed', unsaved }, since: failure?.since }];
  }

  #balance(): WatchedOccurrence[] {
    const { lowBalance } = this.#balanceWatch;
    return lowBalance ? [{ topic: 'balance', facts: { ...lowBalance } }] : [];
  }

  /** Members can invent ids of models, so only listed ones are named. */
  #models(): WatchedOccurrence[] {
    const { tasks, models } = this.#context.domains;
    const { allFailing } = tasks.circuits;
    const listed = new Set(allFailing.length === 0 ? [] : models.lastListed.map(({ id }) => id));
    return allFailing.map(({ kind, model, since }): WatchedOccurrence => {
      if (model === undefined) return { topic: 'model', subject: kind, facts: { kind }, since };
      if (!listed.has(model))
        return { topic: 'model', subject: `${kind} (unlisted)`, facts: { kind, isUnlisted: true } };
      return { topic: 'model', subject: `${kind} ${model}`, facts: { kind, model }, since };
    });
  }

  #moderation(): WatchedOccurrence[] {
    const { domains, clock } = this.#context;
    const since = domains.safety.moderationAwaySince();
    return since === undefined || clock.now() - since < MIN_TROUBLE_MS ? [] : [{ topic: 'moderation', since }];
  }

  /** After a start or a reload, the latest list shows at once whether the gateway has the models of the settings. */
  #defaultModels(): WatchedOccurrence[] {
    const { gateway, settings, log } = this.#context;
    const { lastIds } = gateway.models;
    if (lastIds.size === 0) return [];
    return entriesOf(settings.models).flatMap(([purpose, model]): WatchedOccurrence[] => {
      if (model === undefined || lastIds.has(model)) return [];
      const setting = `DEFAULT_${purpose.toUpperCase()}_MODEL`;
      if (!this.#loggedModels.has(setting + model)) log.warn({ setting, model }, DEFAULT_MODEL_UNLISTED);
      this.#loggedModels.add(setting + model);
      return [{ topic: 'model', subject: setting, facts: { setting, model } }];
    });
  }

  /** Trouble with the limits of the whole bot; servers have their own alerts. */
  #budgets() {
    const { domains, clock } = this.#context;
    return domains.money.spending.allowances({}).flatMap((allowance) => {
      const { unit, limit, left, kind, period, resetsAt = 0 } = allowance;
      const subject = nameOf(allowance);
      const isExceeded = (this.#exceededUntil.get(subject) ?? 0) > clock.now();
      // Even if an expensive request was refused, the limit is not used up as long as most of it is left.
      const used = reachedShare(allowance);
      if (period === undefined || used === undefined) return [];
      const share = isExceeded ? 100 : used;
      const facts = { share, unit, limit, period, left, resets: resetsAt, ...(kind !== undefined && { kind }) };
      return [{ topic: 'budget' as const, subject, facts }];
    });
  }
}

const nameOf = ({ unit, period, kind = '' }: Allowance): string => `${unit} ${period} ${kind}`;
