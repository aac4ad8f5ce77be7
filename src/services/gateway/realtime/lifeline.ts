import { pause } from '../../../lib/clock.ts';
import { nameIn } from '../../../lib/loggable.ts';
import { errorOf } from '../error-responses.ts';
import { GatewayError, waitBeforeRetry } from '../errors.ts';
import { asText } from '../read/places.ts';
import type { Connector, Surroundings } from './connector.ts';
import { type Ear, type Line, lost } from './line.ts';
import type { Frame } from './wire.ts';

/** Automatic reconnection attempts; after that, the next utterance reconnects. */
const MOST_TRIES = 6;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 30_000;
/** A connection that lasted this long resets the attempts. */
const GOOD_AFTER_MS = 60_000;

/** Gateways end a session after an hour. */
const RENEWED_AFTER_MS = 55 * 60_000;
const EXPIRED = 'session_expired';

/** Keeps one connection open, and replaces it while nothing is being said. */
export class Lifeline implements Ear {
  readonly #around: Surroundings;
  readonly #connector: Connector;
  readonly #ear: Ear;
  readonly #closing = new AbortController();
  /** Reconnection attempts since a connection last held. */
  #tries = 0;
  #id = '';
  #line: Line | undefined;
  #madeAt = 0;
  #connecting: Promise<void> | undefined;
  #mending: { stop: AbortController; done: Promise<void> } | undefined;
  #isBusy = false;
  #isDue = false;
  #stopRenewal: () => void = () => undefined;

  constructor(around: Surroundings, connector: Connector, ear: Ear) {
    this.#around = around;
    this.#connector = connector;
    this.#ear = ear;
  }

  get id(): string {
    return this.#id;
  }

  /** An open connection, replaced if necessary; it is kept until `rest`. */
  async take(signal: AbortSignal | undefined): Promise<Line> {
    const { http } = this.#around;
    const { attempts } = http.limits;
    this.#isBusy = true;
    this.#mending?.stop.abort();
    for (let attempt = 1; ; attempt++) {
      this.#check(signal);
      if (this.#line?.isOpen) return this.#line;
      try {
        await this.#connected(signal);
        if (!this.#line?.isOpen) throw lost('cut', http.baseUrl.host);
      } catch (error) {
        this.#check(signal);
        if (!(error instanceof GatewayError) || attempt >= attempts) throw error;
        const wait = waitBeforeRetry(error, attempt, http.tools.random);
        if (wait === undefined) throw error;
        await pause(http.tools.clock, wait, AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])]));
      }
    }
  }

  /** Nothing is being said any more: does what had to wait for that. */
  rest(): void {
    this.#isBusy = false;
    if (this.#isDue) this.#leave();
    this.#mend();
  }

  hear(frame: Frame): void {
    if (frame.type === 'error') this.#note(errorOf(frame.body));
    this.#ear.hear(frame);
  }

  lose(why: GatewayError): void {
    this.#around.http.tools.log.info({ err: why }, 'Live connection to the gateway lost.');
    this.#leave();
    this.#ear.lose(why);
    if (!this.#isBusy) this.#mend();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#leave();
    this.#mending?.stop.abort();
    await this.#mending?.done;
  }

  #check(signal: AbortSignal | undefined): void {
    const { host } = this.#around.http.baseUrl;
    if (this.#closing.signal.aborted) throw lost('closed', host);
    if (signal?.aborted) throw lost('aborted', host, signal.reason);
  }

  /** All callers share one attempt. A caller that aborts does not wait for it. */
  async #connected(signal: AbortSignal | undefined): Promise<void> {
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    const left = Promise.withResolvers<void>();
    const leave = (): void => left.resolve();
    signal?.addEventListener('abort', leave);
    try {
      await Promise.race([this.#connecting, left.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
    }
    this.#check(signal);
  }

  async #connect(): Promise<void> {
    const { clock } = this.#around.http.tools;
    this.#leave();
    const { line, id } = await this.#connector.connect(this.#closing.signal);
    line.listen(this);
    this.#id ||= id;
    this.#line = line;
    this.#madeAt = clock.now();
    this.#isDue = false;
    this.#stopRenewal = clock.after(RENEWED_AFTER_MS, () => this.#age());
  }

  #age(): void {
    this.#isDue = true;
    if (!this.#isBusy) this.rest();
  }

  #note(error: Record<string, unknown>): void {
    const facts = { code: nameIn(error.code), type: nameIn(error.type), param: nameIn(error.param) };
    this.#around.http.tools.log.info(facts, 'The gateway reported an error in a live conversation.');
    if (asText(error.code) === EXPIRED) this.#age();
  }

  #leave(): void {
    if (!this.#line) return;
    if (this.#around.http.tools.clock.now() - this.#madeAt >= GOOD_AFTER_MS) this.#tries = 0;
    this.#stopRenewal();
    this.#line.close();
    this.#line = undefined;
  }

  #mend(): void {
    if (this.#mending || this.#closing.signal.aborted || this.#line?.isOpen) return;
    const stop = new AbortController();
    const done = this.#mended(stop.signal).finally(() => {
      this.#mending = undefined;
    });
    this.#mending = { stop, done };
  }

  async #mended(stop: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#around.http.tools;
    while (!this.#line?.isOpen && this.#tries < MOST_TRIES) {
      // Connections that were cut together do not come back together.
      const wait = random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#tries);
      this.#tries += 1;
      await pause(clock, wait, stop);
      if (stop.aborted) return;
      try {
        await this.#connected(stop);
      } catch (error) {
        if (stop.aborted) return;
        const again = error instanceof GatewayError ? waitBeforeRetry(error, 1, () => 0) : undefined;
        log.info({ err: error }, 'Reconnecting to the gateway failed.');
        if (again === undefined) return;
      }
    }
  }
}
