import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../lib/clock.ts';
import { GatewayError } from '../errors.ts';
import { type ClientEvent, type Frame, frameOf } from './wire.ts';

export interface Ear {
  hear(frame: Frame): void;
  /** Called once, and never for a connection that we closed. */
  lose(why: GatewayError): void;
}

/** A connection that is silent this long is pinged, and dropped if it stays silent as long again. */
const BEAT_MS = 20_000;

/** How long to wait for a sign of life before an utterance is sent. */
const SIGN_MS = 10_000;
/** After a stall, the event loop gets this many turns to read what has arrived before the connection is dropped. */
const LAST_TURNS = 8;

/** One connection, kept alive by pings. */
export class Line {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #host: string;
  #ear: Ear;
  #why: GatewayError | undefined;
  #fault: unknown;
  #signs: (() => void)[] = [];
  #stopBeat: () => void;

  constructor(socket: WebSocket, host: string, clock: Clock, ear: Ear) {
    this.#socket = socket;
    this.#host = host;
    this.#clock = clock;
    this.#ear = ear;
    socket.on('message', (data) => this.#take(data));
    socket.on('pong', () => this.#stir());
    socket.on('error', (fault) => {
      this.#fault = fault;
    });
    socket.on('close', (code) => this.#drop(lost('cut', host, this.#fault ?? new Error(`Closed with ${code}.`))));
    this.#stopBeat = clock.after(BEAT_MS, () => this.#beat());
    socket.resume();
  }

  get isOpen(): boolean {
    return this.#why === undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  listen(ear: Ear): void {
    this.#ear = ear;
  }

  /** Resolves when the event has left this machine, so that the caller does not outpace the gateway. */
  send(event: ClientEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(JSON.stringify(event), (fault) => {
        if (fault) reject(this.#why ?? lost('cut', this.#host, fault));
        else resolve();
      });
    });
  }

  /** Resolves when the connection is known to be alive. A dead one accepts data that the gateway may never receive. */
  async alive(): Promise<void> {
    if (this.isOpen) await new Promise<void>((resolve) => this.#ask(SIGN_MS, resolve));
    if (!this.isOpen) throw this.#why ?? lost('cut', this.#host);
  }

  /** Does not notify the listener. */
  close(): void {
    if (this.#why) return;
    this.#leave(lost('closed', this.#host));
    this.#socket.close(1000);
    // Does not wait for the closing handshake.
    this.#socket.terminate();
  }

  #take(data: RawData): void {
    this.#stir();
    if (this.#why) return;
    const frame = frameOf(data);
    if (frame) this.#ear.hear(frame);
  }

  #stir(): void {
    for (const sign of this.#signs.splice(0)) sign();
  }

  #beat(): void {
    this.#ask(BEAT_MS, () => {
      this.#stopBeat = this.#clock.after(BEAT_MS, () => this.#beat());
    });
  }

  /** Pings, and drops the connection if there is no response in time. */
  #ask(ms: number, there: () => void): void {
    const cancel = this.#clock.after(ms, () => give(LAST_TURNS));
    const give = (turns: number): void => {
      if (!this.#signs.includes(sign)) return;
      if (turns > 0) setImmediate(() => give(turns - 1));
      else this.#drop(lost('silent', this.#host));
    };
    const sign = (): void => {
      cancel();
      there();
    };
    this.#signs.push(sign);
    this.#socket.ping();
  }

  #drop(why: GatewayError): void {
    if (this.#why) return;
    this.#leave(why);
    this.#socket.terminate();
    this.#ear.lose(why);
  }

  #leave(why: GatewayError): void {
    this.#why = why;
    for (const sign of this.#signs.splice(0)) sign();
    this.#stopBeat();
  }
}

const SENTENCES = {
  cut: (host: string) => `The gateway at ${host} cut the connection.`,
  silent: (host: string) => `The gateway at ${host} did not answer in time.`,
  closed: (host: string) => `The gateway at ${host} is no longer used: the conversation was closed.`,
  aborted: () => 'The utterance was cancelled before the gateway responded.',
};

export function lost(trouble: keyof typeof SENTENCES, host: string, cause?: unknown): GatewayError {
  return new GatewayError(SENTENCES[trouble](host), { kind: 'unreachable', code: trouble, cause });
}
