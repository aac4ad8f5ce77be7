import { FormRefusal } from '../../discord/form.ts';
import { inlineCode } from '../../discord/markdown.ts';
import type { FieldPlan } from '../../discord/plan.ts';
import { truncate } from '../../discord/truncate.ts';
import { clausesText, listText } from '../../lib/formats.ts';
import { kindNameIn, type Say } from '../../locales/index.ts';
import type { RuleTargets } from '../../services/safety/rules-file.ts';
import { MENTIONS, ruleNames, type ServerRules } from '../../services/safety/server-rules.ts';
import type { Context } from '../feature.ts';

/** What the text of an access rule has before the ID of a model. */
const MODEL = 'model ';

/** The text of an access rule with the names of commands instead of kinds, or those of task types if a rule covers only some of a command's. */
export function readableAccess(accessText: string, targets: RuleTargets, say: Say): string {
  const [beforeChannels = '', channels] = accessText.split(' in <#', 2);
  const [beforeRoles = '', roles] = beforeChannels.split(' for <@&', 2);
  const [effect, ...subjects] = beforeRoles.split(' ');
  const { commands, others } = splitSubjects(subjects.join(' '), targets);
  const otherNames = others.map((name) => {
    if (name === MENTIONS) return say('rules.access.mentions');
    if (name === 'everything') return say('rules.access.everything');
    if (name.startsWith(MODEL)) return say('rules.access.model', { model: name.slice(MODEL.length) });
    return kindNameIn(say)(name);
  });
  return say(`rules.access.${effect === 'allow' ? 'allow' : 'deny'}.${accessScope(roles, channels)}`, {
    what: listText([...commands.map((command) => `/${command}`), ...otherNames], say),
    roles: `<@&${roles}`,
    channels: `<#${channels}`,
  });
}

/** Where, and for whom, an access rule applies. */
export function accessScope(roles: unknown, channels: unknown): 'everywhere' | 'roles' | 'channels' | 'both' {
  if (roles === undefined) return channels === undefined ? 'everywhere' : 'channels';
  return channels === undefined ? 'roles' : 'both';
}

/** An access rule in a message: keeps its mentions, and the stars in the names of its models. */
export const accessMarkdown = (accessText: string, targets: RuleTargets, say: Say): string =>
  readableAccess(accessText, targets, say).replace(/[|\\*_~`]/g, '\\$&');

/** Marks a kind that has the name of a command with several kinds, as in `[type:video] word`. */
export const KIND_PREFIX = 'type:';

/** Blocked words and patterns, one per line, with the names of commands instead of all their kinds. */
export const readableWords = (text: string, targets: RuleTargets): string =>
  text.replace(/^\[([^\][]+)\](?= )/gm, (_, subjects: string) => {
    const { commands, others } = splitSubjects(subjects, targets);
    const kinds = others.map((kind) => (targets.kindsByCommand.has(kind) ? KIND_PREFIX + kind : kind));
    return `[${[...commands, ...kinds].join(', ')}]`;
  });

function splitSubjects(subjects: string, { kindsByCommand }: RuleTargets): { commands: string[]; others: string[] } {
  const names = new Set(subjects.split(', '));
  const commands = [...kindsByCommand].filter(([, kinds]) => kinds.every((kind) => names.has(kind)));
  for (const kind of commands.flatMap(([, kinds]) => kinds)) names.delete(kind);
  return { commands: commands.map(([command]) => command), others: [...names] };
}

const MODERATION_FIELDS = ['prompts', 'references', 'results', 'unseen', 'whenAway', 'ageRestricted'] as const;

/** The settings of moderation in the words of their form. */
function readableModeration(moderationText: string, say: Say): string {
  const lines = moderationText.split('\n').map((line) => {
    const field = MODERATION_FIELDS.find((name) => line.startsWith(`${name}: `));
    const value = line.slice(line.indexOf(': ') + 2);
    const choice = say(`rules.moderation.choices.${value}`, { defaultValue: '' });
    if (field === undefined || choice === '') return readableThreshold(line, say);
    return say('rules.moderation.choice', { what: say(`rules.fields.${field}.label`), choice });
  });
  return clausesText(lines, say);
}

function readableThreshold(line: string, say: Say): string {
  const [, category, score] = /^(.+) ([\d.]+)$/.exec(line) ?? [];
  if (category === undefined || score === undefined) return line;
  return say('rules.moderation.threshold', { category, score });
}

/** Who can press buttons and whether personal installations are allowed, in the words of their form. */
const readableChoice = (choice: string, say: Say): string => say(`rules.choices.${choice}`, { defaultValue: choice });

const readableLength = (lengthText: string, say: Say): string => say('rules.characters', { count: Number(lengthText) });

/** One line of a rule's text as admins know its words. */
export function readableLine(name: Change['what'], line: string, targets: RuleTargets, say: Say): string {
  if (name === 'access') return readableAccess(line, targets, say);
  if (name === 'words' || name === 'patterns') return readableWords(line, targets);
  if (name === 'longestPrompt') return readableLength(line, say);
  if (name === 'pressers' || name === 'personalInstalls') return readableChoice(line, say);
  return name === 'moderation' ? readableModeration(line, say) : line;
}

/** A select menu and a code block would show mentions as they are written. */
export const withNames = (text: string, names: ReadonlyMap<string, string>, say: Say): string =>
  text.replace(
    /<(@&|#)\d+>/g,
    (mention, sign) => names.get(mention) ?? say(sign === '#' ? 'rules.unknownChannel' : 'rules.unknownRole'),
  );

type Change = ServerRules['history'][number];

/** As many entries as can be read at a glance; a file has the rest. */
const MAX_ENTRIES = 5;
const MAX_ENTRY_LENGTH = 60;

/** What a change of a rule did. `hidden`: blocked words are behind spoilers, because others can read the message. */
export function changeText(
  { what, before = '', after = '' }: Change,
  targets: RuleTargets,
  say: Say,
  { hidden = false }: { hidden?: boolean } = {},
): string {
  const name = say(`rules.names.${what}`);
  switch (what) {
    case 'access':
      return changedEntries((entry) => accessMarkdown(entry, targets, say));
    case 'words':
    case 'allowedWords':
    case 'patterns':
      return changedEntries((entry) => {
        const code = entryMarkdown(readableWords(entry, targets));
        return hidden ? `||${code}||` : code;
      });
    case 'allowedDomains':
    case 'deniedDomains':
    case 'privateCommands':
      return changedEntries(entryMarkdown);
    case 'moderation':
      return fromTo((lines) => readableModeration(lines, say));
    case 'longestPrompt':
      return fromTo((length) => readableLength(length, say));
    case 'log-channel':
      return fromTo((id) => `<#${id}>`);
    default:
      return fromTo((choice) => readableChoice(choice, say));
  }

  function fromTo(show: (text: string) => string): string {
    const valueText = (text: string): string => (text === '' ? say('rules.history.unset') : show(text));
    return say('rules.history.fromTo', { name, from: valueText(before), to: valueText(after) });
  }

  function changedEntries(show: (entry: string) => string): string {
    const [removed, added] = [entriesText(before, show), entriesText(after, show)];
    const verb = removed === '' ? 'added' : added === '' ? 'removed' : 'both';
    return say(`rules.history.entries.${verb}`, { name, removed, added });
  }

  function entriesText(text: string, show: (entry: string) => string): string {
    const entries = text.split('\n').filter(Boolean);
    const shown = entries.slice(0, MAX_ENTRIES).map(show);
    const count = entries.length - MAX_ENTRIES;
    return listText(count > 0 ? [...shown, say('rules.history.more', { count })] : shown, say);
  }
}

