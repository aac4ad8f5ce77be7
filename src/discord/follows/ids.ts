import type { FineTunePage } from '../../views/fine-tune.ts';
import { customId } from '../custom-id.ts';

export const TUNE = { verb: 'tune', version: 1 } as const;

/** Where the buttons of a fine-tune's message lead; with the id of what follows it, also to its end. */
export const fineTuneIds = (fineTuneId: string, followId?: string): FineTunePage['ids'] => ({
  page: (page) => customId(TUNE.verb, TUNE.version, 'page', fineTuneId, String(page)),
  follow: customId(TUNE.verb, TUNE.version, 'follow', fineTuneId),
  stop: followId === undefined ? undefined : customId(TUNE.verb, TUNE.version, 'stop', fineTuneId, followId),
});

/** An id in letters that a button must carry letter by letter is longer than it looks. */
const MOST_BYTES = 60;

/** Whether buttons can carry it. */
export const fitsIntoButtons = (fineTuneId: string): boolean => Buffer.byteLength(fineTuneId) <= MOST_BYTES;
