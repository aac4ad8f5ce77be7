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
  const shown = await (await admin.slash('server rules')).message();
  const opened = await admin.click(shown, button);
  return (await admin.fill(await opened.modal(), values as never)).message();
}

export const setLogChannel = (stage: QuickStage, logDays = '') =>
  changeRules(stage, 'Change log channel', { logChannel: [LOG], logDays });

interface Filled {
  reason?: string;
  words?: string;
  who?: string;
  where?: string;
}

/** Opens the report form on a message; returns the reply that the member sees instead if it was refused. */
export const openReport = ({ discord }: QuickStage, on: Message, who = 'other', where = 'studio'): Promise<Exchange> =>
  discord.as(who).in(where).menu('Report', on);

/** Reports a message; returns what the member reads. */
export async function report(stage: QuickStage, on: Message, filled: Filled = {}): Promise<string> {
  const { reason = 'hate', words, who = 'other', where = 'studio' } = filled;
  const opened = await openReport(stage, on, who, where);
  const values = { reason, ...(words !== undefined && { words }) };
  const sent = await stage.discord
    .as(who)
    .in(where)
    .fill(await opened.modal(), values);
  const reply = await sent.message();
  if (!reply.ephemeral) throw new Error('The reply to a report is not private.');
  return text(reply);
}

/** Returns what a member is told if the report is refused before the form opens. */
export const refusedReport = async (stage: QuickStage, on: Message, who = 'other', where = 'studio') =>
  text(await (await openReport(stage, on, who, where)).message());

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

/** The report in the log channel once it contains these words. */
export const reportSaying = (stage: QuickStage, words: string): Promise<Message> =>
  stage.discord.until(() => reportsIn(stage).find((one) => text(one).includes(words)), words);

/** Presses a button under a report; the moderator gets no reply, because the report itself changes. */
export const decide = ({ discord }: QuickStage, on: Message, button: string, who = 'admin') =>
  discord.as(who).in(LOG).click(on, button);

/** Returns what a member reads if the press is refused. */
export const refusedDecision = async (stage: QuickStage, on: Message, button: string, who = 'admin') =>
  text(await (await decide(stage, on, button, who)).ephemeral());

export async function block(stage: QuickStage, on: Message, time: string, who = 'admin') {
  const actor = stage.discord.as(who).in(LOG);
  const opened = await actor.click(on, 'Block member');
  return actor.fill(await opened.modal(), { time });
}

export const buttonsOf = (message: Message): string[] => labels(message);
