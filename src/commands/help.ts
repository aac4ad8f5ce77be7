import { type Ask, command } from '../discord/handlers.ts';
import { sentenceAt } from '../locales/index.ts';
import { helpPage } from '../views/help.ts';
import type { Services } from './services.ts';

export const help = command({
  name: 'help',
  isPrivate: true,
  options: {},
  async run(_values, { services, place, say }: Ask<Services>) {
    const entries = [...(await services.registered(place))].map(([name, id]) => {
      const at = (what: string): string | undefined => sentenceAt(['commands', ...name.split(' '), what]);
      return {
        name,
        id,
        description: at('description') ?? '',
        example: at('example') ?? `/${name}`,
        who: at('who') ?? '',
      };
    });
    return helpPage(entries, say);
  },
});
