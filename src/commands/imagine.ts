import { type Ask, command } from '../discord/handlers.ts';
import type { Services } from './services.ts';

/** As much as Discord lets a member type into an option. */
const LONGEST_PROMPT = 6_000;

export const imagine = command({
  name: 'imagine',
  isPrivate: (values) => values.private ?? false,
  options: {
    prompt: { type: 'text', required: true, most: LONGEST_PROMPT },
    private: { type: 'switch' },
  },
  async run({ prompt }, { services, origin }: Ask<Services>) {
    await services.tasks.submit({ ...origin, kind: 'imagine', request: { prompt } });
    return 'shown as it goes';
  },
});
