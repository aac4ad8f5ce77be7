import { commandsByFullName } from '../../discord/handlers.ts';
import { mayManageChannels, mayManageServer } from '../../discord/interaction-facts.ts';
import { commandMention } from '../../discord/markdown.ts';
import { fitsPage } from '../../discord/message-body.ts';
import { keysOf } from '../../lib/entries.ts';
import { type Say, sayIn, stringIn } from '../../locales/index.ts';
import { isAdminOfAdminGuild } from '../account-access.ts';
import { readChoices } from '../choices.ts';
import { type Context, command, type Feature } from '../feature.ts';

const MAX_LINES_OF_COMMAND = 2;

/** In some languages, not all fits on one page. 1: without examples; 2: of subcommands, only the first is a link, too. */
const brevities = [0, 1, 2] as const;
type Brevity = (typeof brevities)[number];

type Registered = ReadonlyMap<string, string>;

const groups = ['create', 'more', 'admins'] as const;

function groupOf({ command, specs, orders, isForAccount }: Feature): (typeof groups)[number] {
  if (command.isForAdmins || isForAccount) return 'admins';
  return specs || orders ? 'create' : 'more';
}

/** Commands are clickable mentions. */
function commandBlocks(usable: readonly Feature[], registered: Registered, say: Say, brevity: Brevity): string[] {
  const featuresByGroup = Map.groupBy(usable, groupOf);
  return groups.flatMap((group) => {
    const features = featuresByGroup.get(group) ?? [];
    const lines = features.flatMap((feature) => commandLines(feature, registered, say, brevity));
    return lines.length === 0 ? [] : [[say(`help.groups.${group}`), ...lines].join('\n')];
  });
}

/** Menu entries cannot be mentioned. */
function menuBlocks(menus: NonNullable<Feature['menus']>, registered: Registered, say: Say): string[] {
  const lines = menus.flatMap((menu) => {
    // Discord knows it by its English name, and shows the name in the member's language.
    if (!registered.has(sayIn('en')(`menus.${menu.name}`))) return [];
    return [say('help.menuLine', { name: say(`menus.${menu.name}`), description: say(`help.about.${menu.name}`) })];
  });
  return lines.length === 0 ? [] : [[say('help.menus'), ...lines].join('\n')];
}

/** Whether the bot answers the member's messages here. Those in a personal installation never reach it. */
async function answersMentions(context: Context): Promise<boolean> {
  const { facts, services } = context;
  const { mentions, guildIds } = services.settings.discord;
  const isReached = facts.guildId === undefined ? guildIds.length === 0 : facts.install === 'guild';
  if (!mentions || !isReached || !services.safety.rules.allowsMentions(facts)) return false;
  return (await readChoices(context)).persona?.answersMentions !== false;
}

function commandLines({ command }: Feature, registered: Registered, say: Say, brevity: Brevity): string[] {
  const names = [...commandsByFullName([command]).keys()].filter((name) => registered.has(name));
  const mentions = names.map((name, index) =>
    commandMention(name, brevity === 2 && index > 0 ? undefined : registered.get(name)),
  );
  // Many subcommands, and those for admins, share one line: with a line each, the page would exceed Discord's limit.
  if (names.length > (command.isForAdmins ? 0 : MAX_LINES_OF_COMMAND)) {
    const description = stringIn(say.language, ['commands', command.name, 'description']) ?? '';
    return [say('help.line', { mention: mentions.join(' '), description })];
  }
  return names.map((name, index) => {
    const textFor = (key: string): string => stringIn(say.language, ['commands', ...name.split(' '), key]) ?? '';
    const [description, example] = [textFor('description'), textFor('example')];
    const facts = { mention: mentions[index] ?? '', description };
    return brevity > 0 || example === `/${name}`
      ? say('help.line', facts)
      : say('help.lineWithExample', { ...facts, example });
  });
}

/** Lists all features that the member can use, `/help` included. */
export function help(others: readonly Feature[]): Feature {
  const feature: Feature = {
    command: command({
      name: 'help',
      options: {},
      async run(_values, context) {
        const { services, facts, say } = context;
        const isOperator = await services.discord.operator.isOperator(facts.userId);
        const isAdmin = isOperator || mayManageServer(facts);
        const seesAccount = isOperator || isAdminOfAdminGuild(context);
        const allowed = [...others, feature].filter(
          ({ specs = {}, orders = keysOf(specs) }) =>
            orders.length === 0 || orders.some((kind) => services.safety.rules.allowsKind({ ...facts, kind })),
        );
        const usable = allowed.filter(
          (one) => (isAdmin || !one.command.isForAdmins) && (seesAccount || !one.isForAccount),
        );
        // A menu entry can be usable even if its command is for admins.
        const menus = allowed.flatMap((one) => one.menus ?? []);
        // Subcommands are registered everywhere with their command.
        const isServed = facts.guildId !== undefined && facts.install !== 'user';
        const commands = commandsByFullName(usable.map(({ command }) => command));
        const registered = new Map(
          [...(await services.discord.registeredCommands(facts))].filter(
            ([name]) =>
              (mayManageChannels(facts) || !commands.get(name)?.isForChannelManagers) &&
              (isServed || !commands.get(name)?.isForServers),
          ),
        );
        const mentionBlocks = (await answersMentions(context))
          ? [say(`help.mentions.${facts.guildId === undefined ? 'direct' : 'server'}`)]
          : [];
        const pageWith = (brevity: Brevity) => {
          const blocks = [...commandBlocks(usable, registered, say, brevity), ...menuBlocks(menus, registered, say)];
          if (blocks.length === 0) blocks.push(say('help.nothing'));
          return { title: say('help.title'), blocks: [...blocks, ...mentionBlocks] };
        };
        return { page: brevities.map(pageWith).find(fitsPage) ?? pageWith(2) };
      },
    }),
  };
  return feature;
}
