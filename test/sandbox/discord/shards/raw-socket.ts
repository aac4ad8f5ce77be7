import { expect, onTestFinished } from 'vitest';
import type { EmbeddedDiscord } from '../../../../sandbox/discord/discord.ts';

export interface Packet {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  readonly d: unknown;
}

/** A gateway connection without a library. */
export class RawSocket {
  readonly #socket: WebSocket;
  readonly packets: Packet[] = [];
  closeCode: number | undefined;

  private constructor(url: string) {
    this.#socket = new WebSocket(`${url}?v=10&encoding=json`);
    this.#socket.onmessage = ({ data }) => this.packets.push(JSON.parse(String(data)) as Packet);
    this.#socket.onclose = ({ code }) => {
      this.closeCode = code;
    };
  }

  static async open(
    discord: EmbeddedDiscord,
    url = `${discord.url.replace('http', 'ws')}/gateway`,
  ): Promise<RawSocket> {
    const one = new RawSocket(url);
    onTestFinished(() => one.close(1000));
    await one.receives(({ op }) => op === 10);
    return one;
  }

  /** Connects, identifies and returns what follows: READY, an invalid session or a close code. */
  static async identify(discord: EmbeddedDiscord, shard?: unknown): Promise<RawSocket> {
    const one = await RawSocket.open(discord);
    one.send(2, { token: discord.token, intents: 0, properties: {}, shard });
    await one.#decided('READY');
    return one;
  }

  static async resume(discord: EmbeddedDiscord, { sessionId: session_id, resumeUrl }: RawSocket, seq: unknown) {
    const one = await RawSocket.open(discord, resumeUrl);
    one.send(6, { token: discord.token, session_id, seq });
    await one.#decided('RESUMED');
    return one;
  }

  get ready(): Record<string, unknown> {
    return this.packets.find(({ t }) => t === 'READY')?.d as Record<string, unknown>;
  }

  get sessionId(): string {
    return String(this.ready.session_id);
  }

  get resumeUrl(): string {
    return String(this.ready.resume_gateway_url);
  }

  /** The names of the dispatched events. */
  get events(): unknown[] {
    return this.packets.filter(({ op }) => op === 0).map(({ t }) => t);
  }

  /** The values of the invalid sessions that were received. */
  get invalid(): unknown[] {
    return this.packets.filter(({ op }) => op === 9).map(({ d }) => d);
  }

  send(op: number, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }

  /** Closes the connection and waits until the server has noticed it. */
  async close(code: number): Promise<void> {
    if (this.closeCode !== undefined) return;
    this.#socket.close(code);
    await this.closes();
  }

  async closes(): Promise<number> {
    await expect.poll(() => this.closeCode, { interval: 5 }).toBeDefined();
    return this.closeCode ?? Number.NaN;
  }

  async receives(wanted: (packet: Packet) => boolean): Promise<void> {
    await expect.poll(() => this.packets.some(wanted), { interval: 5 }).toBe(true);
  }

  async #decided(event: string): Promise<void> {
    const isDecided = () => this.closeCode !== undefined || this.invalid.length > 0 || this.events.includes(event);
    await expect.poll(isDecided, { interval: 5 }).toBe(true);
  }
}
