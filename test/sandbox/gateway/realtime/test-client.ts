import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { GatewayOptions } from '../../../../sandbox/gateway/gateway.ts';
import type { Dialect } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { NAMES_BY_DIALECT } from '../../../../sandbox/gateway/realtime/dialect.ts';
import { type Json, startTestGateway, type TestGateway } from '../bench.ts';

const model = 'parley-realtime';

/** A minimal client for live sessions. */
export interface RealtimeClient {
  readonly socket: WebSocket;
  /** All received events in order; frames that are not JSON are kept unchanged. */
  readonly events: Json[];
  /** The close code, once the socket is closed. */
  readonly closed: Promise<number>;
  send(event: object | string): void;
  /** Advances the clock until the next event of this type arrives, and returns it. */
  waitFor(type: string): Promise<Json>;
}

export interface RealtimeGateway extends TestGateway {
  readonly dialect: Dialect;
  connect(options?: { model?: string | null; key?: string; headers?: Record<string, string> }): Promise<RealtimeClient>;
}

export async function startRealtimeGateway(dialect: Dialect, options: GatewayOptions = {}): Promise<RealtimeGateway> {
  const fixture = await startTestGateway({ ...options, quirks: { realtimeDialect: dialect, ...options.quirks } });
  return {
    ...fixture,
    dialect,
    connect: async ({ model: id = model, key = 'sk-sandbox', headers = {} } = {}) => {
      const url = new URL('/v1/realtime', fixture.gateway.url.replace(/^http/, 'ws'));
      if (id !== null) url.searchParams.set('model', id);
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}`, ...headers } });
      onTestFinished(() => socket.terminate());
      return createClient(socket, fixture);
    },
  };
}

async function createClient(socket: WebSocket, { clock }: TestGateway): Promise<RealtimeClient> {
  const events: Json[] = [];
  let readCount = 0;
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
    socket,
    events,
    closed,
    send: (event) => socket.send(typeof event === 'string' ? event : JSON.stringify(event)),
    waitFor: async (type) => {
      for (let attempt = 0; attempt < 5_000; attempt++) {
        const foundIndex = events.findIndex((event, index) => index >= readCount && event.type === type);
        if (foundIndex >= 0) {
          readCount = foundIndex + 1;
          return events[foundIndex];
        }
        if (socket.readyState === WebSocket.CLOSED) break;
        clock.advance(20);
        await new Promise((resolve) => setImmediate(resolve));
      }
      throw new Error(
        `${type} never arrived. The received events were: ${events.map((event) => event.type).join(', ')}.`,
      );
    },
  };
}

/** A `session.update` event in a dialect: by default with text responses and without turn detection. */
export function settings(
  dialect: Dialect,
  {
    speaks = false,
    voice,
    transcriber,
    ...sessionFields
  }: { speaks?: boolean; voice?: string; transcriber?: string; [name: string]: unknown } = {},
): object {
  const transcription = transcriber && { model: transcriber };
  const session =
    dialect === 'ga'
      ? {
          type: 'realtime',
          output_modalities: [speaks ? 'audio' : 'text'],
          audio: { input: { turn_detection: null, transcription }, output: { voice } },
          ...sessionFields,
        }
      : {
          modalities: speaks ? ['text', 'audio'] : ['text'],
          voice,
          turn_detection: null,
          input_audio_transcription: transcription,
          ...sessionFields,
        };
  return { type: 'session.update', session };
}

export const userMessage = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});

export const deltas = (events: readonly Json[], dialect: Dialect, kind: 'text' | 'audio' | 'transcript'): string[] =>
  events.filter(({ type }) => type === `response.${NAMES_BY_DIALECT[dialect][kind]}.delta`).map(({ delta }) => delta);
