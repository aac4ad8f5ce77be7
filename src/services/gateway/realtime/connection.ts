import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../lib/clock.ts';
import { GatewayError, ownReason } from '../errors.ts';
import { type ClientEvent, type Dialect, parseFrame, type RealtimeFrame } from './wire.ts';

export interface ConnectionListener {
  onFrame(frame: RealtimeFrame): void;
  /** Called once, and never for a connection that we closed. */
  onLost(error: GatewayError): void;
}

/** A connection that has been silent for this long is pinged, and dropped if it stays silent for as long again. */
const PING_INTERVAL_MS = 20_000;

/** How long to wait for a sign of life before an utterance is sent. */
const ALIVE_TIMEOUT_MS = 10_000;
/** After a stall of the event loop, this many turns are left to read what has arrived before the connection is dropped. */
const GRACE_TURNS = 8;

/** One connection, kept alive by pings. */
export class RealtimeConnection {
  dialect: Dialect = 'ga';
  /** Whether the gateway has received the conversation so far on this connection. */
  isRestored = false;
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  #listener: ConnectionListener;
  #closeReason: GatewayError | undefined;
  #socketError: unknown;
  #aliveListeners: (() => void)[] = [];
  #stopKeepAlive: () => void;

  constructor(socket: WebSocket, clock: Clock, listener: ConnectionListener) {
    this.#socket = socket;
    this.#clock = clock;
    this.#listener = listener;
    socket.on('message', (data) => this.#receive(data));
    socket.on('pong', () => this.#confirmAlive());
    socket.on('error', (socketError) => {
      this.#socketError = socketError;
    });
    socket.on('close', (code) =>
      this.#drop(connectionError('cut', this.#socketError ?? new Error(`Closed with ${code}.`))),
    );
    this.#stopKeepAlive = clock.after(PING_INTERVAL_MS, () => this.#keepAlive());
    socket.resume();
  }

  get isOpen(): boolean {
    return this.#closeReason === undefined && this.#socket.readyState === this.#socket.OPEN;
  }

  setListener(listener: ConnectionListener): void {
    this.#listener = listener;
  }

  /** Resolves when the event has left this machine, so that the caller does not send faster than the gateway receives. */
  send(event: ClientEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.send(JSON.stringify(event), (socketError) => {
        if (socketError) reject(this.#closeReason ?? connectionError('cut', socketError));
        else resolve();
      });
    });
  }

  /** Resolves when the connection is known to be alive. A dead one accepts data that the gateway may never receive. */
  async assertAlive(): Promise<void> {
    if (this.isOpen) await new Promise<void>((resolve) => this.#ping(ALIVE_TIMEOUT_MS, resolve));
    if (!this.isOpen) throw this.#closeReason ?? connectionError('cut');
  }

  /** Closes the connection without notifying the listener. */
  close(): void {
    if (this.#closeReason) return;
    this.#shutDown(connectionError('closed'));
    this.#socket.close(1000);
    // Does not wait for the closing handshake.
    this.#socket.terminate();
  }

  #receive(data: RawData): void {
    this.#confirmAlive();
    if (this.#closeReason) return;
    const frame = parseFrame(data);
    if (frame) this.#listener.onFrame(frame);
  }

  #confirmAlive(): void {
    for (const onSignOfLife of this.#aliveListeners.splice(0)) onSignOfLife();
  }

  #keepAlive(): void {
    this.#ping(PING_INTERVAL_MS, () => {
      this.#stopKeepAlive = this.#clock.after(PING_INTERVAL_MS, () => this.#keepAlive());
    });
  }

  /** Pings, and drops the connection if there is no response in time. */
  #ping(ms: number, onAlive: () => void): void {
    const cancel = this.#clock.after(ms, () => expire(GRACE_TURNS));
    const expire = (turns: number): void => {
      if (!this.#aliveListeners.includes(onSignOfLife)) return;
      if (turns > 0) setImmediate(() => expire(turns - 1));
      else this.#drop(connectionError('silent'));
    };
    const onSignOfLife = (): void => {
      cancel();
      onAlive();
    };
    this.#aliveListeners.push(onSignOfLife);
    this.#socket.ping();
  }

  #drop(error: GatewayError): void {
    if (this.#closeReason) return;
    this.#shutDown(error);
    this.#socket.terminate();
    this.#listener.onLost(error);
  }

  #shutDown(error: GatewayError): void {
    this.#closeReason = error;
    for (const onSignOfLife of this.#aliveListeners.splice(0)) onSignOfLife();
    this.#stopKeepAlive();
  }
}

const REASONS = { cut: 'dropped', silent: 'silent', closed: 'closed', aborted: 'canceled' } as const;

export function connectionError(code: keyof typeof REASONS, cause?: unknown): GatewayError {
  const details = { kind: 'unreachable', reason: ownReason(REASONS[code]), code, cause } as const;
  return new GatewayError(`The connection to the gateway is lost: ${code}.`, details);
}
