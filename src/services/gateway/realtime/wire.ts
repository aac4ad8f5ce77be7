import { PCM_RATE } from '../../../lib/pcm.ts';
import type { Dialect } from './dialect.ts';
import type { RealtimeCall, RealtimeSettings, RealtimeTool } from './events.ts';

/** An event of ours. Its id is what an error names that it causes. */
export interface ClientEvent {
  type: string;
  event_id: string;
  [field: string]: unknown;
}

type Item = Record<string, unknown>;

/** Names for our events, unlike those of every other session of this gateway. */
export class EventNames {
  readonly #start: string;
  #count = 0;

  constructor(random: () => number) {
    this.#start = `atelier_${Math.floor(random() * 2 ** 32).toString(36)}`;
  }

  event(type: string, fields: Record<string, unknown> = {}): ClientEvent {
    return { type, event_id: this.fresh(), ...fields };
  }

  /** A name that nothing else has. */
  fresh(): string {
    this.#count += 1;
    return `${this.#start}_${this.#count}`;
  }
}

/** Nobody listens for pauses: what is said ends when its member says so. */
const turn_detection = null;

/** The settings as a session has them. */
export function sessionOf(dialect: Dialect, settings: RealtimeSettings): Record<string, unknown> {
  const { instructions, voice, transcriber, tools } = settings;
  const transcription = transcriber === undefined ? undefined : { model: transcriber };
  const both = { instructions, tools: tools?.map(toolOf) };
  if (dialect === 'beta') {
    return {
      ...both,
      modalities: ['text', 'audio'],
      voice,
      input_audio_format: 'pcm16',
      output_audio_format: 'pcm16',
      input_audio_transcription: transcription,
      turn_detection,
    };
  }
  const format = { type: 'audio/pcm', rate: PCM_RATE };
  return {
    ...both,
    type: 'realtime',
    // What is spoken comes with its words; both at once are refused here.
    output_modalities: ['audio'],
    audio: { input: { format, transcription, turn_detection }, output: { format, voice } },
  };
}

function toolOf(tool: RealtimeTool): Record<string, unknown> {
  if (tool.type === 'other') return tool.definition;
  const { type, name, description, parameters } = tool;
  return { type, name, description, parameters };
}

export const memberSaid = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

export const modelSaid = (text: string, dialect: Dialect): Item => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: dialect === 'ga' ? 'output_text' : 'text', text }],
});

export const modelCalled = ({ callId, name, arguments: written }: RealtimeCall): Item => ({
  type: 'function_call',
  call_id: callId,
  name,
  arguments: written,
});

export const outputOf = ({ callId, output }: { callId: string; output: string }): Item => ({
  type: 'function_call_output',
  call_id: callId,
  output,
});
