import type { APIAttachment } from 'discord-api-types/v10';
import { bytesText } from '../markdown/time.ts';
import { Icon } from '../shell/icons.tsx';
import { Gallery } from './gallery.tsx';
import type { GalleryItem } from './lightbox.tsx';
import { VoiceMessage } from './voice.tsx';

/** Images and videos in a grid, audio with a player, all other files as cards. */
export function Attachments({ attachments }: { attachments: readonly APIAttachment[] }) {
  if (attachments.length === 0) return null;
  const visual = attachments.filter((one) => /^(image|video)\//.test(one.content_type ?? ''));
  const others = attachments.filter((one) => !visual.includes(one));
  return (
    <div class="attachments">
      {visual.length > 0 && <Gallery images={visual.map(imageOf)} />}
      {others.map((one) =>
        one.waveform !== undefined ? (
          <VoiceMessage key={one.id} file={one} />
        ) : one.content_type?.startsWith('audio/') ? (
          <Sound key={one.id} file={one} />
        ) : (
          <FileCard key={one.id} {...cardOf(one)} />
        ),
      )}
    </div>
  );
}

/** IS_SPOILER of the flags of attachments. */
const SPOILER_FLAG = 8;

const imageOf = ({
  url,
  filename,
  description,
  width,
  height,
  content_type: type,
  flags,
}: APIAttachment): GalleryItem => ({
  url,
  alt: description ?? '',
  name: filename,
  width: width ?? undefined,
  height: height ?? undefined,
  isVideo: type?.startsWith('video/') ?? false,
  isSpoiler: ((flags ?? 0) & SPOILER_FLAG) !== 0,
});

const cardOf = ({ filename, size, url }: APIAttachment) => ({ name: filename, size, url });

function Sound({ file }: { file: APIAttachment }) {
  return (
    <figure class="card sound">
      <figcaption>
        <a href={file.url} target="_blank" rel="noreferrer">
          {file.filename}
        </a>
        <small>{bytesText(file.size)}</small>
      </figcaption>
      <audio controls preload="metadata" src={file.url} aria-label={file.description ?? file.filename} />
    </figure>
  );
}

export function FileCard({ name, size, url }: { name: string; size?: number; url: string }) {
  return (
    <div class="card file-card">
      <Icon name="file" size={32} />
      <div>
        <a class="cut" href={url} target="_blank" rel="noreferrer">
          {name}
        </a>
        {size !== undefined && <small>{bytesText(size)}</small>}
      </div>
      <a
        class="icon-button"
        href={url}
        target="_blank"
        rel="noreferrer"
        download={name}
        aria-label={`Download ${name}`}
      >
        <Icon name="download" />
      </a>
    </div>
  );
}
