import { type Message, MessageFlags } from 'discord.js';
import { type Attachment, attachmentOf } from './options.ts';

/** A message that something was pressed on, or whose menu was used, as far as the interaction tells of it. */
export interface Target {
  id: string;
  channelId: string;
  /** Only one member sees it, so what is made of it is for that one too. */
  isPrivate: boolean;
  /** Pictures, films and sounds on it, attached or shown by a link in it, with addresses that are good for a day. */
  files: readonly Attachment[];
}

export function targetOf({ id, channelId, flags, attachments, embeds }: Message): Target {
  const shown = embeds.flatMap(({ image, thumbnail }, index): Attachment[] => {
    const address = image?.url ?? thumbnail?.url;
    return address === undefined
      ? []
      : [{ id: `${id}-${index}`, name: nameIn(address), address, size: 0, mediaType: undefined }];
  });
  return {
    id,
    channelId,
    isPrivate: flags.has(MessageFlags.Ephemeral),
    files: [...attachments.values().map(attachmentOf), ...shown],
  };
}

/** What a file is called by where it is. */
export function nameIn(address: string): string {
  const name = URL.parse(address)?.pathname.split('/').at(-1);
  return name === undefined || name === '' ? 'picture' : name;
}
