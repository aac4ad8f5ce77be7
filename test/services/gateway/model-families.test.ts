import { expect, it } from 'vitest';
import { guessKind, kindOfId, type ModelKind, overriddenKind } from '../../../src/services/gateway/model-families.ts';

/** Ids that vendors and gateways have published. */
const ids: Record<Exclude<ModelKind, never>, readonly string[]> = {
  text: [
    ...[
      'gpt-4o',
      'gpt-4o-mini',
      'gpt-4.1',
      'gpt-4.1-nano',
      'gpt-4-turbo-2024-04-09',
      'gpt-3.5-turbo',
      'gpt-5',
      'gpt-5-mini',
    ],
    ...[
      'gpt-4o-audio-preview',
      'gpt-4o-search-preview',
      'chatgpt-4o-latest',
      'o1',
      'o1-mini',
      'o3',
      'o3-mini',
      'o4-mini',
    ],
    ...['openai/o3-pro', 'davinci-002', 'codex-mini-latest', 'gpt-oss-120b', 'claude-3-5-sonnet-20241022'],
    ...[
      'claude-sonnet-4-5',
      'claude-opus-4-1-20250805',
      'claude-3-haiku-20240307',
      'anthropic/claude-3.7-sonnet:thinking',
    ],
    ...['anthropic.claude-v2:1', 'gemini-1.5-pro-002', 'gemini-2.0-flash', 'gemini-2.5-pro', 'gemini-2.5-flash-lite'],
    ...[
      'google/gemma-3-27b-it',
      'learnlm-2.0-flash-experimental',
      'meta-llama/Llama-3.3-70B-Instruct',
      'llama-4-maverick',
    ],
    ...['mistral-large-2411', 'open-mixtral-8x22b', 'codestral-latest', 'ministral-8b-latest', 'pixtral-12b-2409'],
    ...['magistral-medium-2506', 'devstral-small-2505', 'command-r-plus-08-2024', 'c4ai-aya-expanse-32b'],
    ...['qwen-max', 'qwen2.5-72b-instruct', 'Qwen/Qwen3-235B-A22B', 'qwen-vl-max', 'qwq-32b', 'qvq-72b-preview'],
    ...['deepseek-chat', 'deepseek-reasoner', 'deepseek-ai/DeepSeek-V3.1', 'deepseek-r1-distill-qwen-32b'],
    ...['glm-4.5', 'glm-4-plus', 'chatglm3-6b', 'kimi-k2-0711-preview', 'moonshot-v1-128k', 'yi-lightning', 'phi-4'],
    ...[
      'grok-3',
      'grok-4-0709',
      'grok-2-vision-1212',
      'ernie-4.0-turbo-8k',
      'doubao-1.5-pro-32k',
      'hunyuan-turbos-latest',
    ],
    ...['Baichuan4-Turbo', 'internlm3-latest', 'step-2-16k', 'MiniMax-Text-01', 'MiniMax-M1', 'abab6.5s-chat'],
    ...['amazon.nova-pro-v1:0', 'amazon.titan-text-express-v1', 'ai21/jamba-large-1.7', 'databricks/dbrx-instruct'],
    ...['ibm-granite/granite-3.3-8b-instruct', 'nvidia/llama-3.1-nemotron-70b-instruct', 'sonar-reasoning-pro'],
    ...['nousresearch/hermes-3-llama-3.1-405b', 'mercury-coder-small', 'liquid/lfm-7b', 'SparkDesk-v4.0'],
  ],
  image: [
    ...['dall-e-2', 'dall-e-3', 'gpt-image-1', 'gpt-image-1-mini', 'gpt-4o-image', 'flux-pro', 'flux-1.1-pro-ultra'],
    ...[
      'black-forest-labs/FLUX.1-schnell',
      'flux-kontext-max',
      'imagen-3.0-generate-002',
      'imagen-4.0-ultra-generate-001',
    ],
    ...[
      'gemini-2.0-flash-preview-image-generation',
      'gemini-2.5-flash-image',
      'google/nano-banana',
      'midjourney',
      'mj_imagine',
    ],
    ...[
      'niji-6',
      'stable-diffusion-3.5-large',
      'stabilityai/sdxl-turbo',
      'stable-image-ultra',
      'sd3-medium',
      'ideogram-v3',
    ],
    ...['V_2_TURBO-ideogram', 'recraftv3', 'Kwai-Kolors/Kolors', 'seedream-4.0', 'doubao-seedream-3-0-t2i-250415'],
    ...['doubao-seededit-3-0-i2i-250628', 'jimeng_t2i_v31', 'qwen-image', 'qwen-image-edit', 'wan2.2-t2i-flash'],
    ...[
      'hidream-i1-full',
      'playground-v2.5',
      'luma/photon-1',
      'amazon.nova-canvas-v1:0',
      'amazon.titan-image-generator-v2:0',
    ],
    ...[
      'cogview-4',
      'grok-2-image',
      'hunyuan-image-3',
      'runway/gen4_image',
      'deepseek-ai/Janus-Pro-7B',
      'leonardo-phoenix-1.0',
    ],
    'kling-image-v2',
  ],
  video: [
    ...[
      'sora',
      'sora-2',
      'sora-2-pro',
      'veo3',
      'veo-3.0-generate-preview',
      'veo-2.0-generate-001',
      'google/veo-3-fast',
    ],
    ...[
      'kling-v1',
      'kling-v1-6',
      'kling-v2-master',
      'kling-v2-1',
      'runway-gen3a_turbo',
      'gen4_turbo',
      'gen-3-alpha-turbo',
    ],
    ...[
      'MiniMax-Hailuo-02',
      'video-01',
      'I2V-01-Director',
      'T2V-01',
      'doubao-seedance-1-0-pro-250528',
      'seedance-1.0-lite',
    ],
    ...[
      'viduq1',
      'vidu2.0',
      'pixverse-v4.5',
      'pika-2.2',
      'luma/ray-2',
      'ray-flash-2',
      'dream-machine',
      'wan2.1-t2v-turbo',
    ],
    ...[
      'wan2.2-i2v-plus',
      'Wan-AI/Wan2.2-T2V-A14B',
      'wanx2.1-i2v-turbo',
      'hunyuan-video',
      'ltx-video',
      'genmo/mochi-1-preview',
    ],
    ...[
      'cogvideox-3',
      'THUDM/CogVideoX-5b',
      'stable-video-diffusion',
      'amazon.nova-reel-v1:1',
      'haiper-video-2',
      'grok-video',
    ],
    'jimeng-video-3.0',
  ],
  music: [
    ...[
      'suno-v5',
      'suno_music',
      'chirp-v4',
      'chirp-auk',
      'udio-130',
      'lyria-002',
      'google/lyria-2',
      'music-01',
      'music-1.5',
    ],
    ...['stable-audio-2.5', 'facebook/musicgen-large', 'ace-step-v1', 'mureka-7', 'elevenlabs-music', 'riffusion'],
  ],
  voice: [
    ...['gpt-4o-realtime-preview', 'gpt-4o-mini-realtime-preview-2024-12-17', 'gpt-realtime', 'gpt-realtime-mini'],
    ...['gemini-2.0-flash-live-001', 'gemini-live-2.5-flash-preview', 'gemini-2.5-flash-native-audio-preview-09-2025'],
    ...['amazon.nova-sonic-v1:0', 'qwen3-omni-flash-realtime', 'glm-realtime', 'step-audio-2'],
  ],
  speech: [
    ...['whisper-1', 'distil-whisper-large-v3-en', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'tts-1', 'tts-1-hd'],
    ...['gpt-4o-mini-tts', 'gemini-2.5-pro-preview-tts', 'qwen3-asr-flash', 'paraformer-v2', 'cosyvoice-v2'],
    ...[
      'eleven_multilingual_v2',
      'eleven_turbo_v2_5',
      'scribe_v1',
      'speech-02-hd',
      'nvidia/parakeet-tdt-0.6b-v2',
      'playai-tts',
    ],
    ...['hexgrad/kokoro-82m', 'aura-2-thalia-en', 'sambert-zhichu-v1'],
  ],
  embedding: [
    ...[
      'text-embedding-3-small',
      'text-embedding-ada-002',
      'text-embedding-v4',
      'gemini-embedding-001',
      'embed-english-v3.0',
    ],
    ...[
      'BAAI/bge-m3',
      'thenlper/gte-large',
      'intfloat/multilingual-e5-large',
      'voyage-3-large',
      'nomic-embed-text-v1.5',
    ],
    ...['mistral-embed', 'jina-embeddings-v3', 'amazon.titan-embed-text-v2:0', 'Qwen/Qwen3-Embedding-8B'],
  ],
  moderation: [
    ...['omni-moderation-latest', 'text-moderation-stable', 'meta-llama/Llama-Guard-4-12B', 'google/shieldgemma-9b'],
    ...['mistral-moderation-latest', 'openai/gpt-oss-safeguard-20b'],
  ],
  other: ['rerank-v3.5', 'BAAI/bge-reranker-v2-m3', 'jina-reranker-v2-base-multilingual', 'Qwen/Qwen3-Reranker-8B'],
};

