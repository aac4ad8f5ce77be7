import { ApiError } from '../api-error.ts';
import type { Model } from '../catalogue.ts';
import { audioFormatOf } from '../recordings.ts';
import type { TextRequest } from '../requests/text.ts';

/** Throws if the model does not accept audio, or if the audio is not in the stated format. */
export function checkAudio({ input }: TextRequest, { acceptsAudio = false }: Model): void {
  for (const [itemIndex, { content }] of (typeof input === 'string' ? [] : input).entries())
    for (const [partIndex, { input_audio: audio }] of (Array.isArray(content) ? content : []).entries()) {
      if (!audio) continue;
      const param = `input[${itemIndex}].content[${partIndex}]`;
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
