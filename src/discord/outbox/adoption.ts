import { z } from 'zod';
import type { PendingPost } from '../../services/tasks/answer.ts';
import type { Intention, MessagePlace, Task } from '../../services/tasks/task.ts';
import { customIds, readCustomId } from '../custom-ids.ts';
import { snowflakeAt, timestampOf } from '../snowflake.ts';
import type { Outbox } from './outbox.ts';

/** The largest expected difference between Discord's clock and ours. */
const SKEW_MS = 60_000;
/** A message was posted within this time, or never. */
export const WINDOW_MS = 15 * 60_000;
/** Bounds how far back a busy channel is read. */
const MAX_PAGES = 10;

const messageSchema = z.object({
  id: z.string().regex(/^\d{1,20}$/),
  author: z.object({ id: z.string().optional() }).optional(),
  application_id: z.string().optional(),
  /** Only replies to interactions have it, and those show progress. */
  interaction_metadata: z.unknown().optional(),
  message_reference: z.object({ message_id: z.string().optional() }).optional(),
  content: z.string().optional(),
  components: z.unknown().optional(),
});
type FoundMessage = z.output<typeof messageSchema>;

type ChannelReader = Pick<Outbox, 'messagesBefore' | 'botUserId'>;

/** Searches for a message that was about to be posted when the bot stopped, or when Discord's response was lost. */
export const findPosted = (
  task: Task,
  intention: Pick<Intention, 'channelId' | 'at'> & { until?: number },
  reader: ChannelReader,
): Promise<MessagePlace | undefined> => find(intention, reader, (message) => showsTask(message, task, reader));

/** Searches for a further message of an answer. It has no buttons, but it replies to the first message and is not stored yet. */
export function findPostedPart(
  task: Task,
  posting: PendingPost,
  reader: ChannelReader,
): Promise<MessagePlace | undefined> {
  const knownIds = new Set(task.answer?.parts.map(({ id }) => id));
  return find(posting, reader, (message) => {
    const repliedToId = message.message_reference?.message_id;
    return (
      isPostedAsBot(message, task.route.applicationId, reader) &&
      repliedToId === posting.answers &&
      !knownIds.has(message.id)
    );
  });
}

/** Searches for a message posted since a given time whose buttons refer to something other than a task. */
export const findByButtonId = (
  { id, applicationId }: { id: string; applicationId: string },
  period: Pick<Intention, 'channelId' | 'at'> & { until: number },
  reader: ChannelReader,
): Promise<MessagePlace | undefined> =>
  find(period, reader, (message) => isPostedAsBot(message, applicationId, reader) && hasButtonFor(message, id));

/** Only messages that show the end of a task have these buttons. */
const END_VERBS: ReadonlySet<string> = new Set(
  [customIds.delete, customIds.tryAgain, customIds.dismiss].map(({ name }) => name),
);

export interface ShownTask {
  place: MessagePlace;
  showsEnd: boolean;
}

/** Searches for the message about a task of a restored store, which may be newer than what is stored about the task. */
export async function findShown(task: Task, channelId: string, reader: ChannelReader): Promise<ShownTask | undefined> {
  const { message, restored, times } = task;
  const ownButtonsOf = ({ components }: FoundMessage) =>
    idsIn(components)
      .flatMap((text) => readCustomId(text) ?? [])
      .filter(({ args }) => args[0] === task.id);
  const isAbout = (one: FoundMessage): boolean =>
    isFromApplication(one, task.route.applicationId, reader) &&
    (message ? one.id === message.id : ownButtonsOf(one).length > 0);
  const window = message
    ? { start: BigInt(message.id), end: BigInt(message.id) + 1n }
    : { start: snowflakeAt(times.created - SKEW_MS), end: snowflakeAt((restored?.at ?? times.created) + SKEW_MS) };
  const found = await findIn(channelId, window, reader, isAbout);
  return (
    found && {
      place: { channelId, id: found.id },
      showsEnd: ownButtonsOf(found).some(({ verb }) => END_VERBS.has(verb)),
    }
  );
}

/** Searches for the bot's reply to a member's message, and returns where it is and what it says. */
export async function findReply({ channelId, id }: MessagePlace, applicationId: string, reader: ChannelReader) {
  const isReply = (one: FoundMessage): boolean =>
    isPostedAsBot(one, applicationId, reader) && one.message_reference?.message_id === id;
  const window = { start: BigInt(id), end: snowflakeAt(timestampOf(id) + WINDOW_MS) };
  const found = await findIn(channelId, window, reader, isReply);
  return found && { place: { channelId, id: found.id }, content: found.content };
}

async function find(
  { channelId, at, until = at + WINDOW_MS }: Pick<Intention, 'channelId' | 'at'> & { until?: number },
  reader: ChannelReader,
  matches: (message: FoundMessage) => boolean,
): Promise<MessagePlace | undefined> {
  const window = { start: snowflakeAt(at - SKEW_MS), end: snowflakeAt(until) };
  const found = await findIn(channelId, window, reader, matches);
  return found && { channelId, id: found.id };
}

/** Searches from the newest message to the oldest. */
async function findIn(
  channelId: string,
  { start, end }: { start: bigint; end: bigint },
  reader: ChannelReader,
  matches: (message: FoundMessage) => boolean,
): Promise<FoundMessage | undefined> {
  let oldest = end;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await reader.messagesBefore(channelId, String(oldest));
    const messages = page.flatMap((one) => messageSchema.safeParse(one).data ?? []);
    const recentMessages = messages.filter(({ id }) => BigInt(id) >= start);
    const match = recentMessages.find(matches);
    if (match) return match;
    const last = recentMessages.at(-1);
    if (!last || recentMessages.length < messages.length) return undefined;
    oldest = BigInt(last.id);
  }
  return undefined;
}

/** Anyone could write the same text, but a task's id is unknown before its message is posted. */
function showsTask(message: FoundMessage, task: Task, reader: ChannelReader): boolean {
  const { id, route, message: knownMessage } = task;
  const isPosted = isPostedAsBot(message, route.applicationId, reader);
  return isPosted && message.id !== knownMessage?.id && hasButtonFor(message, id);
}

const hasButtonFor = ({ components }: FoundMessage, id: string): boolean =>
  idsIn(components).some((text) => readCustomId(text)?.args.includes(id));

/** Whether a message was posted with the bot's own token, not with that of an interaction. */
const isPostedAsBot = (message: FoundMessage, applicationId: string, reader: ChannelReader): boolean =>
  isFromApplication(message, applicationId, reader) && message.interaction_metadata === undefined;

/** The bot of an old application is a user with another id. */
const isFromApplication = (
  { author, application_id: application }: FoundMessage,
  applicationId: string,
  { botUserId }: ChannelReader,
): boolean =>
  application === applicationId || (author?.id !== undefined && [applicationId, botUserId].includes(author.id));

/** The ids of a message's buttons, including those that were turned into options of a menu. */
export function idsIn(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(idsIn);
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => {
    if (typeof value === 'string') return key === 'custom_id' || key === 'value' ? [value] : [];
    return idsIn(value);
  });
}
