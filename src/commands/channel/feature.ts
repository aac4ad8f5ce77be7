import { command, type Feature } from '../feature.ts';
import { changeableOwner, mayChangePreferences } from '../preference-owner.ts';
import { preferencesPage } from '../preference-page.ts';

const show = command({
  name: 'show',
  options: {},
  run: async (_values, context) =>
    preferencesPage('channel', context, { canChange: mayChangePreferences('channel', context) }),
});

const edit = command({
  name: 'edit',
  isForChannelManagers: true,
  options: {},
  async run(_values, context) {
    changeableOwner('channel', context);
    return preferencesPage('channel', context, { canChange: true });
  },
});

const reset = command({
  name: 'reset',
  isForChannelManagers: true,
  options: {},
  async run(_values, context) {
    const owner = changeableOwner('channel', context);
    await context.services.tasks.preferences.change(owner, context.facts.userId, () => ({ set: {} }));
    return preferencesPage('channel', context, { canChange: true });
  },
});

/** The settings of a channel and its threads. All members can read them, because they change what the bot does for everyone there. */
export const channel: Feature = {
  command: { name: 'channel', isForServers: true, subcommands: [show, edit, reset] },
};
