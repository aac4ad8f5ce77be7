import type { Model } from './endpoints/models.ts';

export const modelKinds = [
  'text',
  'image',
  'video',
  'music',
  'voice',
  'speech',
  'embedding',
  'moderation',
  'other',
] as const;
export type ModelKind = (typeof modelKinds)[number];

/** All patterns of a row must match the id, in lower case. The first matching row decides. */
type Row = readonly [kind: ModelKind, ...signs: RegExp[]];

const FAMILIES: readonly Row[] = [
  ['other', /rerank|colbert/],
  ['embedding', /embed|(?:^|[/:-])(?:bge|gte|e5|voyage|minilm|uae)-|jina-clip|text2vec/],
  ['moderation', /moderation|guard\b|guardian|shieldgemma|safeguard|content-safety/],

  // Live voice comes before the text families, because their names are part of its ids.
  ['voice', /realtime|voice-agent|nova-sonic|moshi|hume-?evi/],
  ['voice', /gemini/, /\blive\b|native-audio/],
  ['voice', /step-audio|glm-4-voice|glm-realtime/],

  [
    'music',
    /suno|chirp|(?:^|[/:-])udio|lyria|music|stable-audio|ace-step|mureka|riffusion|diffrhythm|(?:^|[/:-])yue-|jukebox/,
  ],
  [
    'speech',
    /whisper|transcri|\btts\b|speech|\basr\b|stt\b|paraformer|sensevoice|cosyvoice|sambert|eleven_|elevenlabs/,
  ],
  [
    'speech',
    /scribe_v|aura-2|parakeet|canary-|kokoro|orpheus|fish-?audio|chatterbox|playai|sonic-[23]|f5-|bark\b|voxcpm/,
  ],

  // "image-to-video" makes videos, but "gen4_image" is an image model of a video family.
  ['video', /video|i2v|t2v|v2v|animate/],
  ['image', /image|t2i|i2i|text2img|img2img|inpaint|outpaint|upscal|(?:^|[/:_-])mj_|midjourney|niji/],
  [
    'video',
    /sora|veo\b|veo-?\d|kling|runway|gen-?[234](?:[_-]|\b)|hailuo|seedance|vidu|pixverse|pika\b|pika-|dream-machine/,
  ],
  [
    'video',
    /(?:^|[/:-])ray-?(?:\d|flash)|luma\/ray|wan-?\d|wanx|ltx|mochi|haiper|higgsfield|skyreels|nova-reel|hunyuan-?avatar/,
  ],
  ['video', /(?:^|[/:-])svd|act-?two|aleph|marey|omnihuman|s2v/],
  [
    'image',
    /dall-?e|flux|stable-?diffusion|sdxl|(?:^|[/:-])sd-?[1-3]|ideogram|recraft|kolors|seedream|seededit|jimeng/,
  ],
  ['image', /nano-?banana|hidream|playground-v|photon|nova-canvas|firefly|kandinsky|aura-?flow|cogview|janus|omnigen/],
  ['image', /sana[-_]|reve-|lucid-origin|phoenix-1|leonardo|bria-|imgx|dreamshaper|pixart|wuerstchen|grok-2-aurora/],

  ['text', /gpt|chatgpt|davinci|babbage|curie|(?:^|[/:-])o[1-9](?:-|$)|codex|claude|gemini|gemma|learnlm|palm|bison/],
  [
    'text',
    /llama|mistral|mixtral|codestral|ministral|pixtral|magistral|devstral|command-|c4ai|aya-|qwen|qwq|qvq|tongyi/,
  ],
  ['text', /deepseek|glm-|chatglm|kimi|moonshot|(?:^|[/:-])yi-|phi-|grok|ernie|doubao|hunyuan|spark|baichuan|internlm/],
  [
    'text',
    /internvl|(?:^|[/:-])step-|minimax|abab|nova-(?:lite|pro|micro|premier)|titan-text|jamba|dbrx|solar|granite/,
  ],
  ['text', /nemotron|wizardlm|vicuna|falcon|starcoder|olmo|sonar|mercury|lfm|hermes|reka-|arctic|longcat|ling-|ring-/],
  ['text', /seed-oss|mimo|exaone|palmyra|lumimaid|mythomax|dolphin|zephyr|openchat|orca|solar|minicpm|ui-tars/],

  // Plain English words, for ids that belong to no known family.
  ['video', /motion|reel|film|movie/],
  ['music', /song|lyric|melody|vocal/],
  ['image', /picture|photo|canvas|paint|draw/],
  ['voice', /voice/],
  ['speech', /audio/],
  ['text', /chat|instruct|text|completion|response|reason|coder|assistant/],
];

