import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { GatewayOptions } from '../../../../sandbox/gateway/gateway.ts';
import type { Dialect } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { NAMES_BY_DIALECT } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { type Bench, bench, type Json } from '../bench.ts';

const model = 'parley-realtime';

/** A minimal client for the socket. */
export interface Talker {
  readonly socket: WebSocket;
  /** All received events in order; frames that are not JSON are kept unchanged. */
  readonly events: Json[];
  /** The close code, once the socket is closed. */
  readonly closed: Promise<number>;
  say(event: object | string): void;
  /** Advances the clock until the next event of this type arrives, and returns it. */
  until(type: string): Promise<Json>;
}

export interface Stage extends Bench {
  readonly dialect: Dialect;
  talker(options?: { model?: string | null; key?: string; headers?: Record<string, string> }): Promise<Talker>;
}

export async function stage(dialect: Dialect, options: GatewayOptions = {}): Promise<Stage> {
  const fixture = await bench({ ...options, quirks: { realtimeDialect: dialect, ...options.quirks } });
  return {
    ...fixture,
    dialect,
    talker: async ({ model: id = model, key = 'sk-sandbox', headers = {} } = {}) => {
      const address = new URL('/v1/realtime', fixture.gateway.url.replace(/^http/, 'ws'));
      if (id !== null) address.searchParams.set('model', id);
      const socket = new WebSocket(address, { headers: { authorization: `Bearer ${key}`, ...headers } });
      onTestFinished(() => socket.terminate());
      return talkerOn(socket, fixture);
    },
  };
}

async function talkerOn(socket: WebSocket, { clock }: Bench): Promise<Talker> {
  const events: Json[] = [];
  let read = 0;
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('message', (data, isBinary) => {
    const text = String(data);
    try {
      events.push(isBinary ? data : JSON.parse(text));
    } catch {
      events.push(text);
    }
  });
  await once(socket, 'open');
  return {
    ...{ socket, events, closed },
    say: (event) => socket.send(typeof event === 'string' ? event : JSON.stringify(event)),
    until: async (type) => {
      for (let turn = 0; turn < 5_000; turn++) {
        const at = events.findIndex((event, index) => index >= read && event.type === type);
        if (at >= 0) {
          read = at + 1;
          return events[at];
        }
        if (socket.readyState === WebSocket.CLOSED) break;
        clock.advance(20);
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(`${type} never came, but ${events.map((event) => event.type).join(', ')}.`);
    },
  };
}

/** `session.update` in a dialect: by default with text responses and turns that the client ends. */
export function settings(
  dialect: Dialect,
  {
    speaks = false,
    voice,
    transcriber,
    ...more
  }: { speaks?: boolean; voice?: string; transcriber?: string; [name: string]: unknown } = {},
): object {
  const transcription = transcriber && { model: transcriber };
  const session =
    dialect === 'ga'
      ? {
          type: 'realtime',
          output_modalities: [speaks ? 'audio' : 'text'],
          audio: { input: { turn_detection: null, transcription }, output: { voice } },
          ...more,
        }
      : {
          modalities: speaks ? ['text', 'audio'] : ['text'],
          ...{ voice, turn_detection: null, input_audio_transcription: transcription },
          ...more,
        };
  return { type: 'session.update', session };
}

export const userMessage = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

export const deltas = (events: readonly Json[], dialect: Dialect, kind: 'text' | 'audio' | 'transcript'): string[] =>
  events.filter(({ type }) => type === `response.${NAMES_BY_DIALECT[dialect][kind]}.delta`).map(({ delta }) => delta);
