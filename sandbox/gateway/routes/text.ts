import type { FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../../../src/lib/exact-json.ts';
import { modelFor, pathOf } from '../accept-job.ts';
import { ApiError } from '../api-error.ts';
import { amountOf, times } from '../decimal.ts';
import type { Parts, Routes } from '../parts.ts';
import { parseRequest } from '../requests/parse.ts';
import { textRequest } from '../requests/text.ts';
import { checkAudio } from '../text/audio.ts';
import { refusedFields, type TextFault } from '../text/fault.ts';
import { generateResponse } from '../text/generate.ts';
import { streamSteps } from '../text/stream-steps.ts';
import { timedStream } from '../text/timed-stream.ts';
import { chatBody, itemBodies, responseBody, statusOf, type TextResponse } from '../wire/text.ts';

/** Answers of the text endpoint (specification, 4.6 and 6). */
export const textRoutes: Routes = (server, parts) => {
  server.post('/v1/responses', { config: { kind: 'text' } }, (request, reply) => {
    const order = parseRequest(textRequest, request.body);
    const model = modelFor(parts, request.grant, order.model, ['text']);
    checkAudio(order, model);
    const { tools, reasoning, stream } = order;
    const isSent = {
      stream,
      'text.format': hasFormat(request.body),
      tools: tools.length > 0,
      reasoning: reasoning !== undefined,
    };
    const sentFields = Object.entries(isSent).flatMap(([field, isThere]) => (isThere ? [field] : []));
    const fault = parts.faults.takeForText({ method: request.method, path: pathOf(request), kind: 'text' }, sentFields);
    refuse(fault);
    // The others read over it (specification, 4.6).
    const answer = generateResponse(order, /reasoning/i.test(model.id));
    const written: TextResponse = {
      ...{ request: order, generated: answer, profile: parts.settings.profile, chatUsage: fault?.how === 'chat-usage' },
      id: `resp_${parts.random.letters(24)}`,
      createdAt: parts.pace.now(),
    };
    const { input, output } = answer.tokens;
    const amount = times(amountOf(model.price), input + output);
    parts.usage.charge({ key: request.grant.key, model: model.id, at: written.createdAt, amount });
    return stream && fault?.how !== 'plain' ? streamed(written, fault, parts, request, reply) : whole(written, fault);
  });
};

const hasFormat = (body: unknown): boolean => isRecord(body) && isRecord(body.text) && body.text.format !== undefined;

function refuse(fault: TextFault | undefined): void {
  const part = refusedFields.get(fault?.how ?? '');
  if (part === undefined) return;
  throw new ApiError(`This model does not take ${part}.`, { status: 400, code: 'unsupported_parameter', param: part });
}

/** Whole answers know of the faults of streams what they can. */
function whole(written: TextResponse, fault: TextFault | undefined): unknown {
  if (fault?.how === 'chat') return chatBody(written);
  if (fault?.how === 'failed') {
    return responseBody(written, 'failed', [], { code: 'server_error', message: 'The sandbox was told to fail.' });
  }
  return responseBody(written, statusOf(written), itemBodies(written));
}

function streamed(
  written: TextResponse,
  fault: TextFault | undefined,
  { pace, writing }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { request: order } = written;
  writing.add(order);
  const stream = timedStream(streamSteps(written, fault), pace, {
    cut: () => request.raw.socket.destroy(),
    ended: (answer) => {
      writing.delete(order);
      request.updateRecord?.({ answer });
    },
  });
  return reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache').send(stream);
}
