import type { FastifyInstance, FastifyRequest } from 'fastify';
import { bodyOfForm } from './form.ts';
import { Refusal } from './refusal.ts';

/** Deeper than any real request. Serializing something deeper could exhaust the stack. */
const DEEPEST = 64;

/** Bodies are JSON (specification, part 1), or a form where a route takes them, and the limit may change while the server runs. */
export function readBodiesOf(server: FastifyInstance, limit: () => number): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', async (request: FastifyRequest, payload: NodeJS.ReadableStream) => {
    const bytes = await collected(request, payload, limit());
    const type = String(request.headers['content-type'] ?? '');
    if (bytes.length === 0) return undefined;
    if (request.routeOptions.config.forms && /^multipart\/form-data\b/i.test(type))
      return await bodyOfForm(bytes, type);
    if (type !== '' && !/\bjson\b/i.test(type)) {
      throw new Refusal('The body must be JSON, sent with Content-Type: application/json.', {
        status: 415,
        code: 'unsupported_media_type',
      });
    }
    return parsed(bytes.toString('utf8'));
  });
}

function collected(request: FastifyRequest, payload: NodeJS.ReadableStream, limit: number): Promise<Buffer> {
  const tooLarge = () =>
    new Refusal(`The body is larger than ${limit} bytes.`, { status: 413, code: 'request_too_large' });
  return new Promise((resolve, reject) => {
    // What is too large is still read to its end, unkept, or the client would see a reset and no answer.
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      payload.resume();
      reject(tooLarge());
      return;
    }
    const pieces: Buffer[] = [];
    let size = 0;
    payload.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= limit) pieces.push(piece);
      else reject(tooLarge());
    });
    payload.on('end', () => resolve(Buffer.concat(pieces)));
    payload.on('error', reject);
  });
}

function parsed(text: string): unknown {
  const body = ((): unknown => {
    try {
      return JSON.parse(text);
    } catch (problem) {
      throw Object.assign(new Refusal('The body is not well-formed JSON.', { status: 400, code: 'bad_request_body' }), {
        cause: problem,
      });
    }
  })();
  if (isTooDeep(body)) throw new Refusal('The body is nested too deeply.', { status: 400, code: 'bad_request_body' });
  return body;
}

export function isTooDeep(json: unknown): boolean {
  let level: unknown[] = [json];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST) return true;
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
  return false;
}
