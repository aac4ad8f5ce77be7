import { type Ask, command } from '../discord/handlers.ts';
import { aboutPage } from '../views/about.ts';
import { mentionOf } from '../views/help.ts';
import type { Services } from './services.ts';

export const about = command({
  name: 'about',
  isPrivate: true,
  options: {},
  async run(_values, { services, place, say }: Ask<Services>) {
    const [health, registered] = await Promise.all([services.health(), services.registered(place)]);
    return aboutPage(health, mentionOf('help', registered.get('help')), say);
  },
});
