import { type Ask, command } from '../../discord/handlers.ts';
import { mentionOf } from '../../discord/markdown.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { type Say, sentenceAt } from '../../locales/index.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';

interface HelpEntry {
  name: string;
  description: string;
  example: string;
  /** Who may use it. */
  who: string;
  /** Where it is registered, its id: then its name can be pressed. */
  id: string | undefined;
}

/** An entry of the menu on a message, which no text can press. */
interface MenuEntry {
  name: string;
  description: string;
}

function helpPage(entries: readonly HelpEntry[], menus: readonly MenuEntry[], say: Say): MessagePlan {
  const lines = entries.map(({ name, description, example, who, id }) => {
    return say('help.line', { mention: mentionOf(name, id), description, example, who });
  });
  const more = menus.map(({ name, description }) => say('help.menuLine', { name, description }));
  const blocks = [
    lines.length === 0 ? say('help.nothing') : lines.join('\n'),
    ...(more.length === 0 ? [] : [[say('help.menus'), ...more].join('\n')]),
  ];
  return { page: { title: say('help.title'), blocks } };
}

const menuNames = ['describe', 'reference', 'film'] as const;

const helpCommand = command({
  name: 'help',
  isPrivate: true,
  options: {},
  async run(_values, { services, place, say }: Ask<Services>) {
    const registered = await services.registered(place);
    const menus = menuNames
      .map((menu) => ({ name: say(`menus.${menu}`), description: say(`help.about.${menu}`) }))
      .filter(({ name }) => registered.has(name));
    const entries = [...registered].flatMap(([name, id]) => {
      const at = (what: string): string | undefined => sentenceAt(['commands', ...name.split(' '), what]);
      const description = at('description');
      if (description === undefined) return [];
      return [{ name, id, description, example: at('example') ?? `/${name}`, who: at('who') ?? '' }];
    });
    return helpPage(entries, menus, say);
  },
});

export const help: Feature = {
  command: helpCommand,
};
