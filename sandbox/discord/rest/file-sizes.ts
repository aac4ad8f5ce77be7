import type { UploadedFile } from '../body.ts';
import type { Parts } from '../parts.ts';
import { tooLarge } from '../refusal.ts';

/** The limit applies to each file (documentation, reference, "Uploading Files"). */
export function checkFileSizes(files: readonly UploadedFile[], { limits }: Parts): void {
  if (files.some(({ bytes }) => bytes.length > limits.uploadBytes)) throw tooLarge();
}
