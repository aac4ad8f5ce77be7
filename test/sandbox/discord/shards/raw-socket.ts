import { expect, onTestFinished } from 'vitest';
import type { EmbeddedDiscord } from '../../../../sandbox/discord/discord.ts';

export interface Packet {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  readonly d: unknown;
}

/** A gateway connection that uses no Discord library. */
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

  static async open(discord: EmbeddedDiscord, url = discord.gatewayUrl): Promise<RawSocket> {
    const socket = new RawSocket(url);
    onTestFinished(() => socket.close(1000));
    await socket.waitForPacket(({ op }) => op === 10);
    return socket;
  }

  /** Connects, identifies and waits for the outcome: READY, an invalid session or a close code. */
  static async identify(discord: EmbeddedDiscord, shard?: unknown, intents = 0): Promise<RawSocket> {
    const socket = await RawSocket.open(discord);
    socket.send(2, { token: discord.token, intents, properties: {}, shard });
    await socket.#waitForOutcome('READY');
    return socket;
  }

  static async resume(discord: EmbeddedDiscord, { sessionId: session_id, resumeUrl }: RawSocket, seq: unknown) {
    const socket = await RawSocket.open(discord, resumeUrl);
    socket.send(6, { token: discord.token, session_id, seq });
    await socket.#waitForOutcome('RESUMED');
    return socket;
  }

  get readyData(): Record<string, unknown> {
    return this.packets.find(({ t }) => t === 'READY')?.d as Record<string, unknown>;
  }

  get sessionId(): string {
    return String(this.readyData.session_id);
  }

  get resumeUrl(): string {
    return String(this.readyData.resume_gateway_url);
  }

  /** The names of the dispatched events. */
  get events(): unknown[] {
    return this.packets.filter(({ op }) => op === 0).map(({ t }) => t);
  }

  /** The data of the received INVALID_SESSION packets: whether the session can be resumed. */
  get invalidSessions(): unknown[] {
    return this.packets.filter(({ op }) => op === 9).map(({ d }) => d);
  }

  send(op: number, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }

  /** Closes the connection and waits until the server has noticed it. */
  async close(code: number): Promise<void> {
    if (this.closeCode !== undefined) return;
    this.#socket.close(code);
    await this.waitForClose();
  }

  async waitForClose(): Promise<number> {
    await expect.poll(() => this.closeCode, { interval: 5 }).toBeDefined();
    return this.closeCode ?? Number.NaN;
  }

  async waitForPacket(isExpected: (packet: Packet) => boolean): Promise<void> {
    await expect.poll(() => this.packets.some(isExpected), { interval: 5 }).toBe(true);
  }

  async #waitForOutcome(event: string): Promise<void> {
    const hasOutcome = () =>
      this.closeCode !== undefined || this.invalidSessions.length > 0 || this.events.includes(event);
    await expect.poll(hasOutcome, { interval: 5 }).toBe(true);
  }
}
