import { nameIn } from '../../discord/target.ts';
import { Refusal } from '../../lib/refusal.ts';
import { webAddress } from '../../services/gateway/schemas.ts';
import type { Reference } from '../../services/tasks/materials.ts';
import { linksIn, picturesIn, type References, unfitReference } from '../reference-options.ts';

/** What a film goes by: pictures in their order, films, and sounds. */
export interface FilmReferences extends References {
  reference_video?: string | undefined;
  reference_audio?: string | undefined;
}

/** The specification, part 8. */
const MOST_PICTURES = 7;
const MOST_FILMS = 3;
/** The specification names no limit for sounds. */
const MOST_SOUNDS = 3;

export function picturesFor(given: References, takes: Reference['takes']): Reference[] {
  const unfit = unfitReference(given, MOST_PICTURES);
  if (unfit) throw unfit;
  return picturesIn(given).map((picture) => ({ ...picture, medium: 'image', takes }));
}

/** Films and sounds, which the gateway fetches by their addresses. */
export function filmsAndSounds({ reference_video, reference_audio }: FilmReferences): Reference[] {
  return [
    ...named(reference_video, { medium: 'video', option: 'reference_video', most: MOST_FILMS }),
    ...named(reference_audio, { medium: 'audio', option: 'reference_audio', most: MOST_SOUNDS }),
  ];
}

interface Named {
  medium: Reference['medium'];
  option: string;
  most: number;
}

function named(links: string | undefined, { medium, option, most }: Named): Reference[] {
  const addresses = linksIn({ links });
  if (addresses.length > most) throw new Refusal('refusals.filmLinksTooMany', { option, most: String(most) });
  return addresses.map((address) => {
    if (!webAddress.safeParse(address).success)
      throw new Refusal('refusals.filmLinkUnusable', { option, link: address.slice(0, LONGEST_SHOWN) });
    return { address, name: nameIn(address).slice(0, LONGEST_SHOWN), medium, takes: 'address' };
  });
}

const LONGEST_SHOWN = 100;
