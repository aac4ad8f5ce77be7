import { text } from '../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../sandbox/discord/exchange.ts';
import { type FastClockFixture, labels } from './quick.ts';

/** The channel that tests choose as the log channel. Members and the bot can write in it. */
export const LOG_CHANNEL = 'no-threads';

/** Fills in the form for a section of `/server rules` as an admin. */
export async function changeRules(
  { discord }: Pick<FastClockFixture, 'discord'>,
  button: string,
  values: Record<string, unknown>,
): Promise<Message> {
  const admin = discord.as('admin').in('studio');
  const page = await (await admin.slash('server rules')).message();
  const formExchange = await admin.click(page, button);
  return (await admin.fill(await formExchange.modal(), values as never)).message();
}

export const setLogChannel = (fixture: FastClockFixture, logDays = '') =>
  changeRules(fixture, 'Change log channel', { logChannel: [LOG_CHANNEL], logDays });

interface ReportInput {
  reason?: string;
  words?: string;
  who?: string;
  channel?: string;
}

/** Opens the report form for a message; if the report is refused, the exchange has a reply instead of a form. */
export const openReport = (
  { discord }: FastClockFixture,
  message: Message,
  who = 'other',
  channel = 'studio',
): Promise<Exchange> => discord.as(who).in(channel).menu('Report', message);

/** Reports a message, and returns the text of the reply. */
export async function report(fixture: FastClockFixture, message: Message, input: ReportInput = {}): Promise<string> {
  const { reason = 'hate', words, who = 'other', channel = 'studio' } = input;
  const formExchange = await openReport(fixture, message, who, channel);
  const values = { reason, ...(words !== undefined && { words }) };
  const submission = await fixture.discord
    .as(who)
    .in(channel)
    .fill(await formExchange.modal(), values);
  const reply = await submission.message();
  if (!reply.ephemeral) throw new Error('The reply to a report is not private.');
  return text(reply);
}

/** Tries to report a message, and returns the refusal that replaces the form. */
export const reportRefusal = async (fixture: FastClockFixture, message: Message, who = 'other', channel = 'studio') =>
  text(await (await openReport(fixture, message, who, channel)).message());

export const reportsIn = ({ discord }: FastClockFixture): Message[] =>
  discord.messages(LOG_CHANNEL).filter((one) => text(one).startsWith('**Report**'));

/** Returns the only report in the log channel. */
export async function onlyReport(fixture: FastClockFixture): Promise<Message> {
  const [found] = await fixture.discord.until(() => {
    const all = reportsIn(fixture);
    return all.length === 1 ? all : undefined;
  }, 'a report');
  if (!found) throw new Error('The report is missing.');
  return found;
}

/** Waits until a report in the log channel contains these words, and returns it. */
export const waitForReport = (fixture: FastClockFixture, words: string): Promise<Message> =>
  fixture.discord.until(() => reportsIn(fixture).find((one) => text(one).includes(words)), words);

/** Presses a button under a report; the moderator gets no reply, because the report itself changes. */
export const decide = ({ discord }: FastClockFixture, message: Message, button: string, who = 'admin') =>
  discord.as(who).in(LOG_CHANNEL).click(message, button);

/** Presses a button under a report, and returns the refusal. */
export const decisionRefusal = async (fixture: FastClockFixture, message: Message, button: string, who = 'admin') =>
  text(await (await decide(fixture, message, button, who)).ephemeral());

export async function blockMember(fixture: FastClockFixture, message: Message, time: string, who = 'admin') {
  const actor = fixture.discord.as(who).in(LOG_CHANNEL);
  const formExchange = await actor.click(message, 'Block member');
  return actor.fill(await formExchange.modal(), { time });
}

export const buttonsOf = (message: Message): string[] => labels(message);
