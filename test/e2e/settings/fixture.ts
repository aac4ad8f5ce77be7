import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type FastClockFixture, labels } from '../quick.ts';

type Discord = FastClockFixture['discord'];
type Actor = ReturnType<Discord['as']>;

/** Fills in a form of `/settings`, `/channel edit` or `/server defaults`, and returns the page that shows the change. */
export async function changeSettings(
  actor: Actor,
  command: 'settings' | 'channel edit' | 'server defaults',
  button: string,
  values: Parameters<Actor['fill']>[1],
): Promise<Message> {
  const page = await (await actor.slash(command)).message();
  const form = await (await actor.click(page, button)).modal();
  return (await actor.fill(form, values)).message();
}

/** What a form shows when it opens, by the names of its fields. */
export const isChangeable = (page: Message): boolean => labels(page).includes('Change models');
