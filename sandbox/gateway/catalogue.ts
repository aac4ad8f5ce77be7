import { fileURLToPath } from 'node:url';

export type Ability =
  | 'text'
  | 'image'
  | 'imgx'
  | 'video'
  | 'music'
  | 'lyrics'
  | 'realtime'
  | 'transcription'
  | 'embedding';

export interface Model {
  readonly id: string;
  readonly owner: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly ability: Ability;
  readonly endpoints: readonly string[];
  /** The exact price in the account's currency, per image, song, second of video or audio, token, or quarter of a grid. */
  readonly price: string;
  /** Whether the alternative model list contains it too (specification, 4.8). */
  readonly isInCompatibleList: boolean;
  /** The long side of its images in pixels. */
  readonly longSide?: number;
  /** Whether it uses images 1 and 2 as the first and the last frame (specification, 4.4). */
  readonly usesKeyframes?: boolean;
  /** Whether it accepts audio as input. */
  readonly acceptsAudio?: boolean;
}

const endpointsOf: Record<Ability, readonly string[]> = {
  text: ['openai', 'openai-response'],
  image: ['image-generation'],
  imgx: ['imgx'],
  video: ['openai-video'],
  music: ['music'],
  lyrics: ['music'],
  realtime: ['openai-realtime'],
  transcription: ['transcription'],
  embedding: ['embeddings'],
};

const epochSeconds = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;

function model(
  id: string,
  owner: string,
  ability: Ability,
  releaseDate: string,
  price: string,
  extraFields: Partial<Model> = {},
): Model {
  return {
    id,
    owner,
    ability,
    created: epochSeconds(releaseDate),
    price,
    endpoints: endpointsOf[ability],
    isInCompatibleList: false,
    ...extraFields,
  };
}

/** The ids are as awkward as real ones, with slashes, colons, percent signs, dates, upper case and provider prefixes (specification, part 2). */
export const catalogue: readonly Model[] = [
  model('lumen-image-1', 'sandbox', 'image', '2025-09-02', '0.0312345678901234', {
    longSide: 1024,
    isInCompatibleList: true,
  }),
  model('lumen-image-1-2K', 'sandbox', 'image', '2025-09-02', '0.0624691357802468', { longSide: 2048 }),
  model('lumen-image-1-4K', 'sandbox', 'image', '2025-09-02', '0.1249382715604936', { longSide: 4096 }),
  model('Harbour/Canvas-XL:2026-03-01', 'harbour', 'image', '2026-03-01', '0.0187500000000001', { longSide: 1024 }),
  model('imgx-7', 'sandbox', 'imgx', '2025-06-17', '0.0092857142857143'),
  model('imgx-anime-7', 'sandbox', 'imgx', '2025-07-04', '0.0092857142857143'),
  model('reel-2', 'northlight', 'video', '2025-11-20', '0.0089285714285714'),
  model('reel-2-pro', 'northlight', 'video', '2025-11-20', '0.0178571428571428'),
  model('northlight/keyframes-1', 'northlight', 'video', '2026-01-12', '0.0111111111111111', { usesKeyframes: true }),
  model('kling-v2-1', 'kuaishou', 'video', '2026-05-29', '0.0200000000000001', { usesKeyframes: true }),
  model('motion-v1.6', 'harbour', 'video', '2025-08-08', '0.0066666666666667'),
  model('Harbour/Motion-Turbo:2026-02-28', 'harbour', 'video', '2026-02-28', '0.0042000000000001'),
  model('chorale-4', 'meadow', 'music', '2025-05-05', '0.0283018867924528'),
  model('chorale-4.5', 'meadow', 'music', '2025-12-01', '0.0377358490566038'),
  model('verse-1', 'meadow', 'lyrics', '2025-05-05', '0.0009433962264151'),
  model('quill-5', 'inkwell', 'text', '2025-10-10', '0.0000012500000000', { isInCompatibleList: true }),
  model('quill-5-mini', 'inkwell', 'text', '2025-10-10', '0.0000002500000000', { isInCompatibleList: true }),
  model('quill-5-audio', 'inkwell', 'text', '2026-03-05', '0.0000025000000000', { acceptsAudio: true }),
  model('inkwell/Quill-5-Reasoning-2026-02-14', 'inkwell', 'text', '2026-02-14', '0.0000025000000000', {
    isInCompatibleList: true,
  }),
  model('inkwell/fern:70b-instruct-50%', 'inkwell', 'text', '2025-04-30', '0.0000006000000000'),
  model('parley-realtime', 'inkwell', 'realtime', '2025-12-12', '0.0000320000000000'),
  model('parley-realtime-mini-2026-01-20', 'inkwell', 'realtime', '2026-01-20', '0.0000100000000000'),
  model('parley-transcribe-1', 'inkwell', 'transcription', '2026-01-20', '0.0000060000000000'),
  model('thicket-embedding-3', 'inkwell', 'embedding', '2025-03-03', '0.0000000200000000', {
    isInCompatibleList: true,
  }),
];

export const modelNamed = (id: string): Model | undefined => catalogue.find((one) => one.id === id);

/** The file for the bot's `MODEL_KINDS`, because neither the ids of these models nor the specified model list says what a model generates. */
export const modelKindsFile = fileURLToPath(new URL('model-kinds.json', import.meta.url));
