import { fitsIntoButtons } from '../../discord/custom-ids.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { fineTuneAnswer, followAnswer, mustSeeFineTunes } from './answer.ts';
import { fineTuneButton } from './button.ts';

const finetuneCommand = command({
  name: 'finetune',
  // What an account does is nobody else's business.
  isPrivate: true,
  options: {
    id: { type: 'text', required: true, most: 60 },
    follow: { type: 'switch' },
  },
  guards: [
    (_place, { id }) =>
      id.trim() !== '' && fitsIntoButtons(id.trim()) ? undefined : new Refusal('refusals.fineTuneNoId'),
  ],
  async run({ id, follow }, ask: Ask<Services>) {
    await mustSeeFineTunes(ask);
    return follow ? followAnswer(id.trim(), ask) : fineTuneAnswer(id.trim(), ask);
  },
});

export const finetune: Feature = {
  command: finetuneCommand,
  buttons: [fineTuneButton],
};
