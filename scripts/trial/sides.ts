import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import type { WebSocket } from 'ws';
import { createDiscordClients, type DiscordClients } from '../../src/discord/outbox/clients.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { isRecord } from '../../src/lib/exact-json.ts';
import { GatewayConnections } from '../../src/services/gateway/connections.ts';
import { Realtime } from '../../src/services/gateway/endpoints/realtime.ts';
import { createGateway, type Gateway } from '../../src/services/gateway/gateway.ts';
import { GatewayHttp, type GatewayRequest } from '../../src/services/gateway/http.ts';
import { parseJson } from '../../src/services/gateway/places.ts';
import { defaultGatewayLimits, type GatewayParts, type GatewaySettings } from '../../src/services/gateway/settings.ts';
import type { Recorder } from './recorder.ts';
import { discordRoutes, gatewayRoutes } from './routes.ts';

/** The bot's own client of the gateway, with everything that it receives recorded. */
export function openGateway(settings: GatewaySettings, recorder: Recorder, clock: Clock = systemClock): Gateway {
  const connections = new GatewayConnections(settings);
  const log = { info: () => undefined, warn: () => undefined };
  const parts: GatewayParts = {
    log,
    clock,
    random: Math.random,
    connections: {
      dispatcher: connections.dispatcher.compose(recorder.interceptorFor(gatewayRoutes(settings))),
      close: () => connections.close(),
    },
  };
  const gateway = createGateway(settings, parts);
  const realtime = new Realtime(new RecordingHttp(settings, parts, recorder), settings);
  return {
    ...gateway,
    realtime,
    close: async () => {
      await realtime.close();
      await gateway.close();
      await connections.close();
    },
  };
}

/** Records the events of live conversations, which do not go through a dispatcher. */
class RecordingHttp extends GatewayHttp {
  readonly #recorder: Recorder;

  constructor(settings: GatewaySettings, parts: GatewayParts, recorder: Recorder) {
    super(settings, defaultGatewayLimits, parts);
    this.#recorder = recorder;
  }

  override async socket(request: GatewayRequest): Promise<WebSocket> {
    const socket = await super.socket(request);
    const frames: { type: string; body: unknown }[] = [];
    this.#recorder.openEvents('SOCKET /v1/realtime', '101', frames);
    socket.on('message', (data) => {
      const body = parseJson(String(data));
      frames.push({ type: isRecord(body) && typeof body.type === 'string' ? body.type : '', body });
    });
    return socket;
  }
}

/** The bot's own clients of Discord, with everything that they receive recorded. `close` stops the recording too. */
export function openDiscord(
  apiUrl: string,
  token: string,
  recorder: Recorder,
): { clients: DiscordClients; close(): Promise<void> } {
  const before = getGlobalDispatcher();
  const agent = new Agent();
  // The clients of the bot use the dispatcher of the process.
  setGlobalDispatcher(agent.compose(recorder.interceptorFor(discordRoutes(apiUrl))));
  const clients = createDiscordClients(apiUrl);
  clients.rest.setToken(token);
  return {
    clients,
    close: async () => {
      setGlobalDispatcher(before);
      await clients.close();
      await agent.close();
    },
  };
}
