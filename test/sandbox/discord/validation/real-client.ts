import { Client, type ClientOptions } from 'discord.js';

const APPLICATION_ID = '100000000000000001';
const CHANNEL_ID = '100000000000000004';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const MESSAGE = {
  id: '100000000000000009',
  channel_id: CHANNEL_ID,
  type: 0,
  content: '',
  attachments: [],
  embeds: [],
  author: { id: APPLICATION_ID, username: 'atelier' },
};

/** A discord.js client that collects its requests, parsed as Discord would parse them. */
export function createRecordingClient(options: Partial<ClientOptions> = {}): { client: Client; sent: SentRequest[] } {
  const sent: SentRequest[] = [];
  const client = new Client({
    intents: [],
    allowedMentions: { parse: [] },
    rest: {
      makeRequest: async (url, init) => {
        const raw = init.body instanceof FormData ? init.body.get('payload_json') : init.body;
        const body: unknown = typeof raw === 'string' ? JSON.parse(raw) : undefined;
        sent.push({ method: String(init.method), path: decodeURIComponent(new URL(url).pathname), body });
        const responseBody = init.method === 'PUT' ? [] : MESSAGE;
        return new Response(JSON.stringify(responseBody), { headers: { 'content-type': 'application/json' } });
      },
    },
    ...options,
  });
  client.token = 'token';
  client.rest.setToken('token');
  return { client, sent };
}

/** A raw interaction from which discord.js creates its object. */
export const rawInteraction = (type: number, data: object): object => ({
  id: '100000000000000002',
  application_id: APPLICATION_ID,
  type,
  token: 'interaction-token',
  version: 1,
  channel: { id: CHANNEL_ID, type: 1 },
  channel_id: CHANNEL_ID,
  user: { id: '100000000000000005', username: 'member', discriminator: '0', avatar: null },
  locale: 'en-US',
  entitlements: [],
  authorizing_integration_owners: {},
  attachment_size_limit: 10_485_760,
  data,
});

/** Serializes a body: `toJSON` is called and undefined keys are dropped. */
export const toSentBody = (body: unknown): unknown => JSON.parse(JSON.stringify(body));
