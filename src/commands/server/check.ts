import { installLinks } from '../../discord/deployment.ts';
import { missingPermissions, neededPermissions } from '../../discord/permissions.ts';
import type { MessagePlan } from '../../discord/plan.ts';
import { command } from '../services.ts';
import { managedServer } from './access.ts';

/** Lists the permissions that the bot needs in this channel, and whether it has them. */
export const checkServer = command({
  name: 'check',
  isPrivate: true,
  options: {},
  async run(_values, context): Promise<MessagePlan> {
    managedServer(context);
    const { place, say, origin } = context;
    const { server } = installLinks(origin.route.applicationId, { userInstall: false });
    const missingNames = missingPermissions(place);
    const lines = neededPermissions.map(({ name, purpose }) =>
      missingNames.includes(name)
        ? say('rules.check.missing', { name, use: say(`rules.check.uses.${purpose}`) })
        : say('rules.check.granted', { name, use: say(`rules.check.uses.${purpose}`) }),
    );
    return {
      content: [
        say('rules.check.title', { channel: place.channelId ?? '' }),
        ...lines,
        missingNames.length === 0 ? say('rules.check.allThere') : say('rules.check.howTo'),
      ].join('\n'),
      controls: [{ type: 'link', address: server, label: say('rules.check.invite') }],
    };
  },
});
