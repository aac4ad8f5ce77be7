import { catalogue, type Model } from '../catalogue.ts';
import { amountNumber, amountOf, times } from '../decimal.ts';
import { type Body, QUOTA_PER_DOLLAR } from './view.ts';

/** Every key belongs to the first group and pays the catalogue's prices. */
const GROUP_RATIOS = { default: 1, reserve: 1.5 };

/** The price of a video is listed for this duration. */
const VIDEO_SECONDS = 5;

/** The image family's jobs, each with its cost in quarters of a grid. */
const IMGX_JOB_UNITS: Readonly<Record<string, number>> = {
  mj_imagine: 4,
  mj_variation: 4,
  mj_high_variation: 4,
  mj_low_variation: 4,
  mj_reroll: 4,
  mj_blend: 4,
  mj_zoom: 4,
  mj_pan: 4,
  mj_modal: 4,
  mj_edits: 4,
  mj_upscale: 1,
  mj_describe: 1,
  mj_shorten: 1,
  mj_video: 8,
};

const commonFields = { enable_groups: Object.keys(GROUP_RATIOS), supported_endpoint_types: [] };

/** `quota_type` 1: a price in dollars per job. */
const perJobEntry = (name: string, price: string, units: number): Body => ({
  model_name: name,
  quota_type: 1,
  model_ratio: 0,
  completion_ratio: 0,
  ...commonFields,
  model_price: amountNumber(times(amountOf(price), units)),
});

/** `quota_type` 0: a ratio of 1 is two dollars per million tokens, so the ratio equals a token's price in quota. */
const perTokenEntry = ({ id, price, ability }: Model): Body => ({
  model_name: id,
  quota_type: 0,
  model_price: 0,
  completion_ratio: 1,
  ...commonFields,
  model_ratio: amountNumber(times(amountOf(price), QUOTA_PER_DOLLAR)),
  ...(ability === 'realtime' && { audio_ratio: 1, audio_completion_ratio: 1 }),
});

function entriesFor(model: Model): readonly Body[] {
  const { id, price, ability } = model;
  switch (ability) {
    case 'imgx':
      return [];
    case 'video':
      return [perJobEntry(id, price, VIDEO_SECONDS)];
    case 'image':
    case 'music':
    case 'lyrics':
      return [perJobEntry(id, price, 1)];
    default:
      return [perTokenEntry(model)];
  }
}

const priceOf = (id: string): string => catalogue.find((model) => model.id === id)?.price ?? '0';

/** A model whose price is a formula, which clients cannot know. */
const TIERED_MODEL: Body = {
  model_name: 'motion-v1.6',
  quota_type: 0,
  model_price: 0,
  model_ratio: 1,
  completion_ratio: 1,
  ...commonFields,
  billing_mode: 'tiered_expr',
};

/** The response to `GET /api/pricing`, as on stock gateways. */
export function priceList(): Body {
  const models = catalogue.flatMap(entriesFor).filter(({ model_name }) => model_name !== TIERED_MODEL.model_name);
  const jobs = Object.entries(IMGX_JOB_UNITS).map(([name, units]) => perJobEntry(name, priceOf('imgx-7'), units));
  const songs = [perJobEntry('suno_music', priceOf('chorale-4'), 1), perJobEntry('suno_lyrics', priceOf('verse-1'), 1)];
  return { success: true, data: [...models, ...jobs, ...songs, TIERED_MODEL], group_ratio: GROUP_RATIOS };
}
