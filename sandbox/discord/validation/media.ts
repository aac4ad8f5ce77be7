import { ComponentType } from 'discord-api-types/v10';
import { asList, asObject, asString, type JsonObject } from './json.ts';
import { type ComponentAtPath, flattenComponents } from './tree.ts';
import { field, item } from './violation.ts';

export interface MediaUrl {
  readonly url: string;
  readonly path: string;
  /** The type of the component that contains the URL; unset for an embed. */
  readonly componentType?: unknown;
}

/** All URLs in a message from which Discord loads an image, video or file. */
export const mediaUrlsIn = (message: JsonObject, path: string): MediaUrl[] =>
  [
    ...flattenComponents(message.components, field(path, 'components')).flatMap(mediaOf),
    ...asList(message.embeds).flatMap((embed, index) => embedImages(embed, item(field(path, 'embeds'), index))),
  ].filter(({ url }) => url !== '');

function mediaOf({ component, path }: ComponentAtPath): MediaUrl[] {
  const componentType = component.type;
  switch (componentType) {
    case ComponentType.Thumbnail:
      return [{ ...mediaUrl(component.media, 'url', field(path, 'media')), componentType }];
    case ComponentType.File:
      return [{ ...mediaUrl(component.file, 'url', field(path, 'file')), componentType }];
    case ComponentType.MediaGallery:
      return asList(component.items).map((each, index) => {
        const mediaPath = field(item(field(path, 'items'), index), 'media');
        return { ...mediaUrl(asObject(each).media, 'url', mediaPath), componentType };
      });
    default:
      return [];
  }
}

function embedImages(embed: unknown, path: string): MediaUrl[] {
  const { image, thumbnail, author, footer } = asObject(embed);
  return [
    mediaUrl(image, 'url', field(path, 'image')),
    mediaUrl(thumbnail, 'url', field(path, 'thumbnail')),
    mediaUrl(author, 'icon_url', field(path, 'author')),
    mediaUrl(footer, 'icon_url', field(path, 'footer')),
  ];
}

const mediaUrl = (media: unknown, key: string, path: string): MediaUrl => ({
  url: asString(asObject(media)[key]),
  path: field(path, key),
});
