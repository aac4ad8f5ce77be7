import type { SeenMessage } from '../../protocol.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { choose, pressed, pressKey } from '../state/acts.ts';
import { type Component, Kind, type MediaItem } from '../wire.ts';
import { FileCard } from './attachments.tsx';
import { Button } from './button.tsx';
import { colourOf } from './embeds.tsx';
import { Covered, Gallery } from './gallery.tsx';
import type { GalleryItem } from './lightbox.tsx';
import { Select } from './select.tsx';

interface Props {
  readonly components: readonly Component[];
  readonly message: SeenMessage;
}

/** Action rows and Components V2. */
export function Components({ components, message }: Props) {
  return (
    <>
      {components.map((component, index) => (
        <One key={component.id ?? index} component={component} message={message} />
      ))}
    </>
  );
}

const within = (component: Component) => (component.components ?? []) as readonly Component[];

function One({ component, message }: { component: Component; message: SeenMessage }) {
  switch (component.type) {
    case Kind.row:
      return (
        <div class="controls">
          <Components components={within(component)} message={message} />
        </div>
      );
    case Kind.button:
      return <Button component={component} message={message.id} />;
    case Kind.stringSelect:
    case Kind.userSelect:
    case Kind.roleSelect:
    case Kind.mentionableSelect:
    case Kind.channelSelect: {
      const name = String(component.custom_id);
      return (
        <Select
          select={component}
          busy={pressed.value.has(pressKey(message.id, name))}
          onChosen={(values) => void choose(message.id, name, values)}
        />
      );
    }
    case Kind.textDisplay:
      return <Markdown text={String(component.content ?? '')} />;
    case Kind.section:
      return (
        <div class="section">
          <div>
            <Components components={within(component)} message={message} />
          </div>
          <One component={component.accessory as Component} message={message} />
        </div>
      );
    case Kind.container: {
      const { accent_color: accent, spoiler } = component as { accent_color?: number | null; spoiler?: boolean };
      return (
        <div
          class={accent == null ? 'container' : 'container accented'}
          style={accent == null ? {} : { '--accent': colourOf(accent) }}
        >
          <Covered covered={spoiler === true}>
            <Components components={within(component)} message={message} />
          </Covered>
        </div>
      );
    }
    case Kind.separator:
      return (
        <hr
          class={`separator${component.divider === false ? ' plain' : ''}${component.spacing === 2 ? ' wide' : ''}`}
        />
      );
    case Kind.thumbnail:
      return <Thumbnail component={component} />;
    case Kind.gallery:
      return <Gallery images={((component.items ?? []) as readonly Component[]).map(imageOf)} />;
    case Kind.file: {
      const { url } = component.file as MediaItem;
      return (
        <FileCard
          name={String(component.name ?? nameOf(url))}
          url={url}
          {...(typeof component.size === 'number' && { size: component.size })}
        />
      );
    }
    default:
      return null;
  }
}

function Thumbnail({ component }: { component: Component }) {
  const { url, alt, width, height, isSpoiler } = imageOf(component);
  return (
    <div class="thumbnail">
      <Covered covered={isSpoiler}>
        <img src={url} alt={alt} width={width} height={height} />
      </Covered>
    </div>
  );
}

function imageOf(item: Component): GalleryItem {
  const { url, width, height, content_type: type } = item.media as MediaItem;
  return {
    url,
    alt: typeof item.description === 'string' ? item.description : '',
    name: nameOf(url),
    width: width || undefined,
    height: height || undefined,
    isVideo: type?.startsWith('video/') ?? false,
    isSpoiler: item.spoiler === true,
  };
}

const nameOf = (url: string) => decodeURIComponent(new URL(url, location.href).pathname.split('/').at(-1) ?? 'file');
