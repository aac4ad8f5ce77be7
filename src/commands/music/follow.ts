import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Services } from '../services.ts';
import { admission } from './admission.ts';
import { named, readIds } from './ids.ts';

/** As much as Discord lets a member type into an option: some 160 ids as they are usually long. */
const LONGEST_OPTION = 6_000;
/** Three pages of questions to the gateway at the very most, and twenty pages of a message. */
const MOST_IDS = 300;

type Pasted = { ids: string; more?: string | undefined };

const pasted = ({ ids, more = '' }: Pasted) => readAll([ids, more]);

/** Each option for itself, for each may be JSON. */
function readAll(texts: readonly string[]): ReturnType<typeof readIds> {
  const read = texts.map(readIds);
  return { ids: [...new Set(read.flatMap(({ ids }) => ids))], odd: read.flatMap(({ odd }) => odd) };
}

function objectionTo(values: Pasted): Refusal | undefined {
  const { ids, odd } = pasted(values);
  if (odd.length > 0) return new Refusal('refusals.idsOdd', { odd: named(odd) });
  if (ids.length === 0) return new Refusal('refusals.idsNone');
  if (ids.length <= MOST_IDS) return undefined;
  return new Refusal('refusals.idsTooMany', { most: String(MOST_IDS), count: String(ids.length) });
}

/** Many of the gateway's songs in one message, asked about together. */
export const follow = command({
  name: 'follow',
  isPrivate: (values) => values.private ?? false,
  options: {
    ids: { type: 'text', required: true, most: LONGEST_OPTION },
    more: { type: 'text', most: LONGEST_OPTION },
    private: { type: 'switch' },
  },
  guards: [(_place, values) => objectionTo(values), mayPostFiles],
  async run(values, ask: Ask<Services>) {
    const admit = await admission(ask);
    await ask.services.tasks.bringTogether(ask.origin, pasted(values).ids, admit);
    return 'shown as it goes';
  },
});
