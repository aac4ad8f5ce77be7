/** The variants of an image model that differ in nothing but how large its pictures are (specification, 4.5), smallest first. */
export const modelSizes = ['2K', '4K'] as const;
export type ModelSize = (typeof modelSizes)[number];

const SIZED = /-(?<size>2K|4K)$/;

/** Ids are taken letter by letter, so "-2k" is part of a name. */
function parted(id: string): { base: string; size: ModelSize | undefined } {
  const size = SIZED.exec(id)?.groups?.size as ModelSize | undefined;
  return { base: id.replace(SIZED, ''), size };
}

/** The id of a model's variant of this size; undefined where it has that size already, or a larger one. */
export function variantOf(id: string, size: ModelSize): string | undefined {
  const { base, size: present } = parted(id);
  const isLarger = present === undefined || modelSizes.indexOf(size) > modelSizes.indexOf(present);
  return isLarger ? `${base}-${size}` : undefined;
}

/** Which larger variants of a model a list has. */
export function largerSizes(id: string, listed: readonly { id: string }[]): ModelSize[] {
  return modelSizes.filter((size) => {
    const variant = variantOf(id, size);
    return listed.some((model) => model.id === variant);
  });
}
