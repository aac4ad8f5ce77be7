import { BlockList, isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { GatewayError } from './errors.ts';

/** The gateway's URL and key, and its variants of what the specification leaves open. */
export interface GatewaySettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The limit on connections. It should be at least the requests per second times the seconds per response. */
  readonly connections: number;
  readonly paths: Readonly<Record<'imgx' | 'music' | 'videoa' | 'compat', string>>;
  readonly fields: {
    /** If undefined, reference videos are sent among the images (4.4). */
    readonly referenceVideos?: string | undefined;
    readonly referenceAudios: string;
    /** If undefined, the option is not sent, and the gateway's default applies. */
    readonly faceCheck?: string | undefined;
    readonly describeField: string;
    /** The field for the pseudonym of the requester. If undefined, it is not sent. */
    readonly user?: string | undefined;
  };
  /** The fields for a callback URL, if this gateway has them. The image-prompt family has its own (4.3). */
  readonly callbackFields?: Readonly<Partial<Record<'music' | 'video', string>>>;
  /** How `/v1/videos` accepts its fields: as JSON, or as a form with files. */
  readonly videosBody: 'json' | 'form';
  readonly simpleChangeOrder: 'action-first' | 'id-first';
  /** Some proxies decode `%2F` in a path and then do not find the route; those need `plain`. */
  readonly modelSlashes: 'encoded' | 'plain';
  /** Whether to send the beta header for live conversations, which older gateways require and newer ones refuse. */
  readonly realtimeBeta: boolean;
}

export const defaultSettings = {
  connections: 32,
  paths: { imgx: '/imgx', music: '/music', videoa: '/videoa', compat: '/v1beta/compat' },
  fields: {
    referenceAudios: 'reference_audio_urls',
    describeField: 'base64Array',
  },
  videosBody: 'json',
  simpleChangeOrder: 'action-first',
  modelSlashes: 'encoded',
  realtimeBeta: false,
} as const satisfies Omit<GatewaySettings, 'baseUrl' | 'apiKey'>;

export const defaultGatewayLimits = {
  connectMs: 5_000,
  /** The wait for the first byte of the response to a read. */
  readMs: 15_000,
  /** The wait for the first byte of the response to a submit. The gateway may call its own upstream first. */
  submitMs: 90_000,
  /** The longest pause between two chunks of a body. */
  bodyMs: 30_000,
  /** The wait for the first byte of a text response that is not streamed, because it is only sent once it is complete. */
  wholeTextMs: 300_000,
  /** The longest pause between two chunks of a stream. A model may think for a long time. */
  silenceMs: 120_000,
  /** The limit for a whole stream, because a gateway may send comments without end. */
  streamMs: 30 * 60_000,
  /** The limit for any other whole body. */
  wholeBodyMs: 10 * 60_000,
  /** The size limit of a response; a 4K image as base64 takes up about 30 MB. */
  responseBytes: 96 * 1024 * 1024,
  /** Total attempts of a read. */
  attempts: 3,
};

export type GatewayLimits = Readonly<typeof defaultGatewayLimits>;

export interface GatewayParts {
  readonly log: Pick<PlainLog, 'info' | 'warn'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Shared with other clients, and closed by their owner. Undefined if this client has its own. */
  readonly connections?: SharedConnections | undefined;
}

interface SharedConnections {
  readonly dispatcher: Dispatcher;
  /** When the gateway last responded and accepted the key, or undefined if it has not yet. */
  answeredAt?: number | undefined;
  /** When the gateway last rejected the key, or undefined if it has not yet. */
  keyRejectedAt?: number | undefined;
  close(): Promise<void>;
}

/** Refuses credentials in the URL, because they would end up in logs. A trailing `/v1` is removed, because every path of the client begins with its version. */
export function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '')
    return new URL(url.pathname.replace(/\/v1\/?$/, '/'), url);
  throw new GatewayError('The gateway needs a URL such as https://gateway.example.', { kind: 'invalid' });
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether prompts and the key travel unencrypted to another machine, even in a private network. */
export function isUnencrypted({ protocol, hostname }: URL): boolean {
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return false;
  const family = isIP(host);
  return family === 0 || !LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
