import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../lib/clock.ts';
import { GatewayError } from '../errors.ts';
import { type ClientEvent, type Frame, frameOf } from './wire.ts';

/** Who listens to a connection. */
export interface Ear {
  hear(frame: Frame): void;
  /** Once, and never for a connection that we closed. */
  lose(why: GatewayError): void;
}

/** A connection that says nothing for so long is asked whether it is there, and given up where it does not answer for as long again. */
const BEAT_MS = 20_000;

/** How long somebody who wants to speak waits for a sign of life. */
const SIGN_MS = 10_000;
/** A process that was held up takes so many turns to hear what has come meanwhile, before it says that nothing came. */
const LAST_TURNS = 8;

/** One connection, kept alive. */
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

  /** From now on this one is told, and nobody else. */
  listen(ear: Ear): void {
    this.#ear = ear;
  }

  /** Comes back when it has left this machine, so that whoever waits does not send faster than the gateway takes. */
  send(event: ClientEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(JSON.stringify(event), (fault) => {
        if (fault) reject(this.#why ?? lost('cut', this.#host, fault));
        else resolve();
      });
    });
  }

  /**
   * Comes back when it is certain that the connection still leads somewhere. A dead one takes what is sent for a while, and of a request that was
   * sent into it nobody could say whether it was heard.
   */
  async alive(): Promise<void> {
    if (this.isOpen) await new Promise<void>((resolve) => this.#ask(SIGN_MS, resolve));
    if (!this.isOpen) throw this.#why ?? lost('cut', this.#host);
  }

  /** Whoever listens is not told: they know. */
  close(): void {
    if (this.#why) return;
    this.#leave(lost('closed', this.#host));
    this.#socket.close(1000);
    // Nobody waits for a goodbye.
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

  /** Asks whether it is there; whoever does not answer in time is given up. */
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
  closed: (host: string) => `The gateway at ${host} is no longer spoken to: the conversation was closed.`,
  aborted: () => 'What was said was taken back before the gateway answered.',
};

/** A connection that brought no answer. */
export function lost(trouble: keyof typeof SENTENCES, host: string, cause?: unknown): GatewayError {
  return new GatewayError(SENTENCES[trouble](host), { kind: 'unreachable', code: trouble, cause });
}
