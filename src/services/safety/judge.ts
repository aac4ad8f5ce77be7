import { ContentRefusal, Refusal } from '../../lib/refusal.ts';
import type { CommonRequest, TaskKind } from '../tasks/kind-spec.ts';
import type { Task } from '../tasks/task.ts';
import { DISCORD_HOSTS, isInDomains, linksIn, plainHost } from './links.ts';
import { cleanText, type FoldedText, foldText } from './rules/fold.ts';
import { MAX_JUDGED_LENGTH, textsOf } from './rules/judged-text.ts';
import { PatternList } from './rules/patterns.ts';
import { WordList } from './rules/word-list.ts';
import { type AccessRule, accessText, MENTIONS, type RuleName, type RuleSet } from './server-rules.ts';

export interface BrokenRule {
  /** The refusal names the rule, but nothing from its list. */
  refusal: Refusal;
  rule: RuleName;
  /** What matched, for admins. */
  entry?: string | undefined;
}

export interface MentionPlace {
  guildId?: string | undefined;
  channelId?: string | undefined;
  parentChannelId?: string | undefined;
  roleIds?: readonly string[] | undefined;
}

export interface JudgedRequest extends MentionPlace {
  kind: TaskKind;
  request: Task['request'];
}

/** An order, or a message to the bot, which access rules can name like a kind. */
interface JudgedAccess extends MentionPlace {
  kind: string;
  request: Task['request'];
}

interface KindWords {
  kinds: readonly string[] | undefined;
  words: WordList;
}

const MASK = '▇▇▇';

/** The rules of one server, prepared so that requests can be checked in memory. */
export class Judge {
  readonly #rules: RuleSet;
  readonly #words: readonly KindWords[];
  readonly #patterns: PatternList;
  readonly #allowed: WordList;
  readonly #allowedDomains: readonly string[] | undefined;
  readonly #deniedDomains: readonly string[];

  readonly #isOperators: boolean;

  /** Throws a `Refusal` for an invalid pattern. `isOperators`: no admin can change these rules, so refusals name the operator. */
  constructor(rules: RuleSet, isOperators = false) {
    this.#rules = rules;
    this.#isOperators = isOperators;
    this.#words = wordsByKinds(rules);
    this.#patterns = new PatternList(rules.patterns);
    this.#allowed = new WordList(rules.allowedWords);
    this.#allowedDomains = rules.allowedDomains?.map(plainHost);
    this.#deniedDomains = rules.deniedDomains.map(plainHost);
  }

  judge(order: JudgedRequest): BrokenRule | undefined {
    return this.#judgeAccess(order) ?? this.#judgeRequest(order);
  }

  allowsMentions(place: MentionPlace): boolean {
    return this.#judgeAccess({ ...place, kind: MENTIONS, request: {} }) === undefined;
  }

  /** Whether any rule applies to the text of orders of this kind. */
  judgesText(kind: string): boolean {
    return this.#hasDomains || this.#wordsFor(kind).length > 0 || this.#patterns.appliesTo(kind);
  }

  judgeText(kind: string, text: string): BrokenRule | undefined {
    if (!this.judgesText(kind)) return undefined;
    if (text.length > MAX_JUDGED_LENGTH) return { refusal: textTooLong(), rule: 'longestPrompt' };
    const link = this.#hasDomains ? linksIn(cleanText(text)).find((one) => !this.#allowsLink(one)) : undefined;
    if (link) {
      const rule = isInDomains(link.host, this.#deniedDomains) ? 'deniedDomains' : 'allowedDomains';
      return { refusal: new ContentRefusal('refusals.rules.link'), rule, entry: link.host };
    }
    return this.#blockedIn(kind, foldText(text));
  }

  /** Masks what is blocked for a kind: each blocked word, or the whole text if the match spans several words. */
  mask(kind: string, text: string): string {
    const isBlocked = (part: string): boolean => this.#blockedIn(kind, foldText(part)) !== undefined;
    if (!isBlocked(text)) return text;
    const masked = text.replace(/\S+/g, (word) => (isBlocked(word) ? MASK : word));
    return isBlocked(masked) ? MASK : masked;
  }

  get #hasDomains(): boolean {
    return this.#allowedDomains !== undefined || this.#deniedDomains.length > 0;
  }

  #judgeAccess(order: JudgedAccess): BrokenRule | undefined {
    const matchingRules = this.#rules.access.filter((rule) => appliesTo(rule, order));
    const denied = matchingRules.find(({ effect }) => effect === 'deny');
    if (denied) {
      const refusal = this.#accessRefusal(order, [denied], denied.channelIds !== undefined);
      return { refusal, rule: 'access', entry: accessText(denied) };
    }
    // If rules allow such requests for some members, everyone else is refused.
    const allows = this.#rules.access.filter((rule) => rule.effect === 'allow' && coversRequest(rule, order));
    const isAllowed = allows.length === 0 || allows.some((rule) => appliesTo(rule, order));
    if (isAllowed) return undefined;
    const isOnlyHere = allows.some((rule) => hasRole(rule, order));
    return { refusal: this.#accessRefusal(order, allows, isOnlyHere), rule: 'access' };
  }

