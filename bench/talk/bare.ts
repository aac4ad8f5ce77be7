import { once } from 'node:events';
import WebSocket from 'ws';
import type { Pcm } from '../../src/lib/pcm.ts';
import { type Call, MODEL, machineTime } from './orders.ts';

/** One second of audio per event, as the client sends it. */
const PIECE_BYTES = 48_000;

export type Timings = Pick<Call, 'firstTextAt' | 'firstAudioAt' | 'endAt'>;

/** The smallest program that speaks the current protocol, without heartbeats, checks or stored state. */
export class BareSession {
  readonly #socket: WebSocket;
  id = '';

  private constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  static async open(url: string, key: string): Promise<BareSession> {
    const endpoint = new URL(`/v1/realtime?model=${MODEL}`, url.replace('http', 'ws'));
    const session = new BareSession(new WebSocket(endpoint, { headers: { authorization: `Bearer ${key}` } }));
    const createdEvent = await session.#waitFor('session.created');
    session.id = (createdEvent.session as { id: string }).id;
    const format = { type: 'audio/pcm', rate: 24_000 };
    const audio = { input: { format, turn_detection: null }, output: { format } };
    session.#send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['audio'], audio } });
    await session.#waitFor('session.updated');
    return session;
  }

  async say(utterance: string | Pcm, shouldFinish: boolean): Promise<Timings> {
    if (typeof utterance === 'string') {
      const item = { type: 'message', role: 'user', content: [{ type: 'input_text', text: utterance }] };
      this.#send({ type: 'conversation.item.create', item });
    } else {
      const bytes = Buffer.from(utterance.buffer, utterance.byteOffset, utterance.byteLength);
      for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
        const audio = bytes.subarray(offset, offset + PIECE_BYTES).toString('base64');
        this.#send({ type: 'input_audio_buffer.append', audio });
      }
      this.#send({ type: 'input_audio_buffer.commit' });
    }
    this.#send({ type: 'response.create' });
    const timings = { firstTextAt: 0, firstAudioAt: 0 };
    await this.#waitFor(shouldFinish ? 'response.done' : 'response.output_audio.delta', (event) => {
      if (event.type === 'response.output_audio_transcript.delta') timings.firstTextAt ||= machineTime();
      if (event.type !== 'response.output_audio.delta') return;
      // Audio counts as received once it is decoded into samples.
      const bytes = Buffer.from(event.delta as string, 'base64');
      if (bytes.length > 0) timings.firstAudioAt ||= machineTime();
    });
    return { ...timings, endAt: shouldFinish ? machineTime() : undefined };
  }

  async close(): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }

  #send(event: object): void {
    this.#socket.send(JSON.stringify(event));
  }

  #waitFor(type: string, onEvent: (event: Record<string, unknown>) => void = () => undefined) {
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      const fail = (error: Error) => reject(error);
      const onMessage = (data: WebSocket.RawData) => {
        const event = JSON.parse(String(data)) as Record<string, unknown>;
        onEvent(event);
        if (event.type === 'error') reject(new Error(String(data)));
        if (event.type !== type) return;
        this.#socket.off('message', onMessage).off('error', fail);
        resolve(event);
      };
      this.#socket.on('message', onMessage).on('error', fail);
    });
  }
}
