import { type Ask, command } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Services } from './services.ts';

const LONGEST_PROMPT = 6_000;

export const shorten = command({
  name: 'shorten',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: { type: 'text', required: true, most: LONGEST_PROMPT },
    private: { type: 'switch' },
  },
  guards: [
    (_place, { prompt }) => (/[^\s\p{Cf}]/u.test(prompt) ? undefined : new Refusal('refusals.optionPromptEmpty')),
  ],
  async run({ prompt }, { services, origin }: Ask<Services>) {
    await services.tasks.submit({ ...origin, kind: 'shorten', request: { prompt: prompt.trim() } });
    return 'shown as it goes';
  },
});
