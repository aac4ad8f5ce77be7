import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Listeners } from '../../lib/listeners.ts';
import { once } from '../../lib/once.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { ContentRefusal, Refusal } from '../../lib/refusal.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import type { Traits } from '../tasks/kind-spec.ts';
import { type Task, withRequest } from '../tasks/task.ts';
import { type BrokenRule, hasAnyRole, Judge, type JudgedRequest, type MentionPlace, textTooLong } from './judge.ts';
import { ALLOWED, type ModerationOutcome, moderateOrder, moderationOutcome, stricterOutcome } from './moderation.ts';
import type { ModerationService } from './moderation-service.ts';
import { judgedPieces, MAX_JUDGED_LENGTH, textsOf } from './rules/judged-text.ts';
import {
  NO_RULES,
  type RuleName,
  type RuleSet,
  ruleNames,
  type ServerRules,
  serverRules,
  withoutAuthor,
} from './server-rules.ts';

type RuleRow = ServerRules & { guildId: string };
export type RuleStore = Pick<StoredRows<RuleRow, { guildId: string }>, 'all' | 'get' | 'put'>;

export interface JudgedOrder extends JudgedRequest {
  requesterId: string;
  isAgeRestricted?: true | undefined;
}

/** The place where results are shown, and why moderators have to decide about them anyway. */
interface JudgedResults {
  guildId?: string | undefined;
  isAgeRestricted?: true | undefined;
  holdFor?: Task['holdFor'];
}

/** The results as data URIs; undefined for a result that cannot be judged. */
export type ResultImages = readonly (string | undefined)[];

/** Reads the files of an order when they are needed. */
export interface OrderFiles {
  /** As data URIs. */
  images(): Promise<readonly string[]>;
  /** The text of each document that contains nothing but text. */
  documents(): Promise<readonly string[]>;
}

/** A refusal as shown to the admins of the server. */
export interface RuleRefusal extends Omit<BrokenRule, 'refusal'> {
  /** A result that is refused has been generated and charged. */
  what: 'request' | 'result';
  /** Whether the moderation service did not check it, so it may be harmless. */
  isUnchecked: boolean;
  /** Whether the operator set the rule, so that admins do not find it among theirs. */
  isOperators: boolean;
  guildId: string;
  memberId: string;
  channelId: string | undefined;
}

export interface Presser {
  userId: string;
  roleIds: readonly string[];
}

/** The parts of a request that messages show. */
const SHOWN_FIELDS = ['prompt', 'typed', 'title', 'words', 'instructions', 'style'] as const;

const NO_FILES: OrderFiles = { images: async () => [], documents: async () => [] };

const OPERATOR = 'operator';

/** How many servers' prepared rules are cached; preparing them again takes a few milliseconds. */
const MAX_PREPARED = 500;

/** What each server allows. Kept in memory, because every order is checked. A change is stored first. */
export class Rules {
  readonly #store: RuleStore;
  /** The operator's rules. They take precedence over those of servers, and also apply outside of servers. */
  #operatorRules: RuleSet;
  /** Undefined if no moderation service is configured. */
  readonly #moderationService: ModerationService | undefined;
  readonly #ownRules = new Map<string, ServerRules>();
  readonly #borrowedRules = new RecentMap<string, ServerRules>(MAX_PREPARED);
  readonly #preparedRules = new RecentMap<string, { rules: RuleSet; judge: Judge }>(MAX_PREPARED);
  readonly #lock = new KeyedLock();
  readonly #changes = new Listeners<[guildId: string, updated: ServerRules, count: number]>();
  readonly #refusals = new Listeners<[refusal: RuleRefusal]>();
  /** `count`: the number of new entries in the history. */
  readonly onChange = this.#changes.add;
  /** Called with every request and result that a server's rules refuse. */
  readonly onRefusal = this.#refusals.add;

  constructor(store: RuleStore, operatorRules: RuleSet, moderationService?: ModerationService | undefined) {
    this.#store = store;
    this.#operatorRules = operatorRules;
    this.#moderationService = moderationService;
  }

  setOperatorRules(rules: RuleSet): void {
    this.#operatorRules = rules;
  }

