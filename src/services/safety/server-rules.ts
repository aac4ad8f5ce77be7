import { z } from 'zod';
import { type Frozen, keysOf } from '../../lib/entries.ts';
import { foldBlockedWords } from './rules/fold.ts';
import { WordList } from './rules/word-list.ts';

export const MAX_WORDS = 1_000;
export const MAX_PATTERNS = 100;
export const MAX_WORD_LENGTH = 60;
export const MAX_PATTERN_LENGTH = 200;
export const MAX_DOMAINS = 200;
/** Moderation services have about a dozen categories. */
export const MAX_THRESHOLDS = 30;
export const MAX_ACCESS_RULES = 25;
export const MAX_LIST_ENTRIES = 25;
export const MAX_MODEL_LENGTH = 200;
/** The whole history is stored in one row, because admins rarely change rules. */
const MAX_HISTORY = 200;

/** Undefined means every kind of task. An empty list would look like that, but match none. */
const kindList = z.array(z.string().max(40)).min(1).max(MAX_LIST_ENTRIES).optional();
const id = z.string().regex(/^\d{17,20}$/);
const ids = z.array(id).min(1).max(MAX_LIST_ENTRIES);

/** Without letters and digits, or with `*` before them, an entry would block nothing. */
const blocksSomething = (text: string): boolean => !text.startsWith('*') && foldBlockedWords(text).length > 0;

/** An exception is one word of the text; where a script has no spaces, there are no words to compare. */
function allowsSomething(text: string): boolean {
  const [first, ...others] = foldBlockedWords(text);
  return first !== undefined && others.length === 0 && new WordList([text]).includes(first);
}

export const allowedWord = z.string().min(1).max(MAX_WORD_LENGTH).refine(allowsSomething);

export const word = z.object({
  text: z.string().min(1).max(MAX_WORD_LENGTH).refine(blocksSomething),
  kinds: kindList,
});
const pattern = z.object({ text: z.string().min(1).max(MAX_PATTERN_LENGTH), kinds: kindList });
/** A host name, which includes its subdomains. */
export const domain = z
  .string()
  .max(253)
  .regex(/^(?:[\p{L}\p{N}_-]{1,63}\.)+[\p{L}\p{N}-]{2,63}$/u);

/** What an access rule calls messages to the bot, beside the kinds of tasks. */
export const MENTIONS = 'mentions';

/** A condition that is not set matches everything, so a rule without roles applies to everyone. */
const accessRule = z.object({
  effect: z.enum(['allow', 'deny']),
  kinds: kindList,
  /** Ids of models. One that ends with `*` stands for all ids with that prefix. */
  models: z.array(z.string().min(1).max(MAX_MODEL_LENGTH)).min(1).max(MAX_LIST_ENTRIES).optional(),
  roleIds: ids.optional(),
  channelIds: ids.optional(),
});
export type AccessRule = Frozen<z.output<typeof accessRule>>;

/** What happens to content that the moderation service flags. */
const moderation = z.object({
  prompts: z.enum(['off', 'refuse', 'spoiler', 'hold']).default('off'),
  /** Images that members attach. */
  references: z.enum(['off', 'refuse', 'spoiler', 'hold']).default('off'),
  /** Images, and videos by their thumbnails. */
  results: z.enum(['off', 'refuse', 'spoiler', 'hold']).default('off'),
  /** Results that the service cannot check: videos without a thumbnail, and files that could not be fetched. */
  unseen: z.enum(['show', 'hold']).default('show'),
  /**
   * What happens to content that the service flags as sexual: the same as to everything else, never allowed, behind a spoiler, or only in
   * age-restricted channels.
   */
  ageRestricted: z.enum(['like-others', 'refuse', 'spoiler', 'channels']).default('like-others'),
  whenAway: z.enum(['allow', 'refuse']).default('refuse'),
  /** The lowest score for which content is flagged, by category. It replaces the service's own decision. */
  thresholds: z
    .record(z.string().max(60), z.number().min(0).max(1))
    .refine((thresholds) => Object.keys(thresholds).length <= MAX_THRESHOLDS, `At most ${MAX_THRESHOLDS} categories`)
    .default({}),
});

/** The maximum log retention period. */
export const MAX_LOG_DAYS = 365;

