import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';
import { isTooDeep } from '../body.ts';
import type { Body } from '../wire/view.ts';
import { EventRefusal } from './refusal.ts';

/** What is thrown out of a session gets this; RFC 6455, 7.4.1. */
const GOING_AWAY = 1001;
const TROUBLE = 1011;

/** One client's socket: events in and out, and what can happen to it. */
export class Line {
  readonly #socket: WebSocket;
  readonly #wire: Socket;
  readonly #freshId: (prefix: string) => string;

  constructor(socket: WebSocket, wire: Socket, freshId: (prefix: string) => string) {
    this.#socket = socket;
    this.#wire = wire;
    this.#freshId = freshId;
  }

  listen(hear: (event: unknown) => void, closed: () => void): void {
    this.#socket.on('message', (data, isBinary) => hear(isBinary ? undefined : parsed(String(data))));
    this.#socket.on('close', closed);
    this.#socket.on('error', () => this.drop());
  }

  /** An event that is told twice is the same both times, down to its id. */
  tell(event: Body, times = 1): void {
    const frame = JSON.stringify({ event_id: this.#freshId('event'), ...event });
    for (let time = 0; time < times; time++) this.frame(frame);
  }

  frame(frame: string | Buffer): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(frame);
  }

  close(reason: 'expired' | 'trouble', why: string): void {
    this.#socket.close(reason === 'expired' ? GOING_AWAY : TROUBLE, why);
  }

  /** Without a word. */
  drop(): void {
    this.#socket.terminate();
  }

  /** As if the network dropped everything: incoming data is not read, so even a ping gets no response. */
  hang(): void {
    this.#wire.removeAllListeners('data');
    this.#wire.on('data', () => undefined);
    this.#wire.resume();
  }
}

/** Undefined is what no event can be. */
function parsed(text: string): unknown {
  try {
    const event: unknown = JSON.parse(text);
    return isTooDeep(event) ? undefined : event;
  } catch (problem) {
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
}

export const unreadable = () =>
  new EventRefusal('We could not parse the JSON body of your message.', { code: 'invalid_json' });
