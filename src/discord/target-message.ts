import { type Message, MessageFlags } from 'discord.js';
import { type Attachment, attachmentOf } from './options.ts';

/** A message of which a button was pressed or the menu was used, as the interaction describes it. */
export interface TargetMessage {
  id: string;
  channelId: string;
  /** Only one member sees it, so results are for that member alone too. */
  isPrivate: boolean;
  /** Images, videos and audio, attached or linked, with addresses that are valid for a day. */
  files: readonly Attachment[];
}

export function targetOf({ id, channelId, flags, attachments, embeds }: Message): TargetMessage {
  const shown = embeds.flatMap(({ image, thumbnail }, index): Attachment[] => {
    const address = image?.url ?? thumbnail?.url;
    return address === undefined
      ? []
      : [{ id: `${id}-${index}`, name: fileNameIn(address), address, size: 0, mediaType: undefined }];
  });
  return {
    id,
    channelId,
    isPrivate: flags.has(MessageFlags.Ephemeral),
    files: [...attachments.values().map(attachmentOf), ...shown],
  };
}

export function fileNameIn(address: string): string {
  const name = URL.parse(address)?.pathname.split('/').at(-1);
  return name === undefined || name === '' ? 'image' : name;
}
