import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sends bytes with range support, so a player can seek in a video. */
export function sendBytes(bytes: Buffer, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('accept-ranges', 'bytes');
  const range = parseRange(request.headers.range, bytes.length);
  if (range === 'outside') return reply.code(416).header('content-range', `bytes */${bytes.length}`).send();
  const part = range ? bytes.subarray(range.from, range.to + 1) : bytes;
  if (range) reply.code(206).header('content-range', `bytes ${range.from}-${range.to}/${bytes.length}`);
  return reply.header('content-length', part.length).send(part);
}

/** Parses a single range of bytes. For several ranges or another unit, the whole file is sent, as RFC 9110 allows. */
function parseRange(header: string | undefined, size: number): { from: number; to: number } | 'outside' | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [firstText, lastText] = [match[1] ?? '', match[2] ?? ''];
  const from = firstText === '' ? Math.max(0, size - Number(lastText)) : Number(firstText);
  const to = firstText === '' || lastText === '' ? size - 1 : Math.min(Number(lastText), size - 1);
  if (lastText !== '' && firstText !== '' && Number(lastText) < Number(firstText)) return undefined;
  return from >= size || from > to ? 'outside' : { from, to };
}
