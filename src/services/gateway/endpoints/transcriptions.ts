import { FormData } from 'undici';
import { z } from 'zod';
import { malformedError } from '../errors.ts';
import { type CallOptions, Resource } from '../http.ts';
import { firstAt, places } from '../places.ts';
import { modelId, validate } from '../schemas.ts';

const transcriptionRequest = z.strictObject({
  model: modelId,
  wav: z.instanceof(Buffer, { error: 'the audio is missing' }),
});

const textPaths = places('text', 'data.text', 'transcript', 'data.transcript');

/** Transcribes audio. The specification has no such endpoint; this is OpenAI's, which gateways with a transcription model offer. */
export class Transcriptions extends Resource {
  /** Sent only once, because it is billed. The text may be empty. */
  async create(request: z.input<typeof transcriptionRequest>, { signal }: CallOptions = {}): Promise<string> {
    const { model, wav } = validate(transcriptionRequest, request);
    const body = new FormData();
    body.append('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'audio.wav');
    body.append('model', model);
    body.append('response_format', 'json');
    const path = '/v1/audio/transcriptions';
    const response = await this.http.submit({ path, body, signal, firstByteLimit: 'wholeTextMs' });
    const text = firstAt(response, textPaths, (found) => (typeof found === 'string' ? found : undefined));
    if (text === undefined)
      throw malformedError('The gateway’s response has no transcript.', { mayHaveTakenEffect: true });
    return text;
  }
}
