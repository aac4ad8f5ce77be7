import { command, commandsByFullName, type HandlerContext, menusByName } from '../../discord/handlers.ts';
import { commandMention } from '../../discord/markdown.ts';
import { mayManageServer } from '../../discord/place.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { type Say, stringAt } from '../../locales/index.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';

/** The registered commands and menu entries. Commands are clickable mentions; menu entries cannot be mentioned. */
function helpPage(
  features: readonly Feature[],
  { registered, isAdmin }: { registered: ReadonlyMap<string, string>; isAdmin: boolean },
  say: Say,
): MessagePlan {
  const lines = features.flatMap(({ command, text }) => {
    if (command.isForAdmins && 'subcommands' in command)
      return isAdmin ? adminLine(command, text, registered, say) : [];
    return [...commandsByFullName([command]).keys()].flatMap((name) => {
      const id = registered.get(name);
      const textFor = (key: string): string => stringAt(text.command, [...name.split(' ').slice(1), key]) ?? '';
      const [description, example, who] = [textFor('description'), textFor('example'), textFor('who')];
      return id === undefined
        ? []
        : [say('help.line', { mention: commandMention(name, id), description, example, who })];
    });
  });
  const menuLines = features
    .flatMap(({ menus = [] }) => menus)
    .flatMap((menu) => {
      const name = [...menusByName([menu], say).keys()].findLast((one) => registered.has(one));
      return name === undefined ? [] : [say('help.menuLine', { name, description: say(`help.about.${menu.name}`) })];
    });
  const blocks = [
    lines.length === 0 ? say('help.nothing') : lines.join('\n'),
    ...(menuLines.length === 0 ? [] : [[say('help.menus'), ...menuLines].join('\n')]),
  ];
  return { page: { title: say('help.title'), blocks } };
}

/** The subcommands for admins share one line: with a line each, the page would exceed Discord's limit. */
function adminLine(
  { name, subcommands }: Extract<Feature['command'], { subcommands: unknown }>,
  text: Feature['text'],
  registered: ReadonlyMap<string, string>,
  say: Say,
): string[] {
  const mentions = subcommands.flatMap((one) => {
    const id = registered.get(`${name} ${one.name}`);
    return id === undefined ? [] : [commandMention(`${name} ${one.name}`, id)];
  });
  const description = stringAt(text.command, ['description']) ?? '';
  return mentions.length === 0 ? [] : [say('help.adminLine', { mentions: mentions.join(' '), description })];
}

/** Lists all features, `/help` included. */
export function help(others: readonly Feature[]): Feature<typeof text> {
  const feature: Feature<typeof text> = {
    text,
    command: command({
      name: 'help',
      isPrivate: true,
      options: {},
      async run(_values, { services, place, say }: HandlerContext<Services>) {
        const isAdmin = mayManageServer(place) || (await services.isOperator(place.userId));
        return helpPage([...others, feature], { registered: await services.registeredCommands(place), isAdmin }, say);
      },
    }),
  };
  return feature;
}
