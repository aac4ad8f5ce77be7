import { type Message, MessageFlags } from 'discord.js';
import { isTaskId } from '../services/tasks/task-id.ts';
import { readCustomId } from './custom-ids.ts';
import { type Attachment, attachmentOf } from './options.ts';
import { idsIn } from './outbox/adoption.ts';

/** A message whose button was pressed or whose menu was used, as the interaction describes it. */
export interface TargetMessage {
  id: string;
  channelId: string;
  /** Only one member sees the message, so results must be visible to that member only, too. */
  isPrivate: boolean;
  /** Images, videos and audio, attached or linked, with URLs that are valid for a day. */
  files: readonly Attachment[];
  createdAt: number;
  /** Whether the bot posted the message. */
  isOurs: boolean;
  /** The ids of tasks in its buttons and file names, if the bot posted it. */
  taskIds: readonly string[];
}

export function targetOf(message: Message): TargetMessage {
  const { id, channelId, flags, attachments, embeds, createdTimestamp: createdAt, author, client } = message;
  const isOurs = author.id === client.user.id || message.applicationId === client.application.id;
  const embedFiles = embeds.flatMap(({ image, thumbnail }, index): Attachment[] => {
    const url = image?.url ?? thumbnail?.url;
    return url === undefined
      ? []
      : [{ id: `${id}-${index}`, name: fileNameIn(url), address: url, size: 0, mediaType: undefined }];
  });
  return {
    id,
    channelId,
    isPrivate: flags.has(MessageFlags.Ephemeral),
    files: [...attachments.values().map(attachmentOf), ...embedFiles],
    createdAt,
    isOurs,
    taskIds: isOurs ? taskIdsIn(message) : [],
  };
}

/** The files of results are named after their task. */
const RESULT_FILE = /-([0-9a-z]{17})-\d{1,3}\.\w{1,5}$/;

function taskIdsIn({ components, attachments }: Message): string[] {
  const buttonArgs = idsIn(components.map((one) => one.toJSON())).flatMap((text) => readCustomId(text)?.args ?? []);
  const fileNameIds = attachments.map(({ name }) => RESULT_FILE.exec(name)?.[1] ?? '');
  return [...new Set([...buttonArgs, ...fileNameIds])].filter(isTaskId);
}

export function fileNameIn(url: string): string {
  const name = URL.parse(url)?.pathname.split('/').at(-1);
  return name === undefined || name === '' ? 'image' : name;
}
