import type { REST } from '@discordjs/rest';
import { CloseCodes, WebSocketShardEvents as Events, type SessionInfo, WebSocketManager } from '@discordjs/ws';
import {
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  InteractionType,
} from 'discord-api-types/v10';
import type { Interaction } from '../interaction-facts.ts';
import type { Identity } from './identity.ts';

/** Discord does not let a bot connect again after these. */
export const FATAL_CODES: ReadonlySet<number> = new Set([
  GatewayCloseCodes.AuthenticationFailed,
  GatewayCloseCodes.InvalidShard,
  GatewayCloseCodes.ShardingRequired,
  GatewayCloseCodes.InvalidAPIVersion,
  GatewayCloseCodes.InvalidIntents,
  GatewayCloseCodes.DisallowedIntents,
]);

/** The connection on which one process receives everything for a bot. */
export class Connection {
  readonly socket: WebSocketManager;
  readonly #rest: REST;
  readonly #ended = Promise.withResolvers<number>();
  /** Resolves with the code of the close after which Discord does not serve this bot any more. */
  readonly ended = this.#ended.promise;
  #session: SessionInfo | null = null;
  #isReady = false;
  #pingMs: number | undefined;

  constructor(rest: REST, identity: Identity, intents: number) {
    this.#rest = rest;
    this.socket = new WebSocketManager({
      // Known when the connection is opened.
      token: '',
      intents,
      rest,
      shardCount: 1,
      // By default, all connections of a process would share their sessions.
      retrieveSessionInfo: () => this.#session,
      updateSessionInfo: (_, session) => {
        this.#session = session;
      },
    });
    this.socket.on(Events.Ready, ({ data }) => {
      identity.userId = data.user.id;
      identity.applicationId = data.application.id;
      this.#isReady = true;
    });
    this.socket.on(Events.Resumed, () => {
      this.#isReady = true;
    });
    this.socket.on(Events.Closed, ({ code }) => {
      this.#isReady = false;
      if (FATAL_CODES.has(code)) this.#ended.resolve(code);
    });
    this.socket.on(Events.HeartbeatComplete, ({ latency }) => {
      this.#pingMs = latency;
    });
  }

  /** Whether interactions arrive. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Undefined until Discord has acknowledged a heartbeat. */
  get pingMs(): number | undefined {
    return this.#pingMs;
  }

  onInteraction(listener: (interaction: Interaction) => void): void {
    this.socket.on(Events.Dispatch, ({ data: { t: event, d: interaction } }) => {
      if (event === GatewayDispatchEvents.InteractionCreate && interaction.type !== InteractionType.Ping)
        listener(interaction);
    });
  }

  /** Calls the listener with everything but interactions. */
  onOther(listener: (packet: GatewayDispatchPayload) => void): void {
    this.socket.on(Events.Dispatch, ({ data: packet }) => {
      if (packet.t !== GatewayDispatchEvents.InteractionCreate) listener(packet);
    });
  }

  async open(token: string): Promise<void> {
    this.#rest.setToken(token);
    this.socket.options.token = token;
    await this.socket.connect();
  }

  async close(): Promise<void> {
    // A listener would take this for a connection that is about to come back.
    this.socket.removeAllListeners(Events.Closed);
    this.#isReady = false;
    await this.socket.destroy({ code: CloseCodes.Normal });
  }
}
