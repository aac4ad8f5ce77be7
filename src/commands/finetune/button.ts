import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import type { Services } from '../services.ts';
import { fineTuneAnswer, followAnswer, mustSeeFineTunes, stoppedAnswer } from './answer.ts';

/** Turns the pages of `/finetune`, and begins and ends the following. Whether whoever presses may see it is decided anew. */
export const fineTuneButton = button(customIds.fineTune, {
  answers: 'here',
  async run(pointer, ask: Ask<Services>) {
    await mustSeeFineTunes(ask);
    switch (pointer.do) {
      case 'page':
        return fineTuneAnswer(pointer.fineTuneId, ask, pointer.page);
      case 'follow':
        return followAnswer(pointer.fineTuneId, ask);
      case 'stop':
        return stoppedAnswer(pointer.fineTuneId, pointer.followId, ask);
    }
  },
});
