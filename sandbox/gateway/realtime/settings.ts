import type { TextRequest } from '../requests/text.ts';
import type { Body } from '../wire/view.ts';
import type { Dialect } from './dialect.ts';
import type { Voice } from './voice.ts';

export interface Detection {
  readonly type: 'server_vad' | 'semantic_vad';
  /** How loud speech is at least, of 1. */
  readonly threshold: number;
  readonly prefix_padding_ms: number;
  readonly silence_duration_ms: number;
  readonly create_response: boolean;
  readonly interrupt_response: boolean;
}

/** How a session is to be, in no dialect. */
export interface Settings {
  /** Or else it writes. */
  readonly speaks: boolean;
  readonly instructions: string;
  readonly voice: Voice;
  readonly speed: number;
  /** As it was asked for: its `model` writes down what is said. */
  readonly transcription: Body | null;
  readonly detection: Detection | null;
  readonly noise: Body | null;
  readonly tools: TextRequest['tools'];
  readonly toolChoice: TextRequest['tool_choice'];
  readonly most: number | 'inf';
  readonly temperature: number;
}

/** The most tokens of one response. A session cannot ask for more. */
export const MOST_TOKENS = 4_096;

export const usualDetection: Detection = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 200,
  create_response: true,
  interrupt_response: true,
};

export const usualSettings: Settings = {
  speaks: true,
  instructions: '',
  voice: 'alloy',
  speed: 1,
  transcription: null,
  detection: usualDetection,
  noise: null,
  tools: [],
  toolChoice: 'auto',
  most: 'inf',
  temperature: 0.8,
};

interface Head {
  readonly id: string;
  readonly model: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

const PCM = { type: 'audio/pcm', rate: 24_000 };

/** The session object (wire facts, part 6). */
export function sessionBody({ id, model, expiresAt }: Head, settings: Settings, dialect: Dialect): Body {
  const { speaks, instructions, voice, speed, transcription, detection, noise, tools, toolChoice, most } = settings;
  const head = { object: 'realtime.session', id, model, instructions, tools, tool_choice: toolChoice };
  if (dialect === 'beta') {
    return {
      ...head,
      ...{ modalities: speaks ? ['text', 'audio'] : ['text'], voice, speed, expires_at: expiresAt },
      ...{ input_audio_format: 'pcm16', output_audio_format: 'pcm16', input_audio_transcription: transcription },
      ...{ turn_detection: detection, input_audio_noise_reduction: noise },
      ...{ temperature: settings.temperature, max_response_output_tokens: most },
    };
  }
  return {
    type: 'realtime',
    ...head,
    ...{ output_modalities: [speaks ? 'audio' : 'text'], max_output_tokens: most, expires_at: expiresAt },
    ...{ truncation: 'auto', tracing: null, prompt: null, include: null },
    audio: {
      input: { format: PCM, transcription, noise_reduction: noise, turn_detection: detection },
      output: { format: PCM, voice, speed },
    },
  };
}

/** What a response object says of how it is given. */
export const responseHead = ({ speaks, voice, most, temperature }: Settings, dialect: Dialect): Body =>
  dialect === 'ga'
    ? {
        output_modalities: [speaks ? 'audio' : 'text'],
        max_output_tokens: most,
        audio: { output: { format: PCM, voice } },
      }
    : {
        modalities: speaks ? ['text', 'audio'] : ['text'],
        ...{ voice, output_audio_format: 'pcm16', temperature, max_output_tokens: most },
      };
