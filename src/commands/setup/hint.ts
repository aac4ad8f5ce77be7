import { mayManageServer } from '../../discord/interaction-facts.ts';
import { commandMention } from '../../discord/markdown.ts';
import type { Context } from '../feature.ts';

/**
 * Tells the admins of a server about `/setup` once, below the first reply that one of them gets there. Discord does not announce to a bot without intents
 * that it has joined a server.
 */
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
