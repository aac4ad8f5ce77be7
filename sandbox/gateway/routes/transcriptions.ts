import { z } from 'zod';
import { modelFor, priceOf } from '../accept-job.ts';
import { ApiError } from '../api-error.ts';
import type { Routes } from '../parts.ts';
import { audioFormatOf, secondsOf } from '../recordings.ts';
import { nonEmptyText, source } from '../requests/fields.ts';
import { parseRequest } from '../requests/parse.ts';

/** The format that OpenAI documents, because the specification does not define this endpoint. */
const transcriptionRequest = z.strictObject({
  file: source,
  model: nonEmptyText,
  language: z.string().optional(),
  prompt: z.string().optional(),
  response_format: z.literal('json').default('json'),
  temperature: z.string().optional(),
});

export const transcriptionRoutes: Routes = (server, parts) => {
  server.post('/v1/audio/transcriptions', { config: { kind: 'transcription', acceptsForms: true } }, (request) => {
    if (!/^multipart\/form-data\b/i.test(String(request.headers['content-type'])))
      throw new ApiError('The body must be a form.', { status: 415, code: 'unsupported_media_type' });
    const { file, model: id } = parseRequest(transcriptionRequest, request.body);
    const model = modelFor(parts, request.grant, id, ['transcription']);
    if (file.from !== 'request' || audioFormatOf(file.bytes) === undefined)
      throw new ApiError('Invalid file format.', { status: 400, code: 'invalid_value', param: 'file' });
    const seconds = secondsOf(file.bytes);
    parts.usage.charge({ key: request.grant.key, model: id, at: parts.pace.now(), amount: priceOf(model, seconds) });
    const text = `A recording of ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
    return { text, usage: { type: 'duration', seconds } };
  });
};
