import { MessageFlags } from 'discord-api-types/v10';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { Medium } from './kinds.ts';

/** A message as a person sees it. */
export type Sight =
  | 'spinner'
  | 'progress'
  | 'done'
  /** Done, and instead of the result the message says where it is. */
  | 'linked'
  | 'failed'
  | 'unconfirmed'
  | 'refused'
  /** A restart interrupted it, and the message tells the member so. */
  | 'interrupted'
  /** A message that refers to an end that may already be shown. */
  | 'pointed'
  /** "Something went wrong": a refusal without a reason. */
  | 'unexpected'
  /** A message that this bot should never show. */
  | 'odd';

const REFUSALS = [
  ...['is busy', 'is temporarily unavailable', 'cannot be reached', 'invalid response', 'The gateway refused this'],
  ...['couldn’t confirm', 'does not support this feature', 'bot is restarting', 'does not allow this'],
  'would exceed your limit on this server',
  // Shown in place of a public answer, while only the member sees the reason.
  ...['cannot save anything', 'This request failed'],
];

/** Custom id verbs of the buttons that continue from a result. */
const GOING_ON: ReadonlySet<string> = new Set([
  ...['more', 'letgo', 'details'],
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
  if (words.includes('so you may not have received its result'))
    return hasButtons() || hasButtons('showall') ? 'pointed' : 'odd';
  if (/[▰▱]|Waiting in the bot’s queue/.test(words)) return hasButtons('cancel') ? 'progress' : 'odd';
  if (words.includes('couldn’t confirm whether the gateway accepted'))
    return hasButtons('again', 'dismiss') ? 'unconfirmed' : 'odd';
  if (words.includes('This task failed')) return failedAs(verbs);
  if (words.includes('Finished in')) return goesOn ? doneAs(message, words) : 'odd';
  if (IS_ANSWER.test(words)) return answerAs(words, verbs);
  if (!hasButtons()) return 'odd';
  if (words.includes('Something went wrong')) return 'unexpected';
  if (words.includes('A restart interrupted this')) return 'interrupted';
  return REFUSALS.some((refusal) => words.includes(refusal)) ? 'refused' : 'odd';
}

/** Results without their own prompt cannot be edited. */
const failedAs = (verbs: readonly (string | undefined)[]): Sight =>
  ['retry,edit,delete', 'retry,delete'].includes(verbs.join()) ? 'failed' : 'odd';

/** The line below the question of an answer names its model. */
const IS_ANSWER = /^-# .*quill/m;
const ANSWER_FAILURES = ['The bot restarted mid-answer', 'was lost mid-answer', 'The answer failed'];

function answerAs(words: string, verbs: readonly (string | undefined)[]): Sight {
  if (verbs.length === 0 || verbs.at(-1) === 'stop') return 'progress';
  if (verbs.at(-1) !== 'delete' || !verbs.slice(0, -1).every((verb) => verb === 'retry' || GOING_ON.has(verb ?? '')))
    return 'odd';
  if (ANSWER_FAILURES.some((failure) => words.includes(failure))) return verbs.includes('retry') ? 'failed' : 'odd';
  return verbs.includes('more') && !verbs.includes('retry') ? 'done' : 'odd';
}

function doneAs(message: Message, words: string): Sight {
  if (mediaOf(message).length > 0) return 'done';
  return words.includes('could not be attached') || words.includes('could not be downloaded') ? 'linked' : 'odd';
}

/** The result that a message shows. */
export function mediaOf(message: Message): Medium[] {
  const attached = (['image', 'video', 'audio'] as const).filter((medium) =>
    message.attachments.some(({ content_type }) => content_type?.startsWith(`${medium}/`)),
  );
  const words = text(message);
  return [
    ...attached,
    ...(/^\d\ufe0f\u20e3 /m.test(words) ? (['lines'] as const) : []),
    ...(IS_ANSWER.test(words) ? (['answer'] as const) : []),
  ];
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