/** The rules themselves, in the format for exports, imports and the operator's file. */
export const ruleSet = z.object({
  words: z.array(word).max(MAX_WORDS).default([]),
  /** Words that are never blocked, even if they look like a blocked one. */
  allowedWords: z.array(allowedWord).max(MAX_WORDS).default([]),
  patterns: z.array(pattern).max(MAX_PATTERNS).default([]),
  /** If undefined, all domains are allowed that are not denied. */
  allowedDomains: z.array(domain).min(1).max(MAX_DOMAINS).optional(),
  deniedDomains: z.array(domain).max(MAX_DOMAINS).default([]),
  longestPrompt: z.int().min(1).max(100_000).optional(),
  access: z.array(accessRule).max(MAX_ACCESS_RULES).default([]),
  /** Who can press buttons on others' results. */
  pressers: z.union([z.enum(['everyone', 'requester']), z.object({ roleIds: ids })]).default('everyone'),
  /** Commands that reply in private unless the member chooses otherwise. */
  privateCommands: z.array(z.string().max(32)).max(MAX_LIST_ENTRIES).default([]),
  /** Whether members can use the bot here if they, and not the server, have installed it. */
  personalInstalls: z.boolean().default(true),
  moderation: moderation.prefault({}),
});
export type RuleSet = Frozen<z.output<typeof ruleSet>>;

export const ruleNames = keysOf(ruleSet.shape);
export type RuleName = (typeof ruleNames)[number];

const change = z.object({
  at: z.number(),
  /** The admin who made the change; undefined after their erasure. */
  by: z.string().optional(),
  what: z.enum([...ruleNames, 'log-channel', 'log-retention']),
  /** The value, or of a list the entries that were removed. */
  before: z.string().optional(),
  /** The value, or of a list the entries that were added. */
  after: z.string().optional(),
});
type RuleChange = z.output<typeof change>;

/** What the admins of one server have decided about its content. */
export const serverRules = z.object({
  rules: ruleSet,
  /** The channel where changes, and requests and results that a rule refused, are posted. */
  logChannelId: id.optional(),
  /** The number of days after which the bot deletes its messages there; undefined to keep them. */
  logDays: z.int().min(1).max(MAX_LOG_DAYS).optional(),
  /** Rules that wait for their admin's decision. */
  proposed: z.object({ id: z.string(), rules: ruleSet, by: z.string(), at: z.number() }).optional(),
  /** Set if the former rules could not be read, until an admin saves others: whether the admins were told. */
  unreadable: z.enum(['untold', 'told']).optional(),
  /** Oldest first. */
  history: z.array(change),
});
export type ServerRules = Frozen<z.output<typeof serverRules>>;

/** Whether a request or a result can wait in the log channel for a moderator. */
export const canHold = ({ prompts, references, results, unseen }: RuleSet['moderation']): boolean =>
  [prompts, references, results].includes('hold') || (results !== 'off' && unseen === 'hold');

export const usesModeration = ({ prompts, references, results }: RuleSet['moderation']): boolean =>
  [prompts, references, results].some((one) => one !== 'off');

export const NO_RULES: ServerRules = { rules: ruleSet.parse({}), history: [] };

export interface RulesAuthor {
  by: string;
  at: number;
}

/**
 * Replaces the rules, with an entry in the history for each one that differs. Returns the same object if none does, unless this
 * settles that the former rules could not be read. Rules that wait for a decision are dropped, because their preview is no longer true.
 */
export function withRules(current: ServerRules, rules: RuleSet, { by, at }: RulesAuthor): ServerRules {
  const changes = ruleNames.flatMap((what): RuleChange[] => {
    const { removed, added } = changedLines(current.rules, rules, what);
    if (removed.length + added.length === 0) return [];
    return [{ at, by, what, before: truncate(removed.join('\n')), after: truncate(added.join('\n')) }];
  });
  if (changes.length === 0 && !current.unreadable) return current;
  const { unreadable: _, ...kept } = withoutProposal(current);
  return { ...kept, rules, history: [...current.history, ...changes].slice(-MAX_HISTORY) };
}

