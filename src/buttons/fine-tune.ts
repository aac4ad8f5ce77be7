import { fineTuneAnswer, followAnswer, mustSeeFineTunes, stoppedAnswer } from '../commands/finetune/answer.ts';
import type { Services } from '../commands/services.ts';
import { TUNE } from '../discord/follows/ids.ts';
import type { Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';

/** Turns the pages of `/finetune`, and begins and ends the following. Whether whoever presses may see it is decided anew. */
export const fineTuneButton: Button<Services> = {
  ...TUNE,
  answers: 'here',
  async run({ args: [what, fineTuneId = '', detail = ''] }, ask) {
    await mustSeeFineTunes(ask);
    if (fineTuneId === '') throw new Refusal('refusals.unknownButton');
    switch (what) {
      case 'page':
        return fineTuneAnswer(fineTuneId, ask, /^\d{1,4}$/.test(detail) ? Number(detail) : undefined);
      case 'follow':
        return followAnswer(fineTuneId, ask);
      case 'stop':
        return stoppedAnswer(fineTuneId, detail, ask);
      default:
        throw new Refusal('refusals.unknownButton');
    }
  },
};
