import type { Dialect } from './scripted.ts';

/** The events of one response in either dialect. */
export function framesFor(dialect: Dialect, id = 'resp_1', item = 'item_a') {
  const at = { response_id: id, item_id: item, output_index: 0, content_index: 0 };
  const isGa = dialect === 'ga';
  const text = isGa ? 'response.output_text' : 'response.text';
  const sound = isGa ? 'response.output_audio' : 'response.audio';
  return {
    created: { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
    text: (delta: string) => ({ type: `${text}.delta`, ...at, delta }),
    textDone: (whole: string) => ({ type: `${text}.done`, ...at, text: whole }),
    transcript: (delta: string) => ({ type: `${sound}_transcript.delta`, ...at, delta }),
    transcriptDone: (whole: string) => ({ type: `${sound}_transcript.done`, ...at, transcript: whole }),
    sound: (bytes: Buffer) => ({ type: `${sound}.delta`, ...at, delta: bytes.toString('base64') }),
    soundDone: { type: `${sound}.done`, ...at },
    item: (whole: string) => ({
      type: 'response.output_item.done',
      response_id: id,
      output_index: 0,
      item: {
        id: item,
        type: 'message',
        role: 'assistant',
        content: [{ type: isGa ? 'output_audio' : 'audio', transcript: whole }],
      },
    }),
    done: (response: object = {}) => ({ type: 'response.done', response: { id, status: 'completed', ...response } }),
  };
}

export const bytesOf = (...samples: number[]): Buffer => Buffer.from(Int16Array.from(samples).buffer);