  async open(): Promise<void> {
    for (const { guildId, ...rules } of await this.#store.all()) this.#ownRules.set(guildId, rules);
  }

  get(guildId: string): ServerRules {
    return this.#ownRules.get(guildId) ?? this.#borrowedRules.get(guildId) ?? NO_RULES;
  }

  /** Keeps a copy of rules that belong to another partition, for interactions in that server with tasks of this partition. */
  borrow(guildId: string, read: ServerRules): void {
    const known = this.#borrowedRules.get(guildId);
    // The same object is kept as long as nothing has changed, so that it is prepared only once.
    this.#borrowedRules.set(guildId, isDeepStrictEqual(known, read) && known ? known : read);
  }

  /** The servers whose admins do not know yet that their rules could not be read. */
  get untoldServers(): string[] {
    return [...this.#ownRules].flatMap(([guildId, { unreadable }]) => (unreadable === 'untold' ? [guildId] : []));
  }

  markTold(guildId: string): Promise<ServerRules> {
    return this.change(guildId, (known) => (known.unreadable ? { ...known, unreadable: 'told' } : known));
  }

  /** The servers whose log messages are deleted after some days. */
  logRetentions(): { guildId: string; days: number }[] {
    return [...this.#ownRules].flatMap(([guildId, { logDays: days }]) =>
      days === undefined ? [] : [{ guildId, days }],
    );
  }

  change(guildId: string, transition: (known: ServerRules) => ServerRules): Promise<ServerRules> {
    return this.#lock.run(guildId, async () => {
      const previous = this.get(guildId);
      const updated = transition(previous);
      if (updated === previous) return previous;
      // Preparing the rules throws a `Refusal` if a pattern is invalid.
      this.#judge(guildId, updated.rules);
      if (updated.proposed !== previous.proposed && updated.proposed)
        this.#judge(updated.proposed.id, updated.proposed.rules);
      // What could not be read at the next start would take all rules of the server with it.
      serverRules.parse(updated, { jitless: true });
      await this.#store.put({ guildId, ...updated });
      this.#ownRules.set(guildId, updated);
      // The erasure of a member's data changes only the history, so listeners are not notified.
      const hasLogChanged = updated.logChannelId !== previous.logChannelId || updated.logDays !== previous.logDays;
      if (updated.rules !== previous.rules || hasLogChanged) {
        const lastEntry = previous.history.at(-1);
        const count = updated.history.length - 1 - (lastEntry ? updated.history.lastIndexOf(lastEntry) : -1);
        this.#changes.notify(guildId, updated, count);
      }
      return updated;
    });
  }

  /** Throws the `Refusal` of the first rule that an order breaks. The operator's rules are checked before the server's. */
  assertAllowed(order: JudgedOrder): void {
    if (order.guildId !== undefined && this.get(order.guildId).unreadable)
      throw new Refusal('refusals.rules.unreadable');
    for (const [name, rules] of this.#setsFor(order.guildId)) {
      const broken = this.#judge(name, rules).judge(order);
      if (broken) throw this.#reportRefusal(order, name, broken);
    }
  }

