import { type Ask, command } from '../../discord/handlers.ts';
import { mentionOf } from '../../discord/markdown.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';
import { aboutPage } from './view.ts';

export const about: Feature<typeof text> = {
  command: command({
    name: 'about',
    isPrivate: true,
    options: {},
    async run(_values, { services, place, say }: Ask<Services>) {
      const [health, registered] = await Promise.all([services.health(), services.registered(place)]);
      return aboutPage(health, mentionOf('help', registered.get('help')), say);
    },
  }),
  text,
};
