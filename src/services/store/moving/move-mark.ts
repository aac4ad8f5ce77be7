import { z } from 'zod';
import type { Shelf } from '../shelf.ts';
import { StoreError } from '../store-error.ts';

/** Beside what is moved, and no part of it. */
export const MARK_KEY = 'moving';

const markSchema = z.object({ from: z.string(), isWhole: z.boolean() });

/** Says in a store whence its rows were moved there, and whether all of them have come. */
export type MoveMark = z.output<typeof markSchema>;

export async function readMark(meta: Shelf): Promise<MoveMark | undefined> {
  return markSchema.safeParse(await meta.get(MARK_KEY)).data;
}

export function writeMark(meta: Shelf, mark: MoveMark): Promise<void> {
  return meta.put(MARK_KEY, mark);
}

/** A bot that began on half a store would miss the rest of its tasks for good. */
export async function refuseHalf(meta: Shelf, name: string): Promise<void> {
  const mark = await readMark(meta);
  if (mark?.isWhole === false)
    throw new StoreError(
      'unsupported',
      `The store ${name} is still being filled from another one. Run the same \`npm run migrate-store\` again until it says that all is there.`,
    );
}
