import { text } from '../../sandbox/discord/discord.ts';
import type { Exchange, Message } from '../../sandbox/discord/exchange.ts';
import { labels, type QuickStage } from './quick.ts';

/** A channel of the server that members and the bot can write in. */
export const LOG = 'no-threads';

/** Fills in the form for a section of `/server rules` as an admin. */
export async function changeRules(
  { discord }: Pick<QuickStage, 'discord'>,
  button: string,
  values: Record<string, unknown>,
): Promise<Message> {
  const admin = discord.as('admin').in('studio');
  const page = await (await admin.slash('server rules')).message();
  const formExchange = await admin.click(page, button);
  return (await admin.fill(await formExchange.modal(), values as never)).message();
}

export const setLogChannel = (stage: QuickStage, logDays = '') =>
  changeRules(stage, 'Change log channel', { logChannel: [LOG], logDays });

interface ReportInput {
  reason?: string;
  words?: string;
  who?: string;
  channel?: string;
}

/** Opens the report form for a message; if the report is refused, the exchange has a reply instead of a form. */
export const openReport = (
  { discord }: QuickStage,
  message: Message,
  who = 'other',
  channel = 'studio',
): Promise<Exchange> => discord.as(who).in(channel).menu('Report', message);

/** Reports a message; returns what the member reads. */
export async function report(stage: QuickStage, message: Message, input: ReportInput = {}): Promise<string> {
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

/** Returns what a member is told if the report is refused before the form opens. */
export const reportRefusal = async (stage: QuickStage, message: Message, who = 'other', channel = 'studio') =>
  text(await (await openReport(stage, message, who, channel)).message());

export const reportsIn = ({ discord }: QuickStage): Message[] =>
  discord.messages(LOG).filter((one) => text(one).startsWith('**Report**'));

/** Returns the only report in the log channel. */
export async function onlyReport(stage: QuickStage): Promise<Message> {
  const [found] = await stage.discord.until(() => {
    const all = reportsIn(stage);
    return all.length === 1 ? all : undefined;
  }, 'a report');
  if (!found) throw new Error('The report is missing.');
  return found;
}

/** Waits until a report in the log channel contains these words, and returns it. */
export const reportSaying = (stage: QuickStage, words: string): Promise<Message> =>
  stage.discord.until(() => reportsIn(stage).find((one) => text(one).includes(words)), words);

/** Presses a button under a report; the moderator gets no reply, because the report itself changes. */
export const decide = ({ discord }: QuickStage, message: Message, button: string, who = 'admin') =>
  discord.as(who).in(LOG).click(message, button);

/** Returns what a member reads if the press is refused. */
export const decisionRefusal = async (stage: QuickStage, message: Message, button: string, who = 'admin') =>
  text(await (await decide(stage, message, button, who)).ephemeral());

export async function block(stage: QuickStage, message: Message, time: string, who = 'admin') {
  const actor = stage.discord.as(who).in(LOG);
  const formExchange = await actor.click(message, 'Block member');
  return actor.fill(await formExchange.modal(), { time });
}

export const buttonsOf = (message: Message): string[] => labels(message);
