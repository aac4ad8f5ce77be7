import sharp from 'sharp';
import { Agent, request } from 'undici';
import { isLoopbackName } from '../loopback.ts';
import { truncated } from './api-error.ts';
import type { Source } from './job-details.ts';

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** A reference with more pixels than this is rejected, because it could be a decompression bomb. */
const MAX_PIXELS = 64_000_000;
/** Enough to read colours and shapes from a reference, and small enough to keep many in memory. */
const MAX_SIDE = 1_024;

/** Whether the URL points to this machine; the sandbox fetches no others. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && isLoopbackName(hostname);
}

export class ReferenceFetcher {
  readonly #agent = new Agent({
    connect: { timeout: TIMEOUT_MS },
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });

  /** Returns the images among the sources, scaled down and re-encoded as WebP. Videos and audio are accepted but ignored. */
  async images(sources: readonly Source[]): Promise<readonly Buffer[]> {
    const images = await Promise.all(sources.map((source, index) => this.#image(source, index)));
    return images.filter((image) => image !== undefined);
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #image(source: Source, index: number): Promise<Buffer | undefined> {
    if (source.from === 'request') {
      if (isVideoOrAudio(source.bytes, source.mime)) return undefined;
      return await normalizeImage(
        source.bytes,
        `Reference image ${index + 1} of the request cannot be read as an image.`,
      );
    }
    const name = truncated(source.url);
    const response = await this.#fetch(source.url, name);
    if (isVideoOrAudio(response.bytes, response.mime)) return undefined;
    return await normalizeImage(response.bytes, `The file at the reference URL ${name} is not an image.`);
  }

  async #fetch(url: string, name: string): Promise<{ bytes: Buffer; mime: string | undefined }> {
    if (!isLoopback(url)) {
      throw new Error(
        `The reference URL ${name} does not point to this machine: the sandbox only fetches http://127.0.0.1 and http://localhost.`,
      );
    }
    const fetchError = (reason: string) => new Error(`The reference URL ${name} could not be fetched: ${reason}.`);
    try {
      const response = await request(url, { dispatcher: this.#agent, signal: AbortSignal.timeout(TIMEOUT_MS) });
      if (response.statusCode !== 200) {
        await response.body.dump();
        throw fetchError(`it returned status ${response.statusCode}`);
      }
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > MAX_BYTES) throw fetchError('it is larger than 32 MB');
        chunks.push(chunk);
      }
      return { bytes: Buffer.concat(chunks), mime: String(response.headers['content-type'] ?? '') };
    } catch (error) {
      if (error instanceof Error && error.message.startsWith('The reference URL')) throw error;
      throw fetchError(
        error instanceof Error && error.name === 'TimeoutError' ? 'it took longer than 5 seconds' : 'no response',
      );
    }
  }
}

/** Decodes a mask and re-encodes it losslessly, because its grey values determine how much may change. */
export async function maskOf(bytes: Buffer): Promise<Buffer | undefined> {
  return await sharp(bytes, { limitInputPixels: MAX_PIXELS })
    .resize(2_048, 2_048, { fit: 'inside', withoutEnlargement: true })
    .png()
    .toBuffer()
    .catch(() => undefined);
}

/** The first bytes of videos and audio. AVIF and HEIF images begin like an MP4 file, but with another brand. */
const SIGNATURES = [
  /^.{4}ftyp(?!avi|hei|hev|mif|msf)/s,
  /^.E\xdf\xa3/s,
  /^RIFF.{4}(?:WAVE|AVI )/s,
  /^(?:OggS|ID3|fLaC)/,
];

/** Checks the content type first, and then the first bytes. */
function isVideoOrAudio(bytes: Buffer, mime = ''): boolean {
  const start = bytes.toString('latin1', 0, 16);
  return /^(?:video|audio)\//.test(mime) || SIGNATURES.some((signature) => signature.test(start));
}

async function normalizeImage(bytes: Buffer, errorMessage: string): Promise<Buffer> {
  try {
    return await sharp(bytes, { limitInputPixels: MAX_PIXELS })
      .rotate()
      .resize(MAX_SIDE, MAX_SIDE, { fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 90 })
      .toBuffer();
  } catch (error) {
    throw new Error(errorMessage, { cause: error });
  }
}
