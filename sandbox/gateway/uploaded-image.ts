import sharp from 'sharp';
import { invalid } from './api-error.ts';
import type { GeneratedFile } from './file-cache.ts';
import type { Source } from './job-details.ts';

const MIME_TYPES: Readonly<Record<string, string>> = { png: 'image/png', jpeg: 'image/jpeg', webp: 'image/webp' };

/** Determines the format of an uploaded image from its bytes; throws if it is not supported. */
export async function uploadedImage(source: Source, index: number): Promise<GeneratedFile> {
  const format = source.from === 'request' ? await formatOf(source.bytes) : undefined;
  const mime = format && MIME_TYPES[format];
  if (source.from !== 'request' || !mime) throw invalid(`base64Array.${index} is not a PNG, JPEG or WebP image.`);
  return { bytes: source.bytes, mime };
}

async function formatOf(bytes: Buffer): Promise<string | undefined> {
  return await sharp(bytes)
    .metadata()
    .then(({ format }) => format)
    .catch(() => undefined);
}
