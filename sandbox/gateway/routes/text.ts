import type { FastifyReply, FastifyRequest } from 'fastify';
import { modelFor, pathOf } from '../accept-job.ts';
import { ApiError } from '../api-error.ts';
import { amountOf, times } from '../decimal.ts';
import { isRecord } from '../is-record.ts';
import type { Parts, Routes } from '../parts.ts';
import { parseRequest } from '../requests/parse.ts';
import { textRequest } from '../requests/text.ts';
import { checkAudio } from '../text/audio.ts';
import { refusedFields, type TextFault } from '../text/fault.ts';
import { generateResponse } from '../text/generate.ts';
import { streamSteps } from '../text/stream-steps.ts';
import { timedStream } from '../text/timed-stream.ts';
import { chatBody, itemBodies, responseBody, statusOf, type TextResponse } from '../wire/text.ts';

/** The text endpoint (specification, 4.6 and 6). */
export const textRoutes: Routes = (server, parts) => {
  server.post('/v1/responses', { config: { kind: 'text' } }, (request, reply) => {
    const body = parseRequest(textRequest, request.body);
    const model = modelFor(parts, request.grant, body.model, ['text']);
    checkAudio(body, model);
    const { tools, reasoning, stream } = body;
    const fieldPresence = {
      stream,
      'text.format': hasFormat(request.body),
      tools: tools.length > 0,
      reasoning: reasoning !== undefined,
    };
    const sentFields = Object.entries(fieldPresence).flatMap(([field, isPresent]) => (isPresent ? [field] : []));
    const fault = parts.faults.takeForText({ method: request.method, path: pathOf(request), kind: 'text' }, sentFields);
    refuseUnsupportedField(fault);
    // Only reasoning models reason; the others ignore the field (specification, 4.6).
    const generated = generateResponse(body, /reasoning/i.test(model.id), fault?.how === 'calls-tools');
    const response: TextResponse = {
      request: body,
      generated,
      profile: parts.settings.profile,
      chatUsage: fault?.how === 'chat-usage',
      id: `resp_${parts.random.alphanumeric(24)}`,
      createdAt: parts.pace.now(),
    };
    const { input, output } = generated.tokens;
    const amount = times(amountOf(model.price), input + output);
    parts.usage.charge({ key: request.grant.key, model: model.id, at: response.createdAt, amount });
    return stream && fault?.how !== 'plain'
      ? streamResponse(response, fault, parts, request, reply)
      : completeResponse(response, fault);
  });
};

const hasFormat = (body: unknown): boolean => isRecord(body) && isRecord(body.text) && body.text.format !== undefined;

function refuseUnsupportedField(fault: TextFault | undefined): void {
  const field = refusedFields.get(fault?.how ?? '');
  if (field === undefined) return;
  throw new ApiError(`This model does not support ${field}.`, {
    status: 400,
    code: 'unsupported_parameter',
    param: field,
  });
}

/** Responds without a stream; faults that only a stream can have are ignored. */
function completeResponse(response: TextResponse, fault: TextFault | undefined): unknown {
  if (fault?.how === 'chat') return chatBody(response);
  if (fault?.how === 'failed') {
    return responseBody(response, 'failed', [], { code: 'server_error', message: 'The sandbox was told to fail.' });
  }
  return responseBody(response, statusOf(response), itemBodies(response));
}

function streamResponse(
  response: TextResponse,
  fault: TextFault | undefined,
  { pace, openStreams }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { request: body } = response;
  openStreams.add(body);
  const stream = timedStream(streamSteps(response, fault), pace, {
    dropConnection: () => request.raw.socket.destroy(),
    onEnd: (responseText) => {
      openStreams.delete(body);
      request.updateRecord?.({ responseText });
    },
  });
  return reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache').send(stream);
}
