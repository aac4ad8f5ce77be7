import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Gather, type GivenPicture, givenPicture, reference, region } from '../tasks/materials.ts';
import { GivenFiles, type GivenFilesParts } from './given-files.ts';
import { Masks } from './mask.ts';
import { Parcel } from './parcel.ts';
import type { Reach } from './reach.ts';
import { References } from './references.ts';

interface GathererParts extends Omit<GivenFilesParts, 'memberId'> {
  /** What the gateway can fetch itself. */
  reach: Reach;
  clock: Clock;
}

const MOST_PICTURES = 5;

const named = z.object({
  pictures: z.array(givenPicture).optional(),
  region: region.optional(),
  references: z.array(reference).optional(),
  documents: z.array(givenPicture).optional(),
  sound: givenPicture.optional(),
});

/** Brings together what an order sends along. Whatever of it cannot be sent is a refusal that says so. */
export function gatherer({ media, sounds, log, reach, clock }: GathererParts): Gather {
  return async (request, occasion) => {
    const files = new GivenFiles({ media, sounds, log, memberId: occasion.memberId });
    const masks = new Masks({ media, files });
    const referred = new References({ files, reach, clock });
    const { pictures = [], region: changed, references = [], documents = [], sound } = named.parse(request);
    if (pictures.length > MOST_PICTURES) {
      throw new Refusal('refusals.picturesTooMany', { most: String(MOST_PICTURES) });
    }
    const parcel = new Parcel({ media, files, isLighter: occasion.lighter ?? false });
    return {
      ...(pictures.length > 0 && { pictures: await sentAlong(pictures, files, parcel) }),
      ...(changed && { mask: await masks.of(changed) }),
      ...(documents.length > 0 && { documents: await files.documents(documents) }),
      ...(sound && { sound: await files.sound(sound) }),
      ...(references.length > 0 && { references: await referred.given(references, occasion, parcel) }),
    };
  };
}

/** One after the other, so that no order holds more than one file in the room that all of them share. */
async function sentAlong(pictures: readonly GivenPicture[], files: GivenFiles, parcel: Parcel): Promise<string[]> {
  const dataUris: string[] = [];
  for (const one of pictures) dataUris.push(await files.with(one, (file) => parcel.add(file)));
  return dataUris;
}
