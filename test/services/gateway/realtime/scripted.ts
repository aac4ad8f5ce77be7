import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../../../../src/lib/clock.ts';
import { GatewayError } from '../../../../src/services/gateway/errors.ts';
import { createGateway, type Gateway } from '../../../../src/services/gateway/gateway.ts';
import type { RealtimeAnswer } from '../../../../src/services/gateway/realtime-answer.ts';
import type { RealtimeEvent, RealtimeResponse } from '../../../../src/services/gateway/realtime-events.ts';
import type { GatewayLimits, GatewayParts, GatewaySettings } from '../../../../src/services/gateway/settings.ts';
import { defaultSettings } from '../../../../src/services/gateway/settings.ts';

export const key = 'sk-secret-of-the-gateway';
export const dialects = ['ga', 'beta'] as const;
export type Dialect = (typeof dialects)[number];

export type ClientEvent = {
  type: string;
  event_id?: string;
  session?: Record<string, unknown>;
  item?: Record<string, unknown>;
} & Record<string, unknown>;

/** Session objects as gateways of each dialect send them, and one that does not reveal its dialect. */
export const sessions = {
  ga: { id: 'sess_1', type: 'realtime', object: 'realtime.session', output_modalities: ['audio'], audio: {} },
  beta: { id: 'sess_1', object: 'realtime.session', modalities: ['text', 'audio'], input_audio_format: 'pcm16' },
  neither: { id: 'sess_1', object: 'realtime.session' },
} as const;

/** One connection, from the gateway's side. */
export class Peer {
  readonly request: IncomingMessage;
  readonly socket: WebSocket;
  readonly received: ClientEvent[] = [];
  readonly closed: Promise<unknown>;
  #returnedCount = 0;
  #wake: (() => void) | undefined;

  constructor(socket: WebSocket, request: IncomingMessage, onEvent: (peer: Peer, event: ClientEvent) => void) {
    this.socket = socket;
    this.request = request;
    this.closed = once(socket, 'close');
    socket.on('message', (data) => {
      const event = JSON.parse(String(data)) as ClientEvent;
      this.received.push(event);
      onEvent(this, event);
      this.#wake?.();
    });
    socket.on('error', () => undefined);
  }

  send(...events: object[]): void {
    for (const event of events) this.socket.send(JSON.stringify(event));
  }

  /** Waits for the next event of this type that was not returned before. */
  async waitFor(type: string): Promise<ClientEvent> {
    for (;;) {
      for (; this.#returnedCount < this.received.length; ) {
        const event = this.received[this.#returnedCount++];
        if (event?.type === type) return event;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  types(): string[] {
    return this.received.map(({ type }) => type);
  }

  /** The conversation items that this connection received. */
  items(): unknown[] {
    return this.received.flatMap(({ type, item }) => (type === 'conversation.item.create' ? [item] : []));
  }
}

export const refusalOf = (event: ClientEvent, error: Record<string, unknown>): object => ({
  type: 'error',
  event_id: 'event_of_the_gateway',
  error: { type: 'invalid_request_error', message: 'No', event_id: event.event_id, ...error },
});

/** Makes a gateway accept settings only in its own dialect, as real gateways do. */
export const acceptOnly =
  (dialect: Dialect) =>
  (peer: Peer, event: ClientEvent): void => {
    if (event.type !== 'session.update') return;
    const isGa = event.session?.type === 'realtime';
    if (dialect === 'ga' && !isGa)
      peer.send(refusalOf(event, { code: 'missing_required_parameter', param: 'session.type' }));
    else if (dialect === 'beta' && isGa)
      peer.send(refusalOf(event, { code: 'unknown_parameter', param: 'session.type' }));
    else peer.send({ type: 'session.updated', session: event.session });
  };

interface ServerScript {
  /** The first event; null sends none. */
  created?: object | null;
  onEvent?: (peer: Peer, event: ClientEvent) => void;
  /** Refuses or handles the upgrade; false lets it through. */
  onUpgrade?: (request: IncomingMessage, response: ServerResponse, socket: Socket) => boolean;
  tools?: Partial<GatewayParts>;
  limits?: Partial<GatewayLimits>;
  settings?: Partial<GatewaySettings>;
  prefix?: string;
}

export interface ScriptedServer {
  gateway: Gateway;
  /** Waits for the next connection that was not returned before. */
  next(): Promise<Peer>;
  /** All connections so far. */
  peers: Peer[];
  /** Upgrade requests. */
  requests: IncomingMessage[];
  logLines: string[];
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts the client and a scripted gateway, connected by real sockets. */
export async function startServer(script: ServerScript = {}): Promise<ScriptedServer> {
  const { created = sessions.ga, onEvent = acceptOnly('ga'), onUpgrade = () => false } = script;
  const sockets = new WebSocketServer({ noServer: true });
  const peers: Peer[] = [];
  const requests: IncomingMessage[] = [];
  let returnedCount = 0;
  let wake: (() => void) | undefined;
  const rawSockets = new Set<Socket>();
  const server = createServer();
  server.on('upgrade', (request, socket: Socket, head) => {
    requests.push(request);
    socket.on('error', () => undefined);
    rawSockets.add(socket);
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.shouldKeepAlive = false;
    if (onUpgrade(request, response, socket)) return;
    response.detachSocket(socket);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const peer = new Peer(webSocket, request, onEvent);
      peers.push(peer);
      if (created) peer.send({ type: 'session.created', event_id: 'event_0', session: created });
      wake?.();
    });
  });
  const start = async (port = 0): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const stop = async (): Promise<void> => {
    for (const socket of rawSockets) socket.destroy();
    if (!server.listening) return;
    server.close();
    await once(server, 'close');
  };
  const port = await start();
  const logLines: string[] = [];
  const recordLine = (facts: object, message: string): void => {
    logLines.push(`${message} ${JSON.stringify(facts)}`);
  };
  const gateway = createGateway(
    { ...defaultSettings, baseUrl: `http://127.0.0.1:${port}${script.prefix ?? ''}`, apiKey: key, ...script.settings },
    { log: { info: recordLine, warn: recordLine }, clock: systemClock, random: () => 0, ...script.tools },
    { attempts: 1, ...script.limits },
  );
  onTestFinished(async () => {
    await gateway.close();
    await stop();
    expect(logLines.join('\n')).not.toContain(key);
  });
  const next = async (): Promise<Peer> => {
    for (;;) {
      const peer = peers[returnedCount];
      if (peer) {
        returnedCount += 1;
        return peer;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    gateway,
    next,
    peers,
    requests,
    logLines,
    stop,
    start: async () => {
      await start(port);
    },
  };
}

export async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  const outcome = await promise.then(
    (value) => new Error(`The call succeeded: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(outcome instanceof GatewayError)) throw outcome;
  expect(outcome.message).not.toContain(key);
  return outcome;
}

export async function collectEvents({ events }: RealtimeAnswer): Promise<RealtimeEvent[]> {
  const received: RealtimeEvent[] = [];
  for await (const event of events) received.push(event);
  return received;
}

export function endOf(events: readonly RealtimeEvent[]): RealtimeResponse {
  const last = events.at(-1);
  if (last?.type !== 'end') throw new Error(`The last event is not an end: ${JSON.stringify(last)}`);
  expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
  return last.response;
}

export const textOf = (events: readonly RealtimeEvent[]): string =>
  events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('');

export const samplesOf = (events: readonly RealtimeEvent[]): number[] =>
  events.flatMap((event) => (event.type === 'audio' ? [...event.pcm] : []));
