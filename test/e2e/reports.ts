import { text } from '../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../sandbox/discord/exchange.ts';
import { type FastClockStage, labels } from './quick.ts';

/** The channel that tests choose as the log channel. Members and the bot can write in it. */
export const LOG_CHANNEL = 'no-threads';

/** Fills in the form for a section of `/server rules` as an admin. */
export async function changeRules(
  { discord }: Pick<FastClockStage, 'discord'>,
  button: string,
  values: Record<string, unknown>,
): Promise<Message> {
  const admin = discord.as('admin').in('studio');
  const page = await (await admin.slash('server rules')).message();
  const formExchange = await admin.click(page, button);
  return (await admin.fill(await formExchange.modal(), values as never)).message();
}

export const setLogChannel = (stage: FastClockStage, logDays = '') =>
  changeRules(stage, 'Change log channel', { logChannel: [LOG_CHANNEL], logDays });

interface ReportInput {
  reason?: string;
  words?: string;
  who?: string;
  channel?: string;
}

/** Opens the report form for a message; if the report is refused, the exchange has a reply instead of a form. */
export const openReport = (
  { discord }: FastClockStage,
  message: Message,
  who = 'other',
  channel = 'studio',
): Promise<Exchange> => discord.as(who).in(channel).menu('Report', message);

/** Reports a message, and returns the text of the reply. */
export async function report(stage: FastClockStage, message: Message, input: ReportInput = {}): Promise<string> {
  const { reason = 'hate', words, who = 'other', channel = 'studio' } = input;
  const formExchange = await openReport(stage, message, who, channel);
  const values = { reason, ...(words !== undefined && { words }) };
  const submission = await stage.discord
    .as(who)
    .in(channel)
    .fill(await formExchange.modal(), values);
  const reply = await submission.message();
  if (!reply.ephemeral) throw new Error('The reply to a report is not private.');
  return text(reply);
}

/** Tries to report a message, and returns the refusal that replaces the form. */
export const reportRefusal = async (stage: FastClockStage, message: Message, who = 'other', channel = 'studio') =>
  text(await (await openReport(stage, message, who, channel)).message());

export const reportsIn = ({ discord }: FastClockStage): Message[] =>
  discord.messages(LOG_CHANNEL).filter((one) => text(one).startsWith('**Report**'));

/** Returns the only report in the log channel. */
export async function onlyReport(stage: FastClockStage): Promise<Message> {
  const [found] = await stage.discord.until(() => {
    const all = reportsIn(stage);
    return all.length === 1 ? all : undefined;
  }, 'a report');
  if (!found) throw new Error('The report is missing.');
  return found;
}

/** Waits until a report in the log channel contains these words, and returns it. */
export const waitForReport = (stage: FastClockStage, words: string): Promise<Message> =>
  stage.discord.until(() => reportsIn(stage).find((one) => text(one).includes(words)), words);

/** Presses a button under a report; the moderator gets no reply, because the report itself changes. */
export const decide = ({ discord }: FastClockStage, message: Message, button: string, who = 'admin') =>
  discord.as(who).in(LOG_CHANNEL).click(message, button);

/** Presses a button under a report, and returns the refusal. */
export const decisionRefusal = async (stage: FastClockStage, message: Message, button: string, who = 'admin') =>
  text(await (await decide(stage, message, button, who)).ephemeral());

export async function blockMember(stage: FastClockStage, message: Message, time: string, who = 'admin') {
  const actor = stage.discord.as(who).in(LOG_CHANNEL);
  const formExchange = await actor.click(message, 'Block member');
  return actor.fill(await formExchange.modal(), { time });
}

export const buttonsOf = (message: Message): string[] => labels(message);
