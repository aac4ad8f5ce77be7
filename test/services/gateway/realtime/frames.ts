import type { Dialect } from './scripted.ts';

/** The events of one response in either dialect. */
export function framesFor(dialect: Dialect, id = 'resp_1', itemId = 'item_a') {
  const position = { response_id: id, item_id: itemId, output_index: 0, content_index: 0 };
  const isGa = dialect === 'ga';
  const textType = isGa ? 'response.output_text' : 'response.text';
  const audioType = isGa ? 'response.output_audio' : 'response.audio';
  return {
    created: { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
    text: (delta: string) => ({ type: `${textType}.delta`, ...position, delta }),
    textDone: (fullText: string) => ({ type: `${textType}.done`, ...position, text: fullText }),
    transcript: (delta: string) => ({ type: `${audioType}_transcript.delta`, ...position, delta }),
    transcriptDone: (fullText: string) => ({ type: `${audioType}_transcript.done`, ...position, transcript: fullText }),
    audio: (bytes: Buffer) => ({ type: `${audioType}.delta`, ...position, delta: bytes.toString('base64') }),
    audioDone: { type: `${audioType}.done`, ...position },
    item: (fullText: string) => ({
      type: 'response.output_item.done',
      response_id: id,
      output_index: 0,
      item: {
        id: itemId,
        type: 'message',
        role: 'assistant',
        content: [{ type: isGa ? 'output_audio' : 'audio', transcript: fullText }],
      },
    }),
    done: (response: object = {}) => ({ type: 'response.done', response: { id, status: 'completed', ...response } }),
  };
}

export const bytesOf = (...samples: number[]): Buffer => Buffer.from(Int16Array.from(samples).buffer);
