import { customIds } from '../../discord/custom-ids.ts';
import { mayManageServer } from '../../discord/interaction-facts.ts';
import { commandMention } from '../../discord/markdown.ts';
import { languages } from '../../lib/languages.ts';
import { Refusal } from '../../lib/refusal.ts';
import { setupSteps } from '../../services/safety/server-setup.ts';
import { type Context, command, type Feature, on } from '../feature.ts';
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

/** Tells the admins of a server about `/setup` once, below the first reply that one of them gets. Without intents, Discord does not announce that the bot has joined it. */
export async function sendSetupHint(
  { facts, services, notifyLater, sayToMember }: Context,
  isReplyShown: () => Promise<boolean>,
): Promise<void> {
  const { guildId, install } = facts;
  if (guildId === undefined || install !== 'guild' || !mayManageServer(facts)) return;
  const { setup, rules } = services.safety;
  const isSetUp = rules.get(guildId).history.length > 0 || services.money.budgets.get(guildId).history.length > 0;
  if (isSetUp || !(await setup.takeHint(guildId))) return;
  try {
    const id = (await services.discord.registeredCommands(facts)).get('setup');
    // Until the operator deploys the command, it cannot be used.
    if (id === undefined) return;
    if (!(await isReplyShown())) return setup.giveHintBack(guildId);
    // Stored first: after a crash, no hint is better than a second one.
    await setup.mark(guildId, 'known');
    await notifyLater({ content: sayToMember('setup.hint', { command: commandMention('setup', id) }) });
  } catch (error) {
    setup.giveHintBack(guildId);
    throw error;
  }
}
