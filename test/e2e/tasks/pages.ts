import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type QuickStage, says } from '../quick.ts';

type Options = Parameters<ReturnType<QuickStage['discord']['as']>['slash']>[1];

/** Returns the `/tasks` reply to a member in a channel. */
export async function list({ discord }: QuickStage, who = 'member', options: Options = {}, channel?: string) {
  const actor = channel === undefined ? discord.as(who) : discord.as(who).in(channel);
  return (await actor.slash('tasks', options)).message();
}

/** The ids of the tasks in the menu of a list. */
export const offeredTaskIds = (taskList: Message): { value: string; label: string }[] =>
  (taskList.components ?? [])
    .flatMap((row): { options?: { value: string; label: string }[] }[] =>
      'components' in row ? (row.components as object[]) : [],
    )
    .flatMap((one) => one.options ?? []);

/** Opens the newest task of a list whose label contains `words`. */
export async function openTask(stage: QuickStage, taskList: Message, who = 'member', words = ''): Promise<Message> {
  const option = offeredTaskIds(taskList).find(({ label }) => label.includes(words));
  const exchange = await stage.discord.as(who).choose(taskList, 'Open a task', [option?.value ?? '']);
  return exchange.message(says('Requested'));
}

/** Requests an erasure, confirms it twice and returns the exchange of the last press. */
export async function requestErasure(stage: QuickStage, who = 'member') {
  const member = stage.discord.as(who);
  const first = await (await member.click(await list(stage, who), 'Delete my data')).message(says('This deletes your'));
  const second = await (await member.click(first, 'Delete everything')).message(says('cannot be undone'));
  return member.click(second, 'Delete permanently');
}

/** The public messages of a channel. */
export const publicMessages = ({ discord }: QuickStage, channel = 'studio'): Message[] =>
  discord.messages(channel).filter(({ ephemeral }) => !ephemeral);

/** Waits for a message in a channel that contains these words. */
export const waitForMessage = ({ discord }: QuickStage, channel: string, words: string): Promise<Message> =>
  discord.until(() => discord.messages(channel).find((message) => text(message).includes(words)), words);