/** Endpoint types of existing gateways that name a medium. */
const ENDPOINT_TYPES: readonly Row[] = [
  ['other', /rerank/],
  ['embedding', /embed/],
  ['moderation', /moderation/],
  ['voice', /realtime/],
  ['music', /music|suno|song/],
  ['video', /video/],
  ['speech', /audio|speech|transcri/],
  ['image', /image|imgx|midjourney/],
];

/** Types that name a protocol. Many media share these, so they only count if the id says nothing. */
const PROTOCOLS = /openai|anthropic|claude|gemini|response|chat|completion|message/;

/** Owners that offer models of one kind, for ids that do not reveal it. */
const OWNERS: readonly Row[] = [
  ['video', /\b(?:kuaishou|kling|runway|luma|pika|vidu|pixverse|hailuo)/],
  ['image', /\b(?:black-forest|bfl|stability|ideogram|recraft|midjourney)/],
  ['music', /\b(?:suno|udio|mureka)/],
  ['speech', /\b(?:elevenlabs|deepgram|cartesia)/],
  ['embedding', /\b(?:voyage|jina)/],
  [
    'text',
    /openai|anthropic|google|vertex|meta|mistral|cohere|alibaba|qwen|deepseek|zhipu|moonshot|xai|perplexity|groq/,
  ],
];

const kindIn = (rows: readonly Row[], text: string): ModelKind | undefined =>
  rows.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(text)))?.[0];

/** What the id of a model says about its kind; undefined if it belongs to no known family. */
export const kindOfId = (id: string): ModelKind | undefined => kindIn(FAMILIES, id.toLowerCase());

/** The operator's patterns for ids, in which `*` stands for any text, and the kinds of those models. */
export type KindOverrides = Readonly<Record<string, ModelKind>>;

export const overriddenKind = (id: string, overrides: KindOverrides): ModelKind | undefined =>
  Object.entries(overrides).find(([pattern]) => matchesPattern(id, pattern))?.[1];

/** Text models that accept audio, which the model list of the specification does not show. */
const AUDIO_INPUT = /-audio\b|gemini|voxtral|omni\b|ultravox|gemma-?3n|phi-4-multimodal|minicpm-o/;

export const acceptsAudio = (id: string): boolean => AUDIO_INPUT.test(id.toLowerCase());

/** Guesses the kind of results that a model makes, because the specification has no field for it. */
export function guessKind({ id, ownedBy = '', fields }: Model): ModelKind {
  const types = JSON.stringify(fields.supported_endpoint_types ?? '').toLowerCase();
  const protocol = PROTOCOLS.test(types) ? 'text' : undefined;
  return kindIn(ENDPOINT_TYPES, types) ?? kindOfId(id) ?? protocol ?? kindIn(OWNERS, ownedBy.toLowerCase()) ?? 'other';
}

/** Whether a text matches a pattern. Scans the text once for each part between asterisks. */
function matchesPattern(text: string, pattern: string): boolean {
  const parts = pattern.split('*');
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text === pattern;
  if (!text.startsWith(first)) return false;
  let position = first.length;
  for (const part of parts.slice(1, -1)) {
    const partPosition = text.indexOf(part, position);
    if (partPosition < 0) return false;
    position = partPosition + part.length;
  }
  return text.length - position >= last.length && text.endsWith(last);
}