  /** Names the model if the rules refuse only that: the member may not have chosen it. `isOnlyHere`: another channel may allow it. */
  #accessRefusal(
    { kind, request: { model } }: JudgedAccess,
    rules: readonly AccessRule[],
    isOnlyHere: boolean,
  ): Refusal {
    const side = this.#isOperators ? 'operator' : 'admin';
    const where = isOnlyHere ? 'here' : 'everywhere';
    const isAboutModel = rules.every(({ kinds, models }) => models !== undefined && !kinds?.includes(kind));
    if (model === undefined || !isAboutModel) return new Refusal(`refusals.rules.denied.${side}.request.${where}`);
    return new Refusal(`refusals.rules.denied.${side}.model.${where}`, { model });
  }

  #judgeRequest({ kind, request }: JudgedRequest): BrokenRule | undefined {
    const { longestPrompt } = this.#rules;
    const prompt = promptOf(request);
    if (longestPrompt !== undefined && [...prompt].length > longestPrompt)
      return {
        refusal: new Refusal('refusals.rules.tooLong', { max: longestPrompt, count: longestPrompt }),
        rule: 'longestPrompt',
      };
    return this.#judgeWords(kind, request);
  }

  /** Says where the blocked text is if the member did not write it, because they cannot change it in their request. */
  #judgeWords(kind: string, request: Task['request']): BrokenRule | undefined {
    const judge = (changes: object) => this.judgeText(kind, textsOf({ ...request, ...changes }).join('\n'));
    const broken = judge({});
    if (!(broken?.refusal instanceof ContentRefusal)) return broken;
    const { typed, words, typedWords = words, sources } = request;
    if (typed !== undefined && sources?.suffix !== undefined && !judge({ prompt: typed, words: typedWords })) {
      const whose = sources.suffix === 'member' ? 'own' : 'shared';
      return { ...broken, refusal: new ContentRefusal(`refusals.rules.suffix.${whose}`) };
    }
    const isQuoted = 'quote' in request && request.quote !== undefined && !judge({ quote: undefined });
    return isQuoted ? { ...broken, refusal: new ContentRefusal('refusals.rules.quoted') } : broken;
  }

  #blockedIn(kind: string, folded: FoldedText): BrokenRule | undefined {
    const { words, joinedWords, ...rest } = folded;
    const isJudged = (word: (typeof words)[number]): boolean => !this.#allowed.includes(word);
    const judged = { ...rest, words: words.filter(isJudged), joinedWords: joinedWords.filter(isJudged) };
    const plainText = words.map((word) => word.plain).join(' ');
    for (const list of this.#wordsFor(kind)) {
      const word = list.words.find(judged);
      if (word !== undefined) return { refusal: new ContentRefusal('refusals.rules.word'), rule: 'words', entry: word };
    }
    const entry = this.#patterns.find(kind, folded.clean) ?? this.#patterns.find(kind, plainText);
    return entry === undefined
      ? undefined
      : { refusal: new ContentRefusal('refusals.rules.pattern'), rule: 'patterns', entry };
  }

  #wordsFor(kind: string): KindWords[] {
    return this.#words.filter(({ kinds }) => kinds === undefined || kinds.includes(kind));
  }

  #allowsLink({ host, hasScheme }: { host: string; hasScheme: boolean }): boolean {
    if (isInDomains(host, this.#deniedDomains)) return false;
    if (!hasScheme || this.#allowedDomains === undefined) return true;
    return isInDomains(host, this.#allowedDomains) || isInDomains(host, DISCORD_HOSTS);
  }
}

/** The text as the member wrote it, without additions from options. */
const promptOf = ({ typed, prompt = '' }: CommonRequest): string => typed ?? prompt;

export const textTooLong = (): Refusal => new Refusal('refusals.rules.textTooLong', { max: MAX_JUDGED_LENGTH });

function wordsByKinds({ words }: RuleSet): KindWords[] {
  const entriesByKinds = Map.groupBy(words, ({ kinds }) => kinds?.toSorted().join());
  return [...entriesByKinds.values()].map((entries) => ({
    kinds: entries[0]?.kinds,
    words: new WordList(entries.map(({ text }) => text)),
  }));
}

function appliesTo(rule: AccessRule, order: JudgedAccess): boolean {
  const { channelIds } = rule;
  const isInChannel =
    channelIds === undefined ||
    channelIds.some((channel) => channel === order.channelId || channel === order.parentChannelId);
  return coversRequest(rule, order) && hasRole(rule, order) && isInChannel;
}

const hasRole = ({ roleIds }: AccessRule, order: JudgedAccess): boolean =>
  roleIds === undefined || hasAnyRole(order, roleIds);

/** Everyone has the role with the server's own id, and Discord does not list it. */
export const hasAnyRole = ({ guildId, roleIds = [] }: MentionPlace, wanted: readonly string[]): boolean =>
  wanted.some((role) => role === guildId || roleIds.includes(role));

function coversRequest({ kinds, models }: AccessRule, { kind, request: { model } }: JudgedAccess): boolean {
  if (kinds === undefined && models === undefined) return true;
  return (kinds?.includes(kind) ?? false) || (model !== undefined && (models ?? []).some((one) => isModel(one, model)));
}

const isModel = (pattern: string, model: string): boolean =>
  pattern.endsWith('*') ? model.startsWith(pattern.slice(0, -1)) : model === pattern;