const allIds = Object.entries(ids).flatMap(([kind, names]) => names.map((id) => [id, kind] as const));

it('The table of model families is tested with at least 150 published ids', () => {
  expect(new Set(allIds.map(([id]) => id)).size).toBeGreaterThanOrEqual(150);
});

it.each(allIds)('The model %s is of the kind %s', (id, kind) => {
  expect(kindOfId(id)).toBe(kind);
});

it.each(['', 'aurora', 'model-7', 'x'.repeat(200), 'lumen', '🎨'])(
  'The id %j does not reveal a kind of model',
  (id) => {
    expect(kindOfId(id)).toBeUndefined();
  },
);

it('A pattern in MODEL_KINDS matches whole IDs, with asterisks for any text, and the first matching pattern wins', () => {
  const overrides = { 'studio-*-hd': 'image', 'exact-1': 'music', '*': 'other' } as const;
  expect(overriddenKind('studio-a-hd', overrides)).toBe('image');
  expect(overriddenKind('studio-hd', { 'studio-*-hd': 'image' })).toBeUndefined();
  expect(overriddenKind('exact-1', overrides)).toBe('music');
  expect(overriddenKind('exact-12', { 'exact-1': 'music' })).toBeUndefined();
  expect(overriddenKind('gpt-4o', overrides)).toBe('other');
});

it('The kind of a model is guessed from its endpoint types, else its ID, else its owner', () => {
  const model = (id: string, ownedBy?: string, types?: string[]) => ({
    id,
    ownedBy,
    createdAt: undefined,
    fields: types ? { supported_endpoint_types: types } : {},
  });
  expect(guessKind(model('gpt-4o', undefined, ['openai-video']))).toBe('video');
  // Gateways report the endpoint type `openai` for models of every kind.
  expect(guessKind(model('gpt-4o-transcribe', 'openai', ['openai']))).toBe('speech');
  expect(guessKind(model('aurora', 'runway', ['openai']))).toBe('text');
  expect(guessKind(model('aurora', 'runway'))).toBe('video');
  expect(guessKind(model('aurora', 'studio'))).toBe('other');
  expect(guessKind(model('aurora'))).toBe('other');
});
