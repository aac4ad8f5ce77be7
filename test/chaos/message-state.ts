import { MessageFlags } from 'discord-api-types/v10';
import { text } from '../../sandbox/discord/discord.ts';
import type { Message } from '../../sandbox/discord/exchange.ts';
import type { Medium } from './kinds.ts';

/** What a message shows to a member. */
export type MessageState =
  | 'spinner'
  | 'progress'
  | 'done'
  /** Done, but the message contains a link instead of the result. */
  | 'linked'
  | 'failed'
  | 'unconfirmed'
  | 'refused'
  /** The message says that a restart interrupted the request. */
  | 'interrupted'
  /** A hint that the result may already be shown elsewhere. */
  | 'hint'
  /** "Something went wrong": a refusal without a reason. */
  | 'unexpected'
  /** A message that this bot should never show. */
  | 'invalid';

const REFUSALS = [
  ...['is busy', 'is temporarily unavailable', 'cannot be reached', 'invalid response', 'The gateway refused this'],
  ...['couldn’t confirm', 'does not support this feature', 'bot is restarting', 'does not allow this'],
  'cannot respond right now',
  'would exceed your limit on this server',
  // Shown in place of a public answer, while only the member sees the reason.
  ...['cannot save anything', 'This request failed'],
];

/** Custom id verbs of the buttons that continue from a result. */
const CONTINUING_VERBS: ReadonlySet<string> = new Set([
  ...['more', 'letgo', 'details'],
  'a',
  ...['rr', 'zoom', 'remix'],
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

export function messageState(message: Message): MessageState {
  const words = text(message);
  const verbs = buttonIds(message).map((id) => id.split('.')[0]);
  const hasButtons = (...expected: string[]): boolean => verbs.join() === expected.join();
  const canContinue = verbs.at(-1) === 'delete' && verbs.slice(0, -1).every((verb) => CONTINUING_VERBS.has(verb ?? ''));
  if (((message.flags ?? 0) & MessageFlags.Loading) !== 0) return 'spinner';
  if (words.includes('so you may not have received its result'))
    return hasButtons() || hasButtons('showall') ? 'hint' : 'invalid';
  // Nothing can be pressed while a task is being submitted.
  if (/[▰▱]|Waiting in the bot’s queue/.test(words))
    return hasButtons('cancel') || hasButtons() ? 'progress' : 'invalid';
  if (words.includes('couldn’t confirm whether the gateway accepted'))
    return hasButtons('again', 'dismiss') ? 'unconfirmed' : 'invalid';
  if (words.includes('This task failed')) return failedState(verbs);
  if (words.includes('Finished in')) return canContinue ? doneState(message, words) : 'invalid';
  if (IS_ANSWER.test(words)) return answerState(words, verbs);
  if (!hasButtons()) return 'invalid';
  if (words.includes('Something went wrong')) return 'unexpected';
  if (words.includes('A restart interrupted this')) return 'interrupted';
  return REFUSALS.some((refusal) => words.includes(refusal)) ? 'refused' : 'invalid';
}

/** Results without their own prompt cannot be edited. */
const failedState = (verbs: readonly (string | undefined)[]): MessageState =>
  ['retry,edit,delete', 'retry,delete'].includes(verbs.join()) ? 'failed' : 'invalid';

/** The line below the question of an answer names its model. */
const IS_ANSWER = /^-# .*quill/m;
const ANSWER_FAILURES = ['The bot was stopped before', 'was lost before the answer', 'The answer failed'];

function answerState(words: string, verbs: readonly (string | undefined)[]): MessageState {
  if (verbs.length === 0 || verbs.at(-1) === 'stop') return 'progress';
  if (
    verbs.at(-1) !== 'delete' ||
    !verbs.slice(0, -1).every((verb) => verb === 'retry' || CONTINUING_VERBS.has(verb ?? ''))
  )
    return 'invalid';
  if (ANSWER_FAILURES.some((failure) => words.includes(failure))) return verbs.includes('retry') ? 'failed' : 'invalid';
  return verbs.includes('more') && !verbs.includes('retry') ? 'done' : 'invalid';
}

function doneState(message: Message, words: string): MessageState {
  if (mediaOf(message).length > 0) return 'done';
  return words.includes('could not be attached') || words.includes('could not be downloaded') ? 'linked' : 'invalid';
}

/** The result that a message shows. */
export function mediaOf(message: Message): Medium[] {
  const attachedMedia = (['image', 'video', 'audio'] as const).filter((medium) =>
    message.attachments.some(({ content_type }) => content_type?.startsWith(`${medium}/`)),
  );
  const words = text(message);
  return [
    ...attachedMedia,
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
