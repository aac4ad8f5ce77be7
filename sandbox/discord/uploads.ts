import { createHmac, randomBytes } from 'node:crypto';
import { type APIAttachment, AttachmentFlags } from 'discord-api-types/v10';
import { contentTypeOf } from './content-type.ts';
import { imageSize } from './image-size.ts';
import type { MakeId } from './snowflake.ts';

export interface FileInput {
  readonly name: string;
  readonly bytes: Buffer;
  readonly contentType?: string;
}

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly bytes: Buffer;
  readonly contentType: string;
  readonly folder: string;
  readonly ephemeral: boolean;
  readonly description?: string | undefined;
  readonly title?: string | undefined;
  readonly isSpoiler?: boolean | undefined;
  readonly voice?: VoiceMetadata | undefined;
}

/** The metadata of a voice message. */
export interface VoiceMetadata {
  readonly seconds: number;
  /** Base64. */
  readonly waveform: string;
}

interface UploadMetadata {
  readonly folder: string;
  readonly ephemeral: boolean;
  readonly description?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly isSpoiler?: boolean | undefined;
  readonly voice?: VoiceMetadata | undefined;
}

const MAX_TOTAL_BYTES = 512 * 1024 * 1024;

/** Files on the CDN, available at the signed URLs in Discord's responses until they expire. */
export class Uploads {
  readonly #byId = new Map<string, Upload>();
  readonly #id: MakeId;
  readonly #now: () => number;
  readonly #linkLifetimeMs: () => number;
  readonly #baseUrl: () => string;
  readonly #secret = randomBytes(32);
  #bytes = 0;

  constructor(id: MakeId, now: () => number, linkLifetimeMs: () => number, baseUrl: () => string) {
    this.#id = id;
    this.#now = now;
    this.#linkLifetimeMs = linkLifetimeMs;
    this.#baseUrl = baseUrl;
  }

  store(file: FileInput, metadata: UploadMetadata): Upload {
    const name = nameOnDiscord(file.name);
    const upload: Upload = {
      id: this.#id(),
      name,
      bytes: file.bytes,
      contentType: contentTypeOf({ ...file, name }),
      folder: metadata.folder,
      ephemeral: metadata.ephemeral,
      description: metadata.description ?? undefined,
      title: metadata.title ?? undefined,
      isSpoiler: metadata.isSpoiler,
      voice: metadata.voice,
    };
    this.put(upload);
    return upload;
  }

  put(upload: Upload): void {
    this.#byId.set(upload.id, upload);
    this.#bytes += upload.bytes.length;
    for (const [id, oldest] of this.#byId) {
      if (this.#bytes <= MAX_TOTAL_BYTES || id === upload.id) break;
      this.#byId.delete(id);
      this.#bytes -= oldest.bytes.length;
    }
  }

  /** Every response has a newly signed URL (documentation, reference, "Signed Attachment CDN URLs"). */
  urlOf(upload: Upload): string {
    const issuedAt = Math.floor(this.#now() / 1_000);
    const query = {
      ex: (issuedAt + Math.ceil(this.#linkLifetimeMs() / 1_000)).toString(16),
      is: issuedAt.toString(16),
    };
    const path = pathOf(upload);
    const signedQuery = new URLSearchParams({ ...query, hm: this.#signature(path, query.ex, query.is) });
    return `${this.#baseUrl()}${path}?${signedQuery}&`;
  }

  /** Re-signs the URL of a stored file; returns undefined for any other URL. */
  refresh(url: string): string | undefined {
    const path = URL.parse(url)?.pathname ?? '';
    const upload = this.#byId.get(path.split('/').at(-2) ?? '');
    return upload && url.startsWith(this.#baseUrl()) && pathOf(upload) === path ? this.urlOf(upload) : undefined;
  }

  payloadOf(upload: Upload): APIAttachment {
    const url = this.urlOf(upload);
    const size = imageSize(upload.bytes);
    return {
      id: upload.id,
      filename: upload.name,
      size: upload.bytes.length,
      url,
      proxy_url: url,
      content_type: upload.contentType,
      ...(size && { width: size.width, height: size.height }),
      ...(upload.title !== undefined && { title: upload.title }),
      ...(upload.description !== undefined && { description: upload.description }),
      ...(upload.voice && { duration_secs: upload.voice.seconds, waveform: upload.voice.waveform }),
      ...(upload.ephemeral && { ephemeral: true }),
      ...(isSpoiler(upload) && { flags: AttachmentFlags.IsSpoiler }),
    };
  }

  /** Returns undefined for a wrong signature, an expired URL or a deleted file. */
  find(path: string, query: Readonly<Record<string, string | undefined>>): Upload | undefined {
    const { ex = '', is = '', hm = '' } = query;
    const upload = this.#byId.get(path.split('/').at(-2) ?? '');
    if (!upload || pathOf(upload) !== path || this.#signature(path, ex, is) !== hm) return undefined;
    return Number.parseInt(ex, 16) * 1_000 > this.#now() ? upload : undefined;
  }

  #signature(path: string, ex: string, is: string): string {
    return createHmac('sha256', this.#secret).update(`${path}?${ex}&${is}`).digest('hex');
  }
}

/** The old mark in a file's name still counts, and sets the flag too. */
const isSpoiler = ({ isSpoiler: isMarked = false, name }: Upload) => isMarked || name.startsWith('SPOILER_');

const pathOf = (upload: Upload) =>
  `/${upload.ephemeral ? 'ephemeral-attachments' : 'attachments'}/${upload.folder}/${upload.id}/${encodeURIComponent(upload.name)}`;

/** Discord keeps only letters, digits, dots, dashes and underscores in file names. */
const nameOnDiscord = (name: string) => name.replace(/[^\p{L}\p{N}._-]+/gu, '_') || 'unknown';
