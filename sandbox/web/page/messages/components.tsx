import type { VisibleMessage } from '../../protocol.ts';
import { type Component, ComponentKind, type MediaItem } from '../discord-api.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { chooseValues, controlKey, waitingControls } from '../state/actions.ts';
import { FileCard } from './attachments.tsx';
import { Button } from './button.tsx';
import { colourOf } from './embeds.tsx';
import { Gallery, SpoilerCover } from './gallery.tsx';
import type { GalleryItem } from './lightbox.tsx';
import { Select } from './select.tsx';

interface Props {
  readonly components: readonly Component[];
  readonly message: VisibleMessage;
}

/** Action rows and Components V2. */
export function Components({ components, message }: Props) {
  return (
    <>
      {components.map((component, index) => (
        <AnyComponent key={component.id ?? index} component={component} message={message} />
      ))}
    </>
  );
}

const childrenOf = (component: Component) => (component.components ?? []) as readonly Component[];

function AnyComponent({ component, message }: { component: Component; message: VisibleMessage }) {
  switch (component.type) {
    case ComponentKind.row:
      return (
        <div class="controls">
          <Components components={childrenOf(component)} message={message} />
        </div>
      );
    case ComponentKind.button:
      return <Button component={component} message={message.id} />;
    case ComponentKind.stringSelect:
    case ComponentKind.userSelect:
    case ComponentKind.roleSelect:
    case ComponentKind.mentionableSelect:
    case ComponentKind.channelSelect: {
      const name = String(component.custom_id);
      return (
        <Select
          select={component}
          busy={waitingControls.value.has(controlKey(message.id, name))}
          onChosen={(values) => void chooseValues(message.id, name, values)}
        />
      );
    }
    case ComponentKind.textDisplay:
      return <Markdown text={String(component.content ?? '')} />;
    case ComponentKind.section:
      return (
        <div class="section">
          <div>
            <Components components={childrenOf(component)} message={message} />
          </div>
          <AnyComponent component={component.accessory as Component} message={message} />
        </div>
      );
    case ComponentKind.container: {
      const { accent_color: accent, spoiler } = component as { accent_color?: number | null; spoiler?: boolean };
      return (
        <div
          class={accent == null ? 'container' : 'container accented'}
          style={accent == null ? {} : { '--accent': colourOf(accent) }}
        >
          <SpoilerCover covered={spoiler === true}>
            <Components components={childrenOf(component)} message={message} />
          </SpoilerCover>
        </div>
      );
    }
    case ComponentKind.separator:
      return (
        <hr
          class={`separator${component.divider === false ? ' plain' : ''}${component.spacing === 2 ? ' wide' : ''}`}
        />
      );
    case ComponentKind.thumbnail:
      return <Thumbnail component={component} />;
    case ComponentKind.gallery:
      return <Gallery images={((component.items ?? []) as readonly Component[]).map(imageOf)} />;
    case ComponentKind.file: {
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
      <SpoilerCover covered={isSpoiler}>
        <img src={url} alt={alt} width={width} height={height} />
      </SpoilerCover>
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
