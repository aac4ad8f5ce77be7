import { MessageFlags } from 'discord-api-types/v10';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';

/** A person's view of a message. */
export type Sight =
  | 'spinner'
  | 'progress'
  | 'done'
  /** Done, with a note about where the result is in place of the result. */
  | 'linked'
  | 'failed'
  | 'unconfirmed'
  | 'refused'
  /** A restart interrupted it, and its member is told so. */
  | 'interrupted'
  /** "Something went wrong": a refusal without a reason. */
  | 'unexpected'
  /** A message that this bot should never show. */
  | 'odd';

const REFUSALS = [
  ...['is busy', 'is temporarily unavailable', 'cannot be reached', 'invalid response', 'The gateway refused this'],
  ...['couldn’t confirm', 'does not support this feature', 'bot is restarting', 'does not allow this'],
  // In place of a public answer, whose reason only its member reads.
  ...['cannot save anything', 'This request failed'],
];

/** Custom id verbs of the buttons that continue from a result. */
const GOING_ON: ReadonlySet<string> = new Set([
  'a',
  'w',
  'chg',
  'all',
  'same',
  'edit',
  'ref',
  'large',
  'film',
  'anim',
  'line',
  'lines',
]);

export function sightOf(message: Message): Sight {
  const words = text(message);
  const verbs = buttonIds(message).map((id) => id.split('.')[0]);
  const hasButtons = (...wanted: string[]): boolean => verbs.join() === wanted.join();
  const goesOn = verbs.at(-1) === 'delete' && verbs.slice(0, -1).every((verb) => GOING_ON.has(verb ?? ''));
  if (((message.flags ?? 0) & MessageFlags.Loading) !== 0) return 'spinner';
  if (/[▰▱]|Waiting in the bot’s queue/.test(words)) return hasButtons('cancel') ? 'progress' : 'odd';
  if (words.includes('couldn’t confirm whether the gateway accepted'))
    return hasButtons('again', 'dismiss') ? 'unconfirmed' : 'odd';
  if (words.includes('This task failed')) return hasButtons('retry', 'edit', 'delete') ? 'failed' : 'odd';
  if (words.includes('Finished in')) return goesOn ? doneAs(message, words) : 'odd';
  if (!hasButtons()) return 'odd';
  if (words.includes('Something went wrong')) return 'unexpected';
  if (words.includes('A restart interrupted this')) return 'interrupted';
  return REFUSALS.some((refusal) => words.includes(refusal)) ? 'refused' : 'odd';
}

function doneAs({ attachments }: Message, words: string): Sight {
  if (attachments.some(({ content_type }) => content_type?.startsWith('image/'))) return 'done';
  return words.includes('could not be attached') || words.includes('could not be downloaded') ? 'linked' : 'odd';
}

/** The task that the buttons of a message belong to. */
export function taskOf(message: Message): string | undefined {
  const ids = new Set(buttonIds(message).map((id) => id.split('.')[2]));
  return ids.size === 1 ? [...ids][0] : undefined;
}

function buttonIds({ components = [] }: Message): string[] {
  return components.flatMap((row) =>
    'components' in row ? row.components.flatMap((one) => ('custom_id' in one ? [one.custom_id] : [])) : [],
  );
}
