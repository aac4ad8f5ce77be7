import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.ts';
import { parseForm } from './parse-form.ts';

/** Deeper than any real request; serializing deeper values could exhaust the stack. */
const MAX_DEPTH = 64;

/**
 * Parses JSON bodies (specification, part 1), and forms on routes that accept them.
 * The limit is a function, because it may change while the server runs.
 */
export function addBodyParser(server: FastifyInstance, limit: () => number): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: NodeJS.ReadableStream) => {
    const bytes = await readBytes(request, payload, limit());
    const type = String(request.headers['content-type'] ?? '');
    if (bytes.length === 0) return undefined;
    if (request.routeOptions.config.acceptsForms && /^multipart\/form-data\b/i.test(type))
      return await parseForm(bytes, type);
    if (type !== '' && !/\bjson\b/i.test(type)) {
      throw new ApiError('The body must be JSON, sent with Content-Type: application/json.', {
        status: 415,
        code: 'unsupported_media_type',
      });
    }
    return parseBody(bytes.toString('utf8'));
  });
}

function readBytes(request: FastifyRequest, payload: NodeJS.ReadableStream, limit: number): Promise<Buffer> {
  const tooLarge = () =>
    new ApiError(`The body is larger than ${limit} bytes.`, { status: 413, code: 'request_too_large' });
  return new Promise((resolve, reject) => {
    // A body that is too large is read to its end and discarded; otherwise the client would see a reset instead of the response.
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      payload.resume();
      reject(tooLarge());
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    payload.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else reject(tooLarge());
    });
    payload.on('end', () => resolve(Buffer.concat(chunks)));
    payload.on('error', reject);
  });
}

function parseBody(text: string): unknown {
  const body = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw Object.assign(
        new ApiError('The body is not well-formed JSON.', { status: 400, code: 'bad_request_body' }),
        {
          cause: error,
        },
      );
    }
  })();
  if (isTooDeep(body)) throw new ApiError('The body is nested too deeply.', { status: 400, code: 'bad_request_body' });
  return body;
}

export function isTooDeep(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}
