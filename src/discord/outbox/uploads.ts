import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { DefaultRestOptions, type InternalRequest, type RawFile, type REST } from '@discordjs/rest';
import { getGlobalDispatcher } from 'undici';
import { BufferReclaimer } from '../../lib/buffer-reclaimer.ts';
import { KeyedLimiter } from '../../services/media/capacity.ts';
import { readChunks } from '../../services/media/content.ts';
import { mediaTypes } from '../../services/media/media-types.ts';

export type MakeRequest = typeof DefaultRestOptions.makeRequest;

const MIME_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.values(mediaTypes).map(({ extension, mime }) => [`.${extension}`, mime]),
);

/** The limit for uploads from disk. More of them do not make a slow connection faster, and each one holds buffers. */
const MAX_UPLOADS = 4;
const CHUNK_SIZE = 64 * 1024;

/** A file that is sent from disk. The library only supports bytes, so `data` is empty. */
export class DiskFile implements RawFile {
  readonly data = new Uint8Array();
  readonly name: string;
  readonly path: string;
  readonly size: number;
  readonly contentType: string;

  constructor({ name, path, size, mime }: { name: string; path: string; size: number; mime: string }) {
    this.name = name;
    this.path = path;
    this.size = size;
    this.contentType = mime;
  }
}

/** A multipart body that is streamed. discord.js would copy each file into a Blob outside the heap, where hundreds of megabytes pile up. */
class Upload implements AsyncIterable<Uint8Array> {
  readonly length: number;
  readonly contentType: string;
  readonly isFromDisk: boolean;
  readonly #pieces: readonly (Uint8Array | DiskFile)[];

  constructor(files: readonly RawFile[], body: unknown) {
    const boundary = `atelier-${randomBytes(16).toString('hex')}`;
    const head = (fields: string): Buffer =>
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${fields}\r\n\r\n`);
    const lineEnd = Buffer.from('\r\n');
    this.contentType = `multipart/form-data; boundary=${boundary}`;
    this.#pieces = [
      ...files.flatMap((file, index) => {
        const {
          name,
          key = `files[${index}]`,
          contentType = MIME_BY_EXTENSION.get(extname(name)) ?? 'application/octet-stream',
        } = file;
        const fields = `name="${escapeFileName(key)}"; filename="${escapeFileName(name)}"\r\ncontent-type: ${contentType}`;
        const bytes = file.data instanceof Uint8Array ? file.data : Buffer.from(String(file.data));
        return [head(fields), file instanceof DiskFile ? file : bytes, lineEnd];
      }),
      ...(body === undefined ? [] : [head('name="payload_json"'), Buffer.from(JSON.stringify(body)), lineEnd]),
      Buffer.from(`--${boundary}--\r\n`),
    ];
    this.isFromDisk = this.#pieces.some((piece) => piece instanceof DiskFile);
    this.length = this.#pieces.reduce((sum, piece) => sum + (piece instanceof DiskFile ? piece.size : piece.length), 0);
  }

  /** Starts from the beginning each time: the library repeats the request after a 429. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (const piece of this.#pieces) {
      if (piece instanceof DiskFile) yield* readChunks(piece, CHUNK_SIZE);
      else yield piece;
    }
  }
}

/** Sends files without copying them. The client must make its requests with the function that `uploadSender` returns. */
export function streamUploads(rest: REST): REST {
  const send = rest.request.bind(rest);
  rest.request = ({ files, body, ...options }: InternalRequest) => {
    if (!files?.length || options.appendToFormData) return send({ ...options, body, ...(files && { files }) });
    const upload = new Upload(files, body);
    const { contentType, length } = upload;
    const headers = { ...options.headers, 'content-type': contentType, 'content-length': String(length) };
    return send({ ...options, headers, body: upload, passThroughBody: true });
  };
  return rest;
}

/** The library would copy all pieces into one buffer, so it gets no body, and undici's dispatcher adds the pieces. */
export function uploadSender(): MakeRequest {
  const limiter = new KeyedLimiter(MAX_UPLOADS);
  const reclaimer = new BufferReclaimer();
  return async (url, init) => {
    const { body: upload, dispatcher = getGlobalDispatcher(), signal } = init;
    if (!(upload instanceof Upload)) return DefaultRestOptions.makeRequest(url, init);
    const send = () =>
      DefaultRestOptions.makeRequest(url, {
        ...init,
        body: null,
        dispatcher: dispatcher.compose(
          (dispatch) => (options, handler) =>
            dispatch({ ...options, body: Readable.from(countBytes(upload, reclaimer)) }, handler),
        ),
      });
    if (!upload.isFromDisk) return send();
    return limiter.run(new URL(url).host, signal ?? new AbortController().signal, send);
  };
}

async function* countBytes(upload: Upload, reclaimer: BufferReclaimer): AsyncGenerator<Uint8Array> {
  for await (const piece of upload) {
    yield piece;
    reclaimer.count(piece.byteLength);
  }
}

/** Escapes a file name as browsers do in forms. */
const escapeFileName = (name: string): string =>
  name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
