import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { shortenKind } from './kind.ts';
import { shorten as shortenView } from './view.ts';

/** As much as Discord lets a member type into an option. */
const LONGEST_PROMPT = 6_000;

const shortenCommand = command({
  name: 'shorten',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: { type: 'text', required: true, most: LONGEST_PROMPT },
    private: { type: 'switch' },
  },
  guards: [
    // Letters that nobody sees are no words.
    (_place, { prompt }) => (/[^\s\p{Cf}]/u.test(prompt) ? undefined : new Refusal('refusals.optionPromptEmpty')),
    mayPostFiles,
  ],
  async run({ prompt }, { services, origin }: Ask<Services>) {
    await services.tasks.submit({ ...origin, kind: 'shorten', request: { prompt: prompt.trim() } });
    return 'shown as it goes';
  },
});

export const shorten: Feature = {
  command: shortenCommand,
  kinds: ({ gateway, imgx }) => [shortenKind(gateway.imgx, imgx)],
  views: { shorten: shortenView },
};
