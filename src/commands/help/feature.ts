import { type Ask, command } from '../../discord/handlers.ts';
import { sentenceAt } from '../../locales/index.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { helpPage } from './view.ts';

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
