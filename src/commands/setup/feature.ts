import { customIds } from '../../discord/custom-ids.ts';
import { languages } from '../../lib/languages.ts';
import { Refusal } from '../../lib/refusal.ts';
import { setupSteps } from '../../services/safety/server-setup.ts';
import { command, type Feature, on } from '../feature.ts';
import { doneSteps, finishStep, serverToSetUp } from './done-steps.ts';
import { setupPage } from './page.ts';

const setupCommand = command({
  name: 'setup',
  isForServers: true,
  isForAdmins: true,
  options: {},
  async run(_values, context) {
    const guildId = serverToSetUp(context);
    await context.services.safety.setup.mark(guildId, 'known');
    const done = await doneSteps(guildId, context);
    return setupPage(setupSteps.find((step) => !done.has(step)) ?? 'overview', guildId, context);
  },
});

const showStep = on(customIds.setup, {
  reply: 'here',
  async run({ step, finished }, context) {
    const guildId = serverToSetUp(context);
    if (finished !== undefined) await finishStep(finished, guildId, context);
    return setupPage(step, guildId, context);
  },
});

/** What else is set for the server stays. */
const chooseLanguage = on(customIds.setupLanguage, {
  reply: 'here',
  async run(view, context, { selectedValues: [selected] }) {
    const guildId = serverToSetUp(context);
    const language = languages.find((one) => one === selected);
    if (language === undefined) throw new Refusal('refusals.unknownButton');
    await context.services.tasks.preferences.change({ guildId }, context.facts.userId, ({ set, ...known }) => ({
      ...known,
      set: { ...set, language },
    }));
    return setupPage(view, guildId, context);
  },
});

/** Leads the admins of a server through what they can decide there. Its page can be left at any time: `/setup` finds out what is left to do. */
export const setup: Feature = { command: setupCommand, handlers: [showStep, chooseLanguage] };
