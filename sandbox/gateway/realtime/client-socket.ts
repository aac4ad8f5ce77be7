import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { isTooDeep } from '../body.ts';
import type { Body } from '../wire/view.ts';
import { EventError } from './event-error.ts';

/** WebSocket close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const INTERNAL_ERROR = 1011;

/** A client's WebSocket, with the faults that can be applied to it. */
export class ClientSocket {
  readonly #socket: WebSocket;
  readonly #rawSocket: Socket;
  readonly #createId: (prefix: string) => string;

  constructor(socket: WebSocket, rawSocket: Socket, createId: (prefix: string) => string) {
    this.#socket = socket;
    this.#rawSocket = rawSocket;
    this.#createId = createId;
  }

  listen(onEvent: (event: unknown) => void, onClose: () => void): void {
    this.#socket.on('message', (data, isBinary) => onEvent(isBinary ? undefined : parseEvent(String(data))));
    this.#socket.on('close', onClose);
    this.#socket.on('error', () => this.drop());
  }

  /** Sends an event one or more times, always with the same id. */
  send(event: Body, times = 1): void {
    const frame = JSON.stringify({ event_id: this.#createId('event'), ...event });
    for (let count = 0; count < times; count++) this.sendFrame(frame);
  }

  sendFrame(frame: string | Buffer): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame);
  }

  close(reason: 'expired' | 'trouble', message: string): void {
    this.#socket.close(reason === 'expired' ? GOING_AWAY : INTERNAL_ERROR, message);
  }

  /** Drops the connection without a close frame. */
  drop(): void {
    this.#socket.terminate();
  }

  /** Behaves as if the network dropped everything: incoming data is not read, so even a ping gets no response. */
  hang(): void {
    this.#rawSocket.removeAllListeners('data');
    this.#rawSocket.on('data', () => undefined);
    this.#rawSocket.resume();
  }
}

/** Returns undefined for anything that is not valid JSON. */
function parseEvent(text: string): unknown {
  try {
    const event: unknown = JSON.parse(text);
    return isTooDeep(event) ? undefined : event;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export const unreadableEventError = () =>
  new EventError('We could not parse the JSON body of your message.', { code: 'invalid_json' });