/** The rule that a form's field changes, if it has another name. */
const RULE_BY_FIELD: Readonly<Record<string, Change['what']>> = {
  presserRoles: 'pressers',
  logChannel: 'log-channel',
  logDays: 'log-retention',
};

/** Refuses a form with what the last change of the rules behind these fields did. */
export function overtakenRefusal(
  formId: string,
  fields: readonly FieldPlan[],
  { history }: ServerRules,
  names: ReadonlyMap<string, string>,
  { say, services }: Context,
) {
  const rules = fields.map(({ name }) => RULE_BY_FIELD[name] ?? ruleNames.find((one) => one === name) ?? 'moderation');
  const changes = [...new Set(rules)].flatMap((rule) => history.findLast(({ what }) => what === rule) ?? []);
  const entriesOf = (end: 'before' | 'after'): string[] => {
    const lines = changes.flatMap((change) => {
      const entries = (change[end] ?? '').split('\n').filter(Boolean);
      const mention = change.what === 'log-channel' ? ['<#', '>'] : ['', ''];
      return entries.map((entry) => readableLine(change.what, mention.join(entry), services.safety.targets, say));
    });
    const shown = lines.slice(0, MAX_ENTRIES).map((line) => truncate(withNames(line, names, say), MAX_ENTRY_LENGTH));
    return lines.length > MAX_ENTRIES
      ? [...shown, say('rules.history.more', { count: lines.length - MAX_ENTRIES })]
      : shown;
  };
  const [field, before, after] = [fields.map(({ label }) => label), entriesOf('before'), entriesOf('after')];
  if (before.length === 0) return new FormRefusal(formId, 'refusals.rules.overtaken.added', { field, after });
  if (after.length === 0) return new FormRefusal(formId, 'refusals.rules.overtaken.removed', { field, before });
  return new FormRefusal(formId, 'refusals.rules.overtaken.replaced', { field, before, after });
}

/** Two bars would end the spoiler that the entry is behind. */
export const entryMarkdown = (entry: string): string =>
  inlineCode(truncate(entry, MAX_ENTRY_LENGTH)).replaceAll('||', '|ǀ');
