import { command, type Feature } from '../feature.ts';
import { changeableOwner, mayChangePreferences, preferencesPage, resetQuestion } from '../preference-page.ts';

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
  run: async (_values, context) => resetQuestion('channel', context),
});

/** The settings of a channel and its threads. All members can read them, because they change what the bot does for everyone there. */
export const channel: Feature = {
  command: { name: 'channel', isForServers: true, subcommands: [show, edit, reset] },
};
