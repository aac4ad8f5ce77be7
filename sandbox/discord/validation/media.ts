import { ComponentType } from 'discord-api-types/v10';
import { type JsonObject, listIn, objectIn, textIn } from './json.ts';
import { type ComponentAtPath, flattenComponents } from './tree.ts';
import { field, item } from './violation.ts';

export interface Address {
  readonly url: string;
  readonly path: string;
  /** The type of the component that contains the URL; unset for an embed. */
  readonly of?: unknown;
}

/** All URLs in a message from which Discord loads an image, video or file. */
export const addressesIn = (message: JsonObject, path: string): Address[] =>
  [
    ...flattenComponents(message.components, field(path, 'components')).flatMap(mediaOf),
    ...listIn(message.embeds).flatMap((embed, index) => embedImages(embed, item(field(path, 'embeds'), index))),
  ].filter(({ url }) => url !== '');

function mediaOf({ component, path }: ComponentAtPath): Address[] {
  const of = component.type;
  switch (of) {
    case ComponentType.Thumbnail:
      return [{ ...address(component.media, 'url', field(path, 'media')), of }];
    case ComponentType.File:
      return [{ ...address(component.file, 'url', field(path, 'file')), of }];
    case ComponentType.MediaGallery:
      return listIn(component.items).map((each, index) => {
        const at = field(item(field(path, 'items'), index), 'media');
        return { ...address(objectIn(each).media, 'url', at), of };
      });
    default:
      return [];
  }
}

function embedImages(embed: unknown, path: string): Address[] {
  const { image, thumbnail, author, footer } = objectIn(embed);
  return [
    address(image, 'url', field(path, 'image')),
    address(thumbnail, 'url', field(path, 'thumbnail')),
    address(author, 'icon_url', field(path, 'author')),
    address(footer, 'icon_url', field(path, 'footer')),
  ];
}

const address = (of: unknown, key: string, path: string): Address => ({
  url: textIn(objectIn(of)[key]),
  path: field(path, key),
});
