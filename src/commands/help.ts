import { type Ask, command } from '../discord/handlers.ts';
import { sentenceAt } from '../locales/index.ts';
import { helpPage } from '../views/help.ts';
import type { Services } from './services.ts';

export const help = command({
  name: 'help',
  isPrivate: true,
  options: {},
  async run(_values, { services, place, say }: Ask<Services>) {
    const entries = [...(await services.registered(place))].map(([name, id]) => ({
      name,
      id,
      description: sentenceAt(['commands', name, 'description']) ?? '',
      example: sentenceAt(['commands', name, 'example']) ?? `/${name}`,
      who: sentenceAt(['commands', name, 'who']) ?? '',
    }));
    return helpPage(entries, say);
  },
});
