import { editDistance } from '../../lib/text.ts';
import type { Model } from './endpoints/models.ts';

/** Returns a model that seems to be made for transcription, if there is one. */
export const findTranscriber = (models: readonly Model[]): string | undefined =>
  models.find(({ id }) => /transcri|whisper/i.test(id))?.id;

/** The variants of an image model that differ only in size (specification, 4.5), smallest first. */
export const modelSizes = ['2K', '4K'] as const;
export type ModelSize = (typeof modelSizes)[number];

/** Ids are case-sensitive, so "-2k" is not a size but part of the name. */
export function splitSize(id: string): { base: string; size: ModelSize | undefined } {
  const size = modelSizes.find((one) => id.endsWith(`-${one}`));
  return { base: size ? id.slice(0, -`-${size}`.length) : id, size };
}

/** The id of a model's variant of this size; undefined if it already has that size or a larger one. */
export function sizeVariantOf(id: string, size: ModelSize): string | undefined {
  const { base, size: currentSize } = splitSize(id);
  const isLarger = currentSize === undefined || modelSizes.indexOf(size) > modelSizes.indexOf(currentSize);
  return isLarger ? `${base}-${size}` : undefined;
}

export function largerSizes(id: string, listedModels: readonly { id: string }[]): ModelSize[] {
  return modelSizes.filter((size) => {
    const variant = sizeVariantOf(id, size);
    return listedModels.some((model) => model.id === variant);
  });
}

const MAX_SIMILAR_IDS = 3;

/** The ids that the member may have meant: first those that contain the text, then similar ones. */
export function similarIds(input: string, ids: readonly string[]): string[] {
  const lowerCaseInput = input.toLowerCase();
  return ids
    .map((id) => {
      const isPart = lowerCaseInput.length >= 3 && id.toLowerCase().includes(lowerCaseInput);
      return { id, distance: isPart ? 0 : editDistance(lowerCaseInput, id.toLowerCase()) };
    })
    .filter(({ distance }) => distance <= Math.max(2, lowerCaseInput.length * 0.4))
    .sort((a, b) => a.distance - b.distance || a.id.localeCompare(b.id))
    .slice(0, MAX_SIMILAR_IDS)
    .map(({ id }) => id);
}
