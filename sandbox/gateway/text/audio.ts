import { ApiError } from '../api-error.ts';
import type { Model } from '../catalogue.ts';
import { audioFormatOf } from '../recordings.ts';
import type { TextRequest } from '../requests/text.ts';

/** Audio is refused by models that do not accept it, and where its bytes are not what they are called. */
export function checkAudio({ input }: TextRequest, { acceptsAudio = false }: Model): void {
  for (const [at, { content }] of (typeof input === 'string' ? [] : input).entries())
    for (const [place, { input_audio: audio }] of (Array.isArray(content) ? content : []).entries()) {
      if (!audio) continue;
      const param = `input[${at}].content[${place}]`;
      if (!acceptsAudio)
        throw new ApiError("Invalid value: 'input_audio'.", {
          status: 400,
          code: 'invalid_value',
          param: `${param}.type`,
        });
      if (audioFormatOf(Buffer.from(audio.data, 'base64')) !== audio.format)
        throw new ApiError(`The audio is not ${audio.format}.`, {
          status: 400,
          code: 'invalid_value',
          param: `${param}.input_audio.data`,
        });
    }
}
