import { type APIMessage, ComponentType } from 'discord-api-types/v10';
import { isTaskId } from '../services/tasks/task-id.ts';
import { readCustomId } from './custom-ids.ts';
import { isEphemeral } from './interaction-facts.ts';
import { type Attachment, attachmentOf } from './options.ts';
import { idsIn } from './outbox/adoption.ts';

/** A message whose button was pressed or whose menu was used, as the interaction describes it. */
export type TargetMessage = ReturnType<typeof targetOf>;

/** The id of a message to which others can be referred. */
export const publicId = ({ id, isPrivate }: TargetMessage): string | undefined => (isPrivate ? undefined : id);

interface Attached {
  components?: unknown;
  attachments: readonly { filename: string }[];
}

export function targetOf(message: APIMessage) {
  const { id, channel_id: channelId, attachments, embeds, timestamp, author, application_id: applicationId } = message;
  const embedFiles = embeds.flatMap(({ image, thumbnail }, index): Attachment[] => {
    const url = image?.url ?? thumbnail?.url;
    return url === undefined
      ? []
      : [{ id: `${id}-${index}`, name: fileNameIn(url), address: url, size: 0, mediaType: undefined }];
  });
  return {
    id,
    channelId,
    /** Only one member sees the message, so results must be visible to that member only, too. */
    isPrivate: isEphemeral(message),
    content: (message.content || textsIn(message.components).join('\n')).slice(0, MAX_CONTENT_LENGTH),
    /** Images, videos and audio, attached or linked, with URLs that are valid for a day. */
    files: [...attachments.map(attachmentOf), ...embedFiles],
    createdAt: Date.parse(timestamp),
    /** The ids of the user and of the application that posted it. */
    posters: [author.id, ...(applicationId === undefined ? [] : [applicationId])],
    /** The ids of tasks in its buttons and file names, which anyone can forge in a message of their own. */
    taskIds: taskIdsIn(message),
  };
}

/** Discord's own limit, of a member with Nitro. */
const MAX_CONTENT_LENGTH = 4_000;

/** The texts of a message that consists of components and has no content. */
function textsIn(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(textsIn);
  if (typeof tree !== 'object' || tree === null) return [];
  const { type, content, components }: { type?: unknown; content?: unknown; components?: unknown } = tree;
  return type === ComponentType.TextDisplay && typeof content === 'string' ? [content] : textsIn(components);
}

/** The files of results are named after their task. */
const RESULT_FILE = /-([0-9a-z]{17})-\d{1,3}\.\w{1,5}$/;

/** The ids of the tasks in a message's buttons and file names. */
export function taskIdsIn({ components, attachments }: Attached): string[] {
  const buttonIds = idsIn(components).map((text) => readCustomId(text)?.args[0] ?? '');
  const fileNameIds = attachments.map(({ filename }) => RESULT_FILE.exec(filename)?.[1] ?? '');
  return [...new Set([...buttonIds, ...fileNameIds])].filter(isTaskId);
}

export function fileNameIn(url: string): string {
  const name = URL.parse(url)?.pathname.split('/').at(-1);
  return name === undefined || name === '' ? 'image' : name;
}
