import type { Model } from '../gateway/models.ts';

export const modelKinds = ['text', 'image', 'video', 'music', 'voice', 'other'] as const;
export type ModelKind = (typeof modelKinds)[number];

/** Words of a gateway's own extra fields, surest first; then words that ids are made of. */
const SIGNS: readonly [ModelKind, RegExp][] = [
  ['voice', /realtime|voice/i],
  ['video', /video|motion|reel|film/i],
  ['music', /music|song|lyrics|audio|chirp/i],
  ['image', /image|imgx|picture|photo|canvas|paint/i],
  ['text', /response|chat|openai|completion|gpt|instruct|text/i],
];

/** A guess, and shown as one: nothing in the specification says what a model is made for. */
export function kindOf({ id, fields }: Model): ModelKind {
  return signIn(JSON.stringify(fields.supported_endpoint_types ?? '')) ?? signIn(id) ?? 'other';
}

/** One that writes down what is said, where one of them seems to be made for it. */
export const transcriberIn = (models: readonly Model[]): string | undefined =>
  models.find(({ id }) => /transcri|whisper/i.test(id))?.id;

function signIn(text: string): ModelKind | undefined {
  return SIGNS.find(([, sign]) => sign.test(text))?.[0];
}