/** The lines of a rule's text that differ. */
export function changedLines(oldRules: RuleSet, newRules: RuleSet, name: RuleName) {
  const [oldLines = [], newLines = []] = [oldRules, newRules].map((rules) =>
    ruleText(rules, name).split('\n').filter(Boolean),
  );
  return {
    removed: oldLines.filter((line) => !newLines.includes(line)),
    added: newLines.filter((line) => !oldLines.includes(line)),
  };
}

/**
 * Changes the log settings. Returns the same object if nothing differs. Rules that wait for a decision are dropped, because they may hold
 * results and need a channel for that.
 */
export function withLog(
  current: ServerRules,
  { channelId, days }: { channelId: string | undefined; days: number | undefined },
  { by, at }: RulesAuthor,
): ServerRules {
  const { logChannelId, logDays } = current;
  const [oldDays, newDays] = [logDays, days].map((one) => (one === undefined ? undefined : String(one)));
  const changes = [
    { at, by, what: 'log-channel' as const, before: logChannelId, after: channelId },
    { at, by, what: 'log-retention' as const, before: oldDays, after: newDays },
  ].filter(({ before, after }) => before !== after);
  if (changes.length === 0) return current;
  return {
    ...withoutProposal(current),
    logChannelId: channelId,
    logDays: days,
    history: [...current.history, ...changes].slice(-MAX_HISTORY),
  };
}

export const withProposal = (current: ServerRules, proposed: NonNullable<ServerRules['proposed']>): ServerRules => ({
  ...current,
  proposed,
});

export function withoutProposal({ proposed: _, ...current }: ServerRules): ServerRules {
  return current;
}

/** Removes the id of a member whose data was erased. */
export const withoutAuthor = (current: ServerRules, memberId: string): ServerRules => ({
  ...(current.proposed?.by === memberId ? withoutProposal(current) : current),
  history: current.history.map((entry) => (entry.by === memberId ? { ...entry, by: undefined } : entry)),
});

const MAX_HISTORY_TEXT_LENGTH = 1_000;
const truncate = (text: string): string =>
  text.length > MAX_HISTORY_TEXT_LENGTH ? `${text.slice(0, MAX_HISTORY_TEXT_LENGTH)}…` : text;

/** A rule as an admin reads and writes it; lists have one entry per line. */
export function ruleText(rules: RuleSet, name: RuleName): string {
  switch (name) {
    case 'words':
    case 'patterns':
      return rules[name].map(({ text, kinds }) => (kinds ? `[${kinds.join(', ')}] ${text}` : text)).join('\n');
    case 'allowedWords':
    case 'deniedDomains':
    case 'privateCommands':
      return rules[name].join('\n');
    case 'allowedDomains':
      return (rules.allowedDomains ?? []).join('\n');
    case 'longestPrompt':
      return rules.longestPrompt === undefined ? '' : String(rules.longestPrompt);
    case 'access':
      return rules.access.map(accessText).join('\n');
    case 'pressers':
      if (typeof rules.pressers !== 'string') return rules.pressers.roleIds.map(roleMention).join(' ');
      return rules.pressers;
    case 'personalInstalls':
      return rules.personalInstalls ? 'on' : 'off';
    case 'moderation': {
      const { thresholds, ...choices } = rules.moderation;
      const lines = Object.entries(choices).map(([name, choice]) => `${name}: ${choice}`);
      return [...lines, ...thresholdLines(thresholds)].join('\n');
    }
  }
}

export const thresholdLines = (thresholds: RuleSet['moderation']['thresholds']): string[] =>
  Object.entries(thresholds).map(([category, threshold]) => `${category} ${threshold}`);

/** An access rule as text, such as `deny video, model reel-* for <@&1> in <#2>`. */
export function accessText({ effect, kinds = [], models = [], roleIds = [], channelIds = [] }: AccessRule): string {
  const subjects = [...kinds, ...models.map((model) => `model ${model}`)];
  return [
    `${effect} ${subjects.length === 0 ? 'everything' : subjects.join(', ')}`,
    ...(roleIds.length === 0 ? [] : [`for ${roleIds.map(roleMention).join(' ')}`]),
    ...(channelIds.length === 0 ? [] : [`in ${channelIds.map((channel) => `<#${channel}>`).join(' ')}`]),
  ].join(' ');
}

const roleMention = (role: string): string => `<@&${role}>`;
