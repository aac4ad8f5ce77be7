import type { SentFile } from '../body.ts';
import type { Parts } from '../parts.ts';
import { tooLarge } from '../refusal.ts';

/** The limit applies to each file (documentation, reference, "Uploading Files"). */
export function checkSizes(files: readonly SentFile[], { limits }: Parts): void {
  if (files.some(({ bytes }) => bytes.length > limits.uploadBytes)) throw tooLarge();
}
