import { commandsByFullName } from '../../discord/handlers.ts';
import { mayManageChannels, mayManageServer } from '../../discord/interaction-facts.ts';
import { commandMention } from '../../discord/markdown.ts';
import { keysOf } from '../../lib/entries.ts';
import { type Say, sayIn, stringIn } from '../../locales/index.ts';
import { isAdminOfAdminGuild } from '../account-access.ts';
import { readChoices } from '../choices.ts';
import { type Context, command, type Feature } from '../feature.ts';

const MAX_LINES_OF_COMMAND = 2;

type Registered = ReadonlyMap<string, string>;

const groups = ['create', 'more', 'admins'] as const;

function groupOf({ command, specs, isForAccount }: Feature): (typeof groups)[number] {
  if (command.isForAdmins || isForAccount) return 'admins';
  return specs ? 'create' : 'more';
}

/** The registered commands and menu entries. Commands are clickable mentions; menu entries cannot be mentioned. */
function helpPage(usable: readonly Feature[], menus: NonNullable<Feature['menus']>, registered: Registered, say: Say) {
  const featuresByGroup = Map.groupBy(usable, groupOf);
  const blocks = groups.flatMap((group) => {
    const lines = (featuresByGroup.get(group) ?? []).flatMap((feature) => commandLines(feature, registered, say));
    return lines.length === 0 ? [] : [[say(`help.groups.${group}`), ...lines].join('\n')];
  });
  const menuLines = menus.flatMap((menu) => {
    // Discord knows it by its English name, and shows the name in the member's language.
    if (!registered.has(sayIn('en')(`menus.${menu.name}`))) return [];
    return [say('help.menuLine', { name: say(`menus.${menu.name}`), description: say(`help.about.${menu.name}`) })];
  });
  if (menuLines.length > 0) blocks.push([say('help.menus'), ...menuLines].join('\n'));
  return { title: say('help.title'), blocks: blocks.length === 0 ? [say('help.nothing')] : blocks };
}

/** Whether the bot answers the member's messages here. Those in a personal installation never reach it. */
async function answersMentions(context: Context): Promise<boolean> {
  const { facts, services } = context;
  const { mentions, guildIds } = services.settings.discord;
  const isReached = facts.guildId === undefined ? guildIds.length === 0 : facts.install === 'guild';
  if (!mentions || !isReached || !services.safety.rules.allowsMentions(facts)) return false;
  return (await readChoices(context)).persona?.answersMentions !== false;
}

function commandLines({ command }: Feature, registered: Registered, say: Say): string[] {
  const names = [...commandsByFullName([command]).keys()].filter((name) => registered.has(name));
  const mentions = names.map((name) => commandMention(name, registered.get(name)));
  // Many subcommands, and those for admins, share one line: with a line each, the page would exceed Discord's limit.
  if (names.length > (command.isForAdmins ? 0 : MAX_LINES_OF_COMMAND)) {
    const description = stringIn(say.language, ['commands', command.name, 'description']) ?? '';
    return [say('help.adminLine', { mentions: mentions.join(' '), description })];
  }
  return names.map((name, index) => {
    const textFor = (key: string): string => stringIn(say.language, ['commands', ...name.split(' '), key]) ?? '';
    const [description, example] = [textFor('description'), textFor('example')];
    const facts = { mention: mentions[index] ?? '', description };
    return example === `/${name}` ? say('help.line', facts) : say('help.lineWithExample', { ...facts, example });
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
          ({ specs }) =>
            specs === undefined || keysOf(specs).some((kind) => services.safety.rules.allowsKind({ ...facts, kind })),
        );
        const usable = allowed.filter(
          (one) => (isAdmin || !one.command.isForAdmins) && (seesAccount || !one.isForAccount),
        );
        // A menu entry can be usable even if its command is for admins.
        const menus = allowed.flatMap((one) => one.menus ?? []);
        const commands = commandsByFullName(usable.map(({ command }) => command));
        const registered = [...(await services.discord.registeredCommands(facts))].filter(
          ([name]) => mayManageChannels(facts) || !commands.get(name)?.isForChannelManagers,
        );
        const page = helpPage(usable, menus, new Map(registered), say);
        const mentionLines = (await answersMentions(context))
          ? [say(`help.mentions.${facts.guildId === undefined ? 'direct' : 'server'}`)]
          : [];
        return { page: { ...page, blocks: [...page.blocks, ...mentionLines] } };
      },
    }),
  };
  return feature;
}
