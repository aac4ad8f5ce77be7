import { expect } from 'vitest';
import { type EmbeddedGateway, type GatewayOptions, startGateway } from '../../sandbox/gateway/gateway.ts';
import { GatewayError } from '../../src/services/gateway/errors.ts';
import { createGateway, type Gateway } from '../../src/services/gateway/gateway.ts';
import type { TextResponse } from '../../src/services/gateway/response-events.ts';
import type { GatewayLimits, GatewaySettings } from '../../src/services/gateway/settings.ts';
import { defaultSettings } from '../../src/services/gateway/settings.ts';
import type { Snapshot } from '../../src/services/gateway/snapshot.ts';
import type { TextRequest } from '../../src/services/gateway/text-request.ts';
import { addCleanup } from '../support/ending.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { cachingStudio } from '../support/studio.ts';

export const profiles = ['spec', 'stock'] as const;
const key = 'sk-sandbox';

export interface Fixture {
  /** The client. */
  gateway: Gateway;
  /** The gateway that the client talks to. */
  embedded: EmbeddedGateway;
  clock: ManualClock;
  /** The log lines of the client. */
  logLines: { facts: object; message: string }[];
  /** Polls once per second of the gateway's time until the response is as expected. */
  pollUntil(poll: () => Promise<Snapshot>, isExpected?: (snapshot: Snapshot) => boolean): Promise<Snapshot>;
}

export interface FixtureOptions extends GatewayOptions {
  settings?: Partial<GatewaySettings>;
  limits?: Partial<GatewayLimits>;
}

/** Starts the client and the embedded gateway, connected by real HTTP; only the gateway's time is under the test's control. */
export async function openFixture({ settings, limits, ...options }: FixtureOptions = {}): Promise<Fixture> {
  const clock = new ManualClock();
  const studio = cachingStudio();
  addCleanup(() => studio.close());
  const embedded = await startGateway({ clock, seed: 1, studio, ...options });
  addCleanup(() => embedded.close());
  const logLines: Fixture['logLines'] = [];
  const record = (facts: object, message: string): void => {
    logLines.push({ facts, message });
  };
  const gateway = createGateway(
    { ...defaultSettings, baseUrl: embedded.url, apiKey: key, ...settings },
    { log: { info: record, warn: record } },
    { attempts: 1, readMs: 2_000, submitMs: 2_000, bodyMs: 2_000, ...limits },
  );
  addCleanup(() => gateway.close());
  return { gateway, embedded, clock, logLines, pollUntil: (poll, isExpected) => pollUntil(clock, poll, isExpected) };
}

/** Longer than any job of the embedded gateway takes. */
const MAX_SECONDS = 3_600;

async function pollUntil(
  clock: ManualClock,
  poll: () => Promise<Snapshot>,
  isExpected: (snapshot: Snapshot) => boolean = ({ state }) => state === 'succeeded' || state === 'failed',
): Promise<Snapshot> {
  for (let second = 0; second < MAX_SECONDS; second++) {
    const snapshot = await poll();
    if (isExpected(snapshot)) return snapshot;
    clock.advance(1_000);
  }
  throw new Error('The task never reached the expected state.');
}

export async function failureOf(promise: Promise<unknown>): Promise<GatewayError> {
  const outcome = await promise.then(
    (value) => new Error(`Expected a failure, but the call succeeded: ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(outcome instanceof GatewayError)) throw outcome;
  return outcome;
}

/** A text response in one piece. */
export async function responseOf(gateway: Gateway, request: TextRequest): Promise<TextResponse> {
  const events = await Array.fromAsync(gateway.responses.stream(request, { isBuffered: true }));
  const { response } = events.findLast((event) => 'response' in event) ?? {};
  if (!response || response.error) throw response?.error;
  return response;
}

/** The requests that reached the gateway at a path, newest last. */
export function requestsAt({ embedded }: Fixture, path: string): EmbeddedGateway['requests'][number][] {
  return embedded.requests.filter((one) => one.path === path);
}

export function lastRequest(fixture: Fixture, path: string): EmbeddedGateway['requests'][number] {
  const request = requestsAt(fixture, path).at(-1);
  expect(request, `a request reached ${path}`).toBeDefined();
  return request as EmbeddedGateway['requests'][number];
}

/** A red square of 2 by 2 pixels. */
export const redImage =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAEElEQVR4nGP4z8AARAwQCgAf7gP9i18U1AAAAABJRU5ErkJggg==';
