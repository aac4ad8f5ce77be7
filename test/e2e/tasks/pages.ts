import { text } from '../../../sandbox/discord/discord.ts';
import type { Message } from '../../../sandbox/discord/exchange.ts';
import { type FastClockFixture, labels, says } from '../quick.ts';

type Options = Parameters<ReturnType<FastClockFixture['discord']['as']>['slash']>[1];

/** Runs `/tasks` as a member, and returns the reply. */
export async function openTaskList(
  { discord }: FastClockFixture,
  who = 'member',
  options: Options = {},
  channel?: string,
) {
  const actor = channel === undefined ? discord.as(who) : discord.as(who).in(channel);
  return (await actor.slash('tasks', options)).message();
}

/** The tasks in the select menu of a task list: their ids and labels. */
export const offeredTasks = (taskList: Message): { value: string; label: string }[] =>
  (taskList.components ?? [])
    .flatMap((row): { options?: { value: string; label: string }[] }[] =>
      'components' in row ? (row.components as object[]) : [],
    )
    .flatMap((one) => one.options ?? []);

/** Opens the newest task of a list whose label contains `words`. */
export async function openTask(
  fixture: FastClockFixture,
  taskList: Message,
  who = 'member',
  words = '',
): Promise<Message> {
  const option = offeredTasks(taskList).find(({ label }) => label.includes(words));
  const exchange = await fixture.discord.as(who).choose(taskList, 'Open a task', [option?.value ?? '']);
  return exchange.message((message) => labels(message).includes('Details'));
}

/** The second view of a task's page, with its times, ids and addresses. */
export const openDetails = async ({ discord }: FastClockFixture, page: Message, who = 'member'): Promise<Message> =>
  (await discord.as(who).click(page, 'Details')).message(says('Requested'));

/** Requests an erasure, confirms it twice and returns the exchange of the last press. */
export async function requestErasure(fixture: FastClockFixture, who = 'member') {
  const member = fixture.discord.as(who);
  const first = await (await member.click(await openTaskList(fixture, who), 'Delete my data')).message(
    says('This deletes your'),
  );
  const second = await (await member.click(first, 'Delete everything')).message(says('cannot be undone'));
  return member.click(second, 'Delete permanently');
}

/** Erases a member's data and waits for the outcome, which replaces the page or follows it, depending on how long it takes. */
export async function erase(fixture: FastClockFixture, who = 'member'): Promise<Message> {
  await requestErasure(fixture, who);
  return waitForMessage(fixture, 'studio', 'Your data has been deleted');
}

/** The public messages of a channel. */
export const publicMessages = ({ discord }: FastClockFixture, channel = 'studio'): Message[] =>
  discord.messages(channel).filter(({ ephemeral }) => !ephemeral);

/** Waits for a message in a channel that contains these words. */
export const waitForMessage = ({ discord }: FastClockFixture, channel: string, words: string): Promise<Message> =>
  discord.until(() => discord.messages(channel).find((message) => text(message).includes(words)), words);
