import { BlockList, isIP } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import type { PlainLog } from '../../lib/log.ts';
import { GatewayError } from './errors.ts';

/** Where the gateway is and how it spells what the specification leaves open. */
export interface GatewaySettings {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The most connections held to the gateway: at least requests per second times seconds per answer. */
  readonly connections: number;
  readonly paths: Readonly<Record<'imgx' | 'music' | 'videoa' | 'compat', string>>;
  readonly fields: {
    readonly referenceVideos: string;
    readonly referenceAudios: string;
    /** Unset: the face check is never sent, and the gateway's default holds. */
    readonly faceCheck?: string | undefined;
    readonly describePictures: string;
  };
  readonly simpleChangeOrder: 'action-first' | 'id-first';
  /** Some proxies in front of a gateway decode `%2F` in a path and lose the route; those want `plain`. */
  readonly modelSlashes: 'encoded' | 'plain';
  /** Older gateways open live conversations only where this is announced, and newer ones refuse those that announce it. */
  readonly realtimeBeta: boolean;
}

export const defaultSettings = {
  connections: 32,
  paths: { imgx: '/imgx', music: '/music', videoa: '/videoa', compat: '/v1beta/compat' },
  fields: {
    referenceVideos: 'reference_video_urls',
    referenceAudios: 'reference_audio_urls',
    describePictures: 'base64Array',
  },
  simpleChangeOrder: 'action-first',
  modelSlashes: 'encoded',
  realtimeBeta: false,
} as const satisfies Omit<GatewaySettings, 'baseUrl' | 'apiKey'>;

export const defaultLimits = {
  connectMs: 5_000,
  /** Until the first byte of an answer to a question. */
  readMs: 15_000,
  /** Until the first byte of an answer to a submit: a gateway may speak to its own upstream first. */
  submitMs: 90_000,
  /** Between two pieces of a body. */
  bodyMs: 30_000,
  /** Until the first byte of a text answer that comes whole: it is written to its end first. */
  wholeTextMs: 300_000,
  /** Between two pieces of an answer that comes as it is made: a model may think long without a word. */
  silenceMs: 120_000,
  /** A 4K picture as base64 is about 30 MB. */
  answerBytes: 96 * 1024 * 1024,
  /** How often a read is tried in all. */
  attempts: 3,
};

/** How long the client waits, and how much it takes. */
export type GatewayLimits = Readonly<typeof defaultLimits>;

/** What the client needs from outside; each has a working default. */
export interface GatewayTools {
  readonly log: Pick<PlainLog, 'info' | 'warn'>;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Where the gateway is; with credentials in it an address would end up in logs. */
export function baseOf(text: string): URL {
  const url = URL.parse(text);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '') return url;
  throw new GatewayError('The gateway needs an address such as https://gateway.example.', { kind: 'invalid' });
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether prompts and the key travel to another machine where everybody on the way can read them, in a private network as well. */
export function isReadableOnTheWay({ protocol, hostname }: URL): boolean {
  if (protocol !== 'http:') return false;
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return false;
  const family = isIP(host);
  return family === 0 || !LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}
