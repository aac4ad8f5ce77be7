import type { InputItem } from '../requests/text.ts';
import type { Body } from '../wire/view.ts';
import { type Dialect, NAMES_BY_DIALECT } from './dialect.ts';
import { PCM_RATE } from './pcm.ts';
import { sampleCountOf, spokenWordsOf } from './voice.ts';

type Status = 'in_progress' | 'completed' | 'incomplete';

export type Part =
  | { readonly type: 'text'; readonly text: string }
  /** The user's audio: its description, and whether the client has received it as a transcript. */
  | { readonly type: 'sound'; readonly description: string; readonly ms: number; readonly isTranscribed: boolean }
  /** The model's audio, represented by its text. */
  | { readonly type: 'speech'; readonly text: string }
  | { readonly type: 'image'; readonly url: unknown };

export interface Message {
  readonly type: 'message';
  readonly role: 'user' | 'assistant' | 'system';
  readonly parts: readonly Part[];
}

interface Call {
  readonly type: 'function_call';
  readonly callId: string;
  readonly name: string;
  readonly argumentsJson: string;
}

interface Output {
  readonly type: 'function_call_output';
  readonly callId: string;
  readonly output: string;
}

export type Item = { readonly id: string; readonly status: Status } & (Message | Call | Output);

export function itemBody(item: Item, dialect: Dialect): Body {
  const { id, type, status } = item;
  const head = { id, object: 'realtime.item', type, status };
  switch (item.type) {
    case 'message':
      return { ...head, role: item.role, content: item.parts.map((part) => partBody(part, item.role, dialect)) };
    case 'function_call':
      return { ...head, call_id: item.callId, name: item.name, arguments: item.argumentsJson };
    case 'function_call_output':
      return { ...head, call_id: item.callId, output: item.output };
  }
}

export function partBody(part: Part, role: Message['role'], dialect: Dialect): Body {
  switch (part.type) {
    case 'text':
      return { type: role === 'assistant' ? NAMES_BY_DIALECT[dialect].text : 'input_text', text: part.text };
    case 'sound':
      return { type: 'input_audio', transcript: part.isTranscribed ? part.description : null };
    case 'speech':
      return { type: NAMES_BY_DIALECT[dialect].audio, transcript: part.text };
    case 'image':
      return { type: 'input_image', image_url: part.url };
  }
}

/** Converts an item to the input of the text endpoint (`text/`). */
export function toInputItem(item: Item): InputItem {
  switch (item.type) {
    case 'message':
      return { role: item.role, content: textOf(item) };
    case 'function_call':
      return { type: item.type, call_id: item.callId, name: item.name };
    case 'function_call_output':
      return { type: item.type, call_id: item.callId, output: item.output };
  }
}

export const textOf = ({ parts }: Message): string =>
  parts.flatMap((part) => (part.type === 'sound' ? [part.description] : 'text' in part ? [part.text] : [])).join(' ');

/** The duration of a spoken text. */
export const speechMs = (speech: string): number =>
  (spokenWordsOf(speech).reduce((sum, word) => sum + sampleCountOf(word), 0) / PCM_RATE) * 1_000;

/** The words that have started playing by the given time. */
export function textUntil(speech: string, ms: number): string {
  const maxSamples = (ms * PCM_RATE) / 1_000;
  let samples = 0;
  const playedWords = spokenWordsOf(speech).filter((word) => {
    const hasBegun = samples < maxSamples;
    samples += sampleCountOf(word);
    return hasBegun;
  });
  return playedWords.join('').trimEnd();
}