  /** Whether members may request tasks of a kind at all, or with a model; words and links are not considered. */
  allowsKind(order: Omit<JudgedRequest, 'request'>, model?: string): boolean {
    const request = model === undefined ? {} : { model };
    return this.#setsFor(order.guildId).every(
      ([name, rules]) => !this.#judge(name, rules).judge({ ...order, request }),
    );
  }

  /** Whether messages to the bot are answered in a place, for members with these roles. */
  allowsMentions(place: MentionPlace): boolean {
    return this.#setsFor(place.guildId).every(([name, rules]) => this.#judge(name, rules).allowsMentions(place));
  }

  get setByOperator(): RuleName[] {
    return ruleNames.filter((name) => !isDeepStrictEqual(this.#operatorRules[name], NO_RULES.rules[name]));
  }

  /** Which members the operator lets use what, on all servers. */
  get operatorAccess(): RuleSet['access'] {
    return this.#operatorRules.access;
  }

  get hasModerationService(): boolean {
    return this.#moderationService !== undefined;
  }

  /** Those of these categories that the moderation service does not score, and those that it scores; undefined if it does not say. */
  async unknownCategories(names: readonly string[]): Promise<{ unknown: string[]; known: string[] } | undefined> {
    const judgement = names.length === 0 ? undefined : await this.#moderationService?.judgeText('-');
    const known = Object.keys(judgement?.scores ?? {});
    return known.length === 0 ? undefined : { unknown: names.filter((name) => !known.includes(name)), known };
  }

  /** The moderation that the operator and a server have chosen, which both apply there. */
  moderationIn(guildId: string): RuleSet['moderation'][] {
    return this.#setsFor(guildId).map(([, { moderation }]) => moderation);
  }

  /**
   * Judges the documents of an order, and moderates its text and images, by the rules of the operator and the server. Returns it unchanged, or
   * with its results behind a spoiler or held for review. Throws a `Refusal` if it is not allowed.
   */
  async moderate<O extends JudgedOrder>(order: O, { isVisual = false }: Traits, files: OrderFiles): Promise<O> {
    const { guildId, request, isAgeRestricted } = order;
    const texts = await this.#textsToCheck(order, files);
    const images = once(() => files.images());
    let isSpoiler = false;
    let holdFor: Task['holdFor'];
    for (const [name, rules] of this.#setsFor(guildId)) {
      const moderatedOrder = { texts, isAgeRestricted, isVisual, images };
      const outcome = await moderateOrder(moderatedOrder, rules, this.#moderationService);
      if (!outcome.isAllowed) throw this.#reportRefusal(order, name, outcome);
      isSpoiler ||= outcome.isSpoiler;
      holdFor ??= outcome.holdFor;
    }
    const heldOrder = holdFor ? { ...order, holdFor } : order;
    return isSpoiler ? { ...heldOrder, request: { ...request, spoiler: 'required' } } : heldOrder;
  }

  /** All text of an order that the service may have to see, in pieces. Words, patterns and links in its documents are judged here. */
  async #textsToCheck(order: JudgedOrder, files: OrderFiles): Promise<string[]> {
    const { kind, request } = order;
    const judges = this.#setsFor(order.guildId).map(([name, rules]) => ({
      name,
      rules,
      judge: this.#judge(name, rules),
    }));
    const isChecked = judges.some(({ rules, judge }) => rules.moderation.prompts !== 'off' || judge.judgesText(kind));
    if (!isChecked) return [];
    const documents = request.documents ? await files.documents() : [];
    const text = [...textsOf(request), ...documents].join('\n');
    if (text.length > MAX_JUDGED_LENGTH) throw textTooLong();
    for (const piece of documents.flatMap(judgedPieces)) {
      for (const { name, judge } of judges) {
        const broken = judge.judgeText(kind, piece);
        if (broken) throw this.#reportRefusal(order, name, broken);
      }
      await setImmediate();
    }
    return judgedPieces(text);
  }

  /** Whether a task's results must be checked by the service or a moderator before anyone sees them. */
  judgesResults({ guildId, holdFor }: JudgedResults): boolean {
    return holdFor !== undefined || this.#setsFor(guildId).some(([, { moderation }]) => moderation.results !== 'off');
  }

  /** Decides what happens to a task's results according to the rules of the operator and the server. */
  async judgeResults(
    { guildId, isAgeRestricted, holdFor }: JudgedResults,
    images: ResultImages,
  ): Promise<ModerationOutcome> {
    const sets = this.#setsFor(guildId)
      .map(([, { moderation }]) => moderation)
      .filter(({ results }) => results !== 'off');
    let strictest: ModerationOutcome = holdFor ? { action: 'hold', ...holdFor } : ALLOWED;
    if (sets.length === 0) return strictest;
    for (const image of images) {
      const judgement = image === undefined ? undefined : await this.#moderationService?.judgeImage(image);
      for (const moderation of sets) {
        const { results, unseen } = moderation;
        const unjudged: ModerationOutcome = unseen === 'hold' ? { action: 'hold' } : ALLOWED;
        const options = {
          action: results === 'off' ? 'allow' : results,
          isAgeRestricted: isAgeRestricted === true,
        } as const;
        strictest = stricterOutcome(
          strictest,
          image === undefined ? unjudged : moderationOutcome(judgement, moderation, options),
        );
      }
      if (strictest.action === 'refuse') break;
    }
    return strictest;
  }

  reportRefusedResult({ guildId, requesterId: memberId, channelId }: Task, entry: string | undefined): void {
    const refused = { isUnchecked: entry === undefined, isOperators: false };
    this.#notifyRefusal({ what: 'result', rule: 'moderation', ...refused, entry, guildId, memberId, channelId });
  }

  /** A task as it can be shown in another server: without the words that are blocked there. */
  maskTask(task: Task, guildId: string | undefined): Task {
    if (guildId === undefined || guildId === task.guildId) return task;
    const { rules } = this.get(guildId);
    if (rules.words.length + rules.patterns.length === 0) return task;
    const judge = this.#judge(guildId, rules);
    const mask = (text: string): string => judge.mask(task.kind, text);
    const { text } = task;
    const maskedFields = SHOWN_FIELDS.flatMap((name) => {
      const value = task.request[name];
      return value === undefined ? [] : [[name, mask(value)] as const];
    });
    return { ...withRequest(task, Object.fromEntries(maskedFields)), ...(text !== undefined && { text: mask(text) }) };
  }

  /** Whether a text in which the bot repeats a member's words is blocked. */
  blocksText({ guildId, kind }: { guildId?: string | undefined; kind: JudgedOrder['kind'] }, text: string): boolean {
    return this.#setsFor(guildId).some(([name, rules]) => this.#judge(name, rules).judgeText(kind, text) !== undefined);
  }

  /** Throws if a text that later requests will contain is not allowed there, or would have to be held. */
  async assertTextAllowed(order: Omit<JudgedOrder, 'request'>, text: string): Promise<void> {
    const request = { instructions: text };
    const judged: JudgedOrder & Pick<Task, 'holdFor'> = { ...order, request };
    if (this.blocksText(order, text) || (await this.moderate(judged, {}, NO_FILES)).holdFor)
      throw new ContentRefusal('refusals.settings.textRefused');
  }

  /** Throws if the buttons on results are reserved for their owners or for roles that the member does not have. */
  assertMayPress({ requesterId, guildId }: Pick<Task, 'requesterId' | 'guildId'>, { userId, roleIds }: Presser): void {
    if (guildId === undefined || requesterId === userId) return;
    for (const [name, { pressers }] of this.#setsFor(guildId)) {
      if (pressers === 'everyone') continue;
      if (pressers === 'requester' || !hasAnyRole({ guildId, roleIds }, pressers.roleIds))
        throw new Refusal(`refusals.rules.press.${name === OPERATOR ? 'operator' : 'admin'}`);
    }
  }

  isPrivateByDefault(guildId: string, command: string): boolean {
    return this.#setsFor(guildId).some(([, { privateCommands }]) => privateCommands.includes(command));
  }

  allowsPersonalInstalls(guildId: string): boolean {
    return this.#setsFor(guildId).every(([, { personalInstalls }]) => personalInstalls);
  }

  async eraseId(memberId: string): Promise<void> {
    for (const [guildId, { history, proposed }] of this.#ownRules)
      if (proposed?.by === memberId || history.some(({ by }) => by === memberId))
        await this.change(guildId, (known) => withoutAuthor(known, memberId));
  }

  /** The operator's rules come first. Most servers have none. */
  #setsFor(guildId: string | undefined): (readonly [name: string, RuleSet])[] {
    const operatorRules = [OPERATOR, this.#operatorRules] as const;
    const ownRules = guildId === undefined ? [] : [[guildId, this.get(guildId).rules] as const];
    return [operatorRules, ...ownRules].filter(([, rules]) => rules !== NO_RULES.rules);
  }

  #reportRefusal(
    { guildId, requesterId: memberId, channelId }: JudgedOrder,
    name: string,
    broken: BrokenRule,
  ): Refusal {
    const { refusal, rule, entry } = broken;
    // The admins of a server must not see what the operator blocks.
    const isOperators = name === OPERATOR;
    const shown = { entry: isOperators ? undefined : entry, isOperators };
    const isUnchecked = refusal.key === 'refusals.rules.moderationUnavailable';
    this.#notifyRefusal({ what: 'request', rule, isUnchecked, ...shown, guildId, memberId, channelId });
    return refusal;
  }

  #notifyRefusal({ guildId, ...refusal }: Omit<RuleRefusal, 'guildId'> & { guildId: string | undefined }): void {
    if (guildId !== undefined) this.#refusals.notify({ ...refusal, guildId });
  }

  #judge(name: string, rules: RuleSet): Judge {
    const cached = this.#preparedRules.get(name);
    const prepared = cached?.rules === rules ? cached : { rules, judge: new Judge(rules, name === OPERATOR) };
    this.#preparedRules.set(name, prepared);
    return prepared.judge;
  }
}

export const rulesAbout = (memberId: string, rules: readonly RuleRow[]): object[] =>
  rules.flatMap(({ guildId, history }) => {
    const changes = history.filter(({ by }) => by === memberId);
    return changes.length === 0 ? [] : [{ guildId, changes }];
  });
