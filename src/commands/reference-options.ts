import type { Attachment } from '../discord/options.ts';
import { nameIn, type Target } from '../discord/target.ts';
import { Refusal } from '../lib/refusal.ts';
import { webAddress } from '../services/gateway/schemas.ts';
import type { Task } from '../services/tasks/task.ts';

/** Pictures to go by: handed in as files, or named by where they are. */
export interface References {
  image?: Attachment | undefined;
  image2?: Attachment | undefined;
  image3?: Attachment | undefined;
  image4?: Attachment | undefined;
  image5?: Attachment | undefined;
  image6?: Attachment | undefined;
  image7?: Attachment | undefined;
  links?: string | undefined;
}

export const pictureOption = { type: 'attachment', accept: ['image'] } as const;

/** Seven signed addresses of Discord have some 2,100 letters. */
export const linksOption = { type: 'text', most: 3_000 } as const;

const IS_PICTURE = /^image\//i;

/** More than a handful only blur each other. */
const MOST_REFERENCES = 5;

/** The specification names no limit; as base64 this is 27 MB, about as much as gateways take in one request. */
const MOST_MIB = 20;

export function handedIn({ image, image2, image3, image4, image5, image6, image7 }: References): Attachment[] {
  return [image, image2, image3, image4, image5, image6, image7].filter((one) => one !== undefined);
}

/** Between spaces, lines and commas. A comma inside an address belongs to it; angle brackets only keep Discord's preview away. */
export function linksIn({ links = '' }: References): string[] {
  return links
    .split(/\s+|,(?=<?https?:\/\/|[\s,]|$)/i)
    .map((piece) => piece.replace(/^<(.*)>$/, '$1'))
    .filter((piece) => piece !== '');
}

/** The same as an order names them: those handed in, then those named by where they are. */
export function picturesIn(references: References): { address: string; name: string }[] {
  const files = handedIn(references).map(({ address, name }) => ({ address, name: shown(name) }));
  return [...files, ...linksIn(references).map((address) => ({ address, name: shown(nameIn(address)) }))];
}

/** What of a message can be gone by, as far as the message tells: films and sounds say what they are. */
export function picturesOn({ files }: Pick<Target, 'files'>): Attachment[] {
  return files.filter(({ mediaType }) => mediaType === undefined || IS_PICTURE.test(mediaType));
}

/** Those of a result: on its message with addresses that are good for a day; what could not be attached the gateway has still, perhaps. */
export function picturesOf({ media }: Task, message: Pick<Target, 'files'>): { address: string; name: string }[] {
  const shown = picturesOn(message);
  if (shown.length > 0) return shown;
  return media.flatMap(({ kind, address }) =>
    kind === 'image' && address ? [{ address, name: nameIn(address) }] : [],
  );
}

/** What one field of a form holds. */
const FIELD = 4_000;

/** As many as a field of a form holds. Whole addresses only: half of one leads nowhere. */
export function fitting<Picture extends { address: string }>(pictures: readonly Picture[]): Picture[] {
  let room = FIELD;
  return pictures.filter(({ address }) => {
    room -= address.length + 1;
    return room >= 0;
  });
}

/** What the payload alone tells of pictures that are of no use; what is inside of them is looked at later. */
export function unfitReference(references: References, most = MOST_REFERENCES): Refusal | undefined {
  const files = handedIn(references);
  const links = linksIn(references);
  const count = files.length + links.length;
  if (count > most) return new Refusal('refusals.picturesTooMany', { count: String(count), most: String(most) });
  const link = links.find((one) => !webAddress.safeParse(one).success);
  if (link !== undefined) return new Refusal('refusals.pictureLinkUnusable', { link: shown(link) });
  return files.map(unfit).find((refusal) => refusal !== undefined);
}

function unfit({ name, size, mediaType }: Attachment): Refusal | undefined {
  if (mediaType !== undefined && !IS_PICTURE.test(mediaType)) {
    return new Refusal('refusals.pictureIsNone', {
      name: shown(name),
      mediaType: shown(mediaType.replace(/;.*/s, '')),
    });
  }
  if (size === 0) return new Refusal('refusals.pictureEmpty', { name: shown(name) });
  if (size <= MOST_MIB * 1024 * 1024) return undefined;
  return new Refusal('refusals.pictureTooLarge', { name: shown(name), most: `${MOST_MIB} MB` });
}

const LONGEST_SHOWN = 100;

function shown(text: string): string {
  return text.length <= LONGEST_SHOWN ? text : `${text.slice(0, LONGEST_SHOWN - 1)}…`;
}
