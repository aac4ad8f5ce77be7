import type { TextRequest } from '../requests/text.ts';
import type { Body } from '../wire/view.ts';
import type { Dialect } from './dialect.ts';
import type { Voice } from './voice.ts';

export interface Detection {
  readonly type: 'server_vad' | 'semantic_vad';
  /** The minimum loudness of speech, from 0 to 1. */
  readonly threshold: number;
  readonly prefix_padding_ms: number;
  readonly silence_duration_ms: number;
  readonly create_response: boolean;
  readonly interrupt_response: boolean;
}

/** The settings of a session, independent of the dialect. */
export interface Settings {
  /** Whether replies are audio rather than text. */
  readonly hasAudio: boolean;
  readonly instructions: string;
  readonly voice: Voice;
  readonly speed: number;
  /** The requested transcription, with its `model`. */
  readonly transcription: Body | null;
  readonly detection: Detection | null;
  readonly noiseReduction: Body | null;
  readonly tools: TextRequest['tools'];
  readonly toolChoice: TextRequest['tool_choice'];
  readonly maxTokens: number | 'inf';
  readonly temperature: number;
}

/** The maximum number of tokens in one response. */
export const MAX_TOKENS = 4_096;

export const defaultDetection: Detection = {
  type: 'server_vad',
  threshold: 0.5,
  prefix_padding_ms: 300,
  silence_duration_ms: 200,
  create_response: true,
  interrupt_response: true,
};

export const defaultSettings: Settings = {
  hasAudio: true,
  instructions: '',
  voice: 'alloy',
  speed: 1,
  transcription: null,
  detection: defaultDetection,
  noiseReduction: null,
  tools: [],
  toolChoice: 'auto',
  maxTokens: 'inf',
  temperature: 0.8,
};

interface SessionHead {
  readonly id: string;
  readonly model: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

const PCM = { type: 'audio/pcm', rate: 24_000 };

/** The session object in events. */
export function sessionBody({ id, model, expiresAt }: SessionHead, settings: Settings, dialect: Dialect): Body {
  const {
    hasAudio,
    instructions,
    voice,
    speed,
    transcription,
    detection,
    noiseReduction,
    tools,
    toolChoice,
    maxTokens,
  } = settings;
  const head = { object: 'realtime.session', id, model, instructions, tools, tool_choice: toolChoice };
  if (dialect === 'beta') {
    return {
      ...head,
      modalities: hasAudio ? ['text', 'audio'] : ['text'],
      voice,
      speed,
      expires_at: expiresAt,
      input_audio_format: 'pcm16',
      output_audio_format: 'pcm16',
      input_audio_transcription: transcription,
      turn_detection: detection,
      input_audio_noise_reduction: noiseReduction,
      temperature: settings.temperature,
      max_response_output_tokens: maxTokens,
    };
  }
  return {
    type: 'realtime',
    ...head,
    output_modalities: [hasAudio ? 'audio' : 'text'],
    max_output_tokens: maxTokens,
    expires_at: expiresAt,
    truncation: 'auto',
    tracing: null,
    prompt: null,
    include: null,
    audio: {
      input: { format: PCM, transcription, noise_reduction: noiseReduction, turn_detection: detection },
      output: { format: PCM, voice, speed },
    },
  };
}

/** The settings that a response object contains. */
export const responseHead = ({ hasAudio, voice, maxTokens, temperature }: Settings, dialect: Dialect): Body =>
  dialect === 'ga'
    ? {
        output_modalities: [hasAudio ? 'audio' : 'text'],
        max_output_tokens: maxTokens,
        audio: { output: { format: PCM, voice } },
      }
    : {
        modalities: hasAudio ? ['text', 'audio'] : ['text'],
        voice,
        output_audio_format: 'pcm16',
        temperature,
        max_output_tokens: maxTokens,
      };
