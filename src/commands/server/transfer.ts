import { customIds } from '../../discord/custom-ids.ts';
import { button, command, type HandlerContext } from '../../discord/handlers.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { Refusal } from '../../lib/refusal.ts';
import { buttonPlan } from '../../messages/task-buttons.ts';
import {
  type RuleSet,
  ruleNames,
  ruleSet,
  ruleText,
  withImport,
  withoutImport,
  withRules,
} from '../../services/rules/server-rules.ts';
import { bucketOf } from '../../services/tasks/homes.ts';
import { taskId } from '../../services/tasks/task-id.ts';
import type { Services } from '../services.ts';
import { managedServer } from './access.ts';
import { currentRulesPage } from './forms.ts';

type Context = HandlerContext<Services>;

/** Far more than all lists at their maximum size. */
const MAX_BYTES = 1_000_000;

export const exportRules = command({
  name: 'export',
  isPrivate: true,
  options: {},
  async run(_values, context: Context): Promise<MessagePlan> {
    const { guildId } = managedServer(context);
    const bytes = Buffer.from(`${JSON.stringify(context.services.rules.get(guildId).rules, null, 2)}\n`);
    return { content: context.say('rules.exported'), files: [{ name: `rules-${guildId}.json`, bytes }] };
  },
});

/** Shows the changes that an import would make; a button applies them. */
export const importRules = command({
  name: 'import',
  isPrivate: true,
  options: { file: { type: 'attachment', required: true } },
  parse: ({ file }) => (file.size > MAX_BYTES ? new Refusal('refusals.rules.importTooLarge') : file),
  async run(file, context: Context): Promise<MessagePlan> {
    const { guildId, author } = managedServer(context);
    const { services, say } = context;
    const importedRules = readRules(await services.readText(file, author.by));
    const { rules: currentRules } = services.rules.get(guildId);
    const lines = diffLines(currentRules, importedRules);
    if (lines.length === 0) return { content: say('rules.import.same') };
    const id = taskId(author.at, bucketOf(guildId));
    await services.rules.change(guildId, (current) => withImport(current, { id, rules: importedRules, ...author }));
    return {
      content: [say('rules.import.title'), '```diff', ...lines, '```', say('rules.import.notApplied')].join('\n'),
      overflow: 'file',
      controls: [
        buttonPlan(say('rules.import.apply'), customIds.importTake.id(id), { style: 'good' }),
        buttonPlan(say('rules.import.cancel'), customIds.importCancel.id(id)),
      ],
    };
  },
});

function readRules(text: string): RuleSet {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Refusal('refusals.rules.importNotJson');
  }
  const parsed = ruleSet.strict().safeParse(json, { jitless: true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Refusal('refusals.rules.importInvalid', { at: issue?.path.join('.') || '/' });
}

/** One line for each entry that is added or removed. */
function diffLines(oldRules: RuleSet, newRules: RuleSet): string[] {
  return ruleNames.flatMap((name) => {
    const [oldLines, newLines] = [oldRules, newRules].map((rules) => ruleText(rules, name).split('\n').filter(Boolean));
    const removed = (oldLines ?? [])
      .filter((line) => !newLines?.includes(line))
      .map((line) => `- ${escapeBackticks(line)}`);
    const added = (newLines ?? [])
      .filter((line) => !oldLines?.includes(line))
      .map((line) => `+ ${escapeBackticks(line)}`);
    return removed.length + added.length === 0 ? [] : [`# ${name}`, ...removed, ...added];
  });
}

const escapeBackticks = (line: string): string => line.replaceAll('`', 'ˋ');

export const applyImportButton = button(customIds.importTake, {
  reply: 'here',
  async run(id, context: Context): Promise<MessagePlan> {
    const { guildId, author } = managedServer(context);
    await context.services.rules.change(guildId, (current) => {
      if (current.proposed?.id !== id) throw new Refusal('refusals.rules.importGone');
      return withoutImport(withRules(current, current.proposed.rules, author));
    });
    return currentRulesPage(context);
  },
});

export const cancelImportButton = button(customIds.importCancel, {
  reply: 'here',
  async run(id, context: Context): Promise<MessagePlan> {
    const { guildId } = managedServer(context);
    await context.services.rules.change(guildId, (current) =>
      current.proposed?.id === id ? withoutImport(current) : current,
    );
    return { content: context.say('rules.import.canceled') };
  },
});
