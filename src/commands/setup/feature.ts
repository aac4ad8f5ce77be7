import { customIds } from '../../discord/custom-ids.ts';
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

/** Leads the admins of a server through what they can decide there. Its page can be left at any time: `/setup` finds out what is left to do. */
export const setup: Feature = { command: setupCommand, handlers: [showStep] };
