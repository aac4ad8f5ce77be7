import { mayPostFiles } from '../../discord/guards.ts';
import { type Ask, command } from '../../discord/handlers.ts';
import { keysOf } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import { askedModel, modelOption, suggestedModels } from '../model-option.ts';
import { LONGEST_OPTION, saysAnything } from '../prompt-option.ts';
import type { Services } from '../services.ts';

/** What is longer than a song has room for is told in our own words. */
const text = { type: 'text', most: LONGEST_OPTION } as const;

const options = {
  about: text,
  lyrics: text,
  style: text,
  title: text,
  instrumental: { type: 'switch' },
  model: modelOption,
  private: { type: 'switch' },
} as const;

/** Beyond what any gateway that is known takes; what it takes is its own to say. */
const LONGEST = { about: 3_000, lyrics: 6_000, style: 1_000, title: 200 } as const;
type Words = keyof typeof LONGEST;

type Wish = Partial<Record<Words, string>>;

/** What was written: an option of nothing but spaces and signs that nobody sees says nothing. */
function written(values: Partial<Record<Words, string | undefined>>): Wish {
  return Object.fromEntries(
    keysOf(LONGEST).flatMap((name) => (saysAnything(values[name] ?? '') ? [[name, values[name]?.trim()]] : [])),
  );
}

/** What a song is to be, or why it cannot be asked for like this. */
function wishIn(values: Partial<Record<Words, string | undefined>>): Wish | Refusal {
  const wish = written(values);
  if (Object.keys(wish).length === 0) return new Refusal('refusals.songEmpty');
  if (wish.about !== undefined && wish.lyrics !== undefined) return new Refusal('refusals.songBoth');
  for (const option of keysOf(LONGEST)) {
    const [most, { length }] = [LONGEST[option], wish[option] ?? ''];
    if (length > most)
      return new Refusal('refusals.songTooLong', { option, most: String(most), count: String(length) });
  }
  return wish;
}

/** A song. Not every gateway can be asked for one, and that shows only when somebody does. */
export const make = command({
  name: 'make',
  isPrivate: (values) => values.private ?? false,
  options,
  parse({ model, instrumental, ...words }) {
    const wish = wishIn(words);
    return wish instanceof Refusal ? wish : { ...wish, model, instrumental };
  },
  guards: [mayPostFiles],
  suggest: (_option, typed, ask: Ask<Services>) => suggestedModels('music', typed, ask),
  async run({ about, lyrics, style, title, instrumental, ...wish }, { services, origin }: Ask<Services>) {
    const model = await askedModel('music', wish.model, services);
    const request = {
      prompt: lyrics ?? about ?? '',
      ...(lyrics !== undefined && { isLyrics: true }),
      ...(style !== undefined && { style }),
      ...(title !== undefined && { title }),
      ...(instrumental !== undefined && { instrumental }),
      ...(model !== undefined && { model }),
    };
    await services.tasks.orders.submit({ ...origin, kind: 'song', request });
    return 'shown as it goes';
  },
});
