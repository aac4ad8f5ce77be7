import { keysOf, withoutUndefined } from '../../lib/entries.ts';
import { Refusal } from '../../lib/refusal.ts';
import { hasVisibleText } from '../../lib/text.ts';
import { readChoices } from '../choices.ts';
import { command } from '../feature.ts';
import { MAX_OPTION_LENGTH, modelOption, modelOrDefault, suggestModels, usualModel } from '../options.ts';
import { presetsFor } from '../presets.ts';
import { hasVariants, readVariants, repeatOption, submitVariants } from '../variants.ts';

/** The limit is Discord's maximum, so that values that are too long are refused with the bot's own message. */
const textOption = { type: 'text', max: MAX_OPTION_LENGTH } as const;

/** More than any known gateway accepts; the gateway reports its exact limits. */
const MAX_LENGTHS = { about: 3_000, lyrics: 6_000, style: 1_000, title: 200 } as const;
type SongOptions = Partial<Record<keyof typeof MAX_LENGTHS, string | undefined>>;

/** Drops options that contain only spaces and invisible characters. */
const visibleValues = (values: SongOptions): SongOptions =>
  Object.fromEntries(
    keysOf(MAX_LENGTHS).map((name) => [name, hasVisibleText(values[name] ?? '') ? values[name]?.trim() : undefined]),
  );

/** The request without its model, which is looked up later; or a refusal if the options contradict each other. */
function songRequest(values: SongOptions & { instrumental?: boolean | undefined }) {
  const options = visibleValues(values);
  const { about, lyrics, style, title } = options;
  if (Object.values(options).every((one) => one === undefined)) return new Refusal('refusals.songEmpty');
  if (about !== undefined && lyrics !== undefined) return new Refusal('refusals.songBoth');
  if (lyrics !== undefined && values.instrumental) return new Refusal('refusals.songInstrumentalWithLyrics');
  for (const option of keysOf(MAX_LENGTHS)) {
    const [max, { length }] = [MAX_LENGTHS[option], options[option] ?? ''];
    if (length > max) return new Refusal('refusals.songTooLong', { option, max: String(max), count: String(length) });
  }
  const isLyrics = lyrics === undefined ? undefined : true;
  const facts = withoutUndefined({ isLyrics, style, title, instrumental: values.instrumental });
  return { prompt: lyrics ?? about ?? '', ...facts };
}

/** Submits a song. Whether the gateway can generate songs is not known before the first submit. */
export const make = command({
  name: 'make',
  onlyOrders: true,
  presets: presetsFor('music'),
  options: {
    about: textOption,
    lyrics: textOption,
    style: textOption,
    title: textOption,
    instrumental: { type: 'switch' },
    model: modelOption,
    repeat: repeatOption,
  },
  asksFirst: ({ about: prompt = '', repeat }) => hasVariants()({ prompt, repeat }),
  parse({ model, repeat, ...values }) {
    const { about: prompt = '' } = values;
    const variants = readVariants({ prompt, repeat }, (about) => songRequest({ ...values, about }));
    return variants instanceof Refusal ? variants : { variants, model };
  },
  suggest: (_option, input, context) => suggestModels('music', input, context),
  async run({ variants, model: modelInput }, context) {
    const choices = await readChoices(context);
    const chosen = usualModel('music', { option: modelInput }, choices, context);
    const model = await modelOrDefault('music', chosen, context.services);
    const facts = { ...withoutUndefined({ model }), ...choices.fields };
    return submitVariants(variants, (request) => ({ kind: 'song', request: { ...request, ...facts } }), context);
  },
});
