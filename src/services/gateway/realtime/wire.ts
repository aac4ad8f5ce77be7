import type { RawData } from 'ws';
import { isRecord } from '../../../lib/exact-json.ts';
import { PCM_RATE, type Pcm } from '../../../lib/pcm.ts';
import { asText, parseJson } from '../places.ts';
import type { EarlierTurn, RealtimeSettings, Utterance } from '../realtime-events.ts';

/** An event that the bot sends. The gateway's errors contain the `event_id` of the event that caused them. */
export interface ClientEvent {
  type: string;
  event_id: string;
  [field: string]: unknown;
}

type Item = Record<string, unknown>;

/** Ids of our events, unique across the sessions of this gateway. */
export class EventIds {
  readonly #prefix: string;
  #count = 0;

  constructor(random: () => number) {
    this.#prefix = `atelier_${Math.floor(random() * 2 ** 32).toString(36)}`;
  }

  createEvent(type: string, fields: Record<string, unknown> = {}): ClientEvent {
    return { type, event_id: this.nextId(), ...fields };
  }

  nextId(): string {
    this.#count += 1;
    return `${this.#prefix}_${this.#count}`;
  }
}

/** Pause detection is off, because the member decides when an utterance ends. */
const turn_detection = null;

export function toSessionPayload(dialect: Dialect, settings: RealtimeSettings): Record<string, unknown> {
  const { instructions, voice, transcriber } = settings;
  const transcription = transcriber === undefined ? undefined : { model: transcriber };
  if (dialect === 'beta') {
    const formats = { input_audio_format: 'pcm16', output_audio_format: 'pcm16' };
    const input = { input_audio_transcription: transcription, turn_detection };
    return { instructions, modalities: ['text', 'audio'], voice, ...formats, ...input };
  }
  const format = { type: 'audio/pcm', rate: PCM_RATE };
  return {
    instructions,
    type: 'realtime',
    // Audio always comes with its transcript; this dialect refuses requests for both.
    output_modalities: ['audio'],
    audio: { input: { format, transcription, turn_detection }, output: { format, voice } },
  };
}

const memberMessage = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

/** A turn of the conversation so far. */
export function turnItem({ by, text }: EarlierTurn, dialect: Dialect): Item {
  const type = dialect === 'ga' ? 'output_text' : 'text';
  return by === 'member' ? memberMessage(text) : { type: 'message', role: 'assistant', content: [{ type, text }] };
}

/** The events of an utterance, without the request for an answer that follows them. */
export function* utteranceEvents({ text = '', audio: pcm }: Utterance, ids: EventIds): Generator<ClientEvent> {
  if (pcm && pcm.length > 0) {
    for (const audio of audioPieces(pcm)) yield ids.createEvent('input_audio_buffer.append', { audio });
    yield ids.createEvent('input_audio_buffer.commit');
  }
  if (text.trim() !== '') yield ids.createEvent('conversation.item.create', { item: memberMessage(text) });
}

/** `ga`: the current format. `beta`: its predecessor, which some gateways still use. */
export type Dialect = 'ga' | 'beta';

const GA_FIELDS = ['audio', 'output_modalities'];
const BETA_FIELDS = ['modalities', 'input_audio_format', 'output_audio_format', 'input_audio_transcription'];

/** Error codes of gateways that do not know the format of the request. */
const SHAPE_CODES = new Set(['unknown_parameter', 'missing_required_parameter', 'beta_api_shape_disabled']);
const SHAPE_PARAM = 'session.type';

/** Determines the dialect of a gateway once for all sessions: from the description of a session, or else by trial. */
export class DialectDetector {
  #confirmedDialect: Dialect | undefined;
  readonly #refusedDialects = new Set<Dialect>();

  /** Chooses the dialect for a session as the gateway describes it. */
  choose(session: unknown): Dialect {
    const detected = dialectOf(session);
    if (detected !== undefined && !this.#refusedDialects.has(detected)) return detected;
    return this.#confirmedDialect ?? (this.#refusedDialects.has('ga') ? 'beta' : 'ga');
  }

  confirm(dialect: Dialect): void {
    this.#confirmedDialect = dialect;
    this.#refusedDialects.clear();
  }

  /** The other dialect, if the dialect may have caused this refusal. */
  alternativeAfter(error: Record<string, unknown>, dialect: Dialect): Dialect | undefined {
    if (this.#confirmedDialect === dialect || this.#refusedDialects.size > 0 || !isAboutShape(error)) return undefined;
    this.#refusedDialects.add(dialect);
    return dialect === 'ga' ? 'beta' : 'ga';
  }
}

function dialectOf(session: unknown): Dialect | undefined {
  if (!isRecord(session)) return undefined;
  const has = (name: string): boolean => session[name] != null;
  if (session.type === 'realtime' || GA_FIELDS.some(has)) return 'ga';
  return BETA_FIELDS.some(has) ? 'beta' : undefined;
}

function isAboutShape({ code, param }: Record<string, unknown>): boolean {
  return SHAPE_CODES.has(asText(code) ?? '') || asText(param) === SHAPE_PARAM;
}

export interface RealtimeFrame {
  type: string;
  body: Record<string, unknown>;
  /** Characters on the wire. */
  size: number;
}

/** Parses a frame, which may be binary. Undefined if it is not an event. */
export function parseFrame(data: RawData): RealtimeFrame | undefined {
  const text = textOf(data);
  const body = parseJson(text);
  const type = isRecord(body) ? asText(body.type) : undefined;
  return isRecord(body) && type !== undefined ? { type, body, size: text.length } : undefined;
}

/** The id of the bot's event that caused an error, if the error names it. */
export const causingEventId = (error: Record<string, unknown>): string | undefined => asText(error.event_id);

/** The response that an event belongs to. */
export const responseIdOf = ({ response, response_id: id }: Record<string, unknown>): string | undefined =>
  asText(id) ?? (isRecord(response) ? asText(response.id) : undefined);

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8');
}

/** One second: about 64 KB as base64, far below the limit of an event. */
const SAMPLES_PER_PIECE = PCM_RATE;

/** Encodes audio in pieces that fit into an event. Samples are little-endian on the wire, as in Node. */
function* audioPieces(pcm: Pcm): Generator<string, void, void> {
  for (let start = 0; start < pcm.length; start += SAMPLES_PER_PIECE) {
    const piece = pcm.subarray(start, start + SAMPLES_PER_PIECE);
    yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('base64');
  }
}

/** Decodes received audio. A sample may be split between events. */
export class SampleReader {
  #oddByte: Buffer = Buffer.alloc(0);

  read(base64: string): Pcm {
    const bytes = Buffer.concat([this.#oddByte, Buffer.from(base64, 'base64')]);
    const wholeBytes = bytes.byteLength - (bytes.byteLength % 2);
    this.#oddByte = Buffer.from(bytes.subarray(wholeBytes));
    // Copied, because samples must start at an even address.
    return new Int16Array(new Uint8Array(bytes.subarray(0, wholeBytes)).buffer);
  }
}
