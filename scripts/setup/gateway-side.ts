import { terminalSafe } from '../../src/lib/text.ts';
import type { Model } from '../../src/services/gateway/endpoints/models.ts';
import { GatewayError, mayBeUnknownPath } from '../../src/services/gateway/errors.ts';
import { createGateway, type Gateway } from '../../src/services/gateway/gateway.ts';
import {
  guessKind,
  type KindOverrides,
  type ModelKind,
  overriddenKind,
} from '../../src/services/gateway/model-families.ts';
import type { GatewaySettings } from '../../src/services/gateway/settings.ts';
import { EX_CONFIG, EX_NOPERM, EX_TEMPFAIL, Stop } from '../usage.ts';

const TIME_LIMIT_MS = 15_000;
/** No gateway has a task with this id. */
const UNKNOWN_ID = 'atelier-setup-check';
/** Where stock gateways publish their prices. */
export const USUAL_PRICING_PATH = '/api/pricing';

export type GatewayReport = Awaited<ReturnType<typeof examineGateway>>;

/** Finds out what the gateway offers, only with reads, which cost nothing. Throws if it does not list its models. */
export async function examineGateway(
  settings: GatewaySettings & { pricing: { path?: string } },
  warn: (warning: string) => void,
) {
  const log = { info: () => undefined, warn: (_facts: unknown, text: string) => warn(text) };
  const gateway = createGateway(settings, { log });
  try {
    const models = await gateway.models.list(once());
    const families = await Promise.all(
      Object.entries(reads).map(async ([name, read]) => ({
        name,
        isOffered: isOffered(await responseTo(read(gateway))),
      })),
    );
    const prices = await responseTo(gateway.prices.get(settings.pricing.path ?? USUAL_PRICING_PATH, once()));
    return { models, families, prices: prices instanceof GatewayError ? undefined : prices };
  } finally {
    await gateway.close();
  }
}

const once = () => ({ attempts: 1, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
const today = (): string => new Date().toISOString().slice(0, 10);

/** A read of each family of endpoints, by the commands that need it. */
const reads: Readonly<Record<string, (gateway: Gateway) => Promise<unknown>>> = {
  '/imagine, /describe, /shorten, /blend': ({ imgx }) => imgx.get(UNKNOWN_ID, once()),
  '/image': ({ imageJobs }) => imageJobs.get(UNKNOWN_ID, once()),
  '/video': ({ videos }) => videos.get(UNKNOWN_ID, once()),
  '/music': ({ music }) => music.get(UNKNOWN_ID, once()),
  '/finetune': ({ fineTunes }) => fineTunes.events(UNKNOWN_ID, once()),
  '/usage': ({ usage }) => usage.get({ start: today(), end: today() }, once()),
};

const responseTo = <Response>(read: Promise<Response>): Promise<Response | GatewayError> =>
  read.catch((error: unknown) => {
    if (error instanceof GatewayError) return error;
    throw error;
  });

/** A gateway that has the endpoint names a code for an unknown task. Undefined if its response allows no conclusion. */
function isOffered(response: unknown): boolean | undefined {
  if (!(response instanceof GatewayError)) return true;
  if (mayBeUnknownPath(response) || (response.status === 404 && response.code === undefined)) return false;
  return ['not-found', 'invalid', 'forbidden', 'quota'].includes(response.kind) ? true : undefined;
}

export const modelsOfKind = (kind: ModelKind, models: readonly Model[], overrides: KindOverrides): Model[] =>
  models.filter((model) => (overriddenKind(model.id, overrides) ?? guessKind(model)) === kind);

const KEY_ADVICE =
  'It may be mistyped, expired or without credit. Check it on the gateway’s website, or create a new one.';
const ADDRESS_ADVICE = 'Enter the address that the gateway gives for programs, with or without /v1 at its end.';

/** What went wrong, why, and what to do, with the exit code. */
export function explainGatewayError(error: GatewayError, baseUrl: string): Stop {
  const words = terminalSafe(error.message).replace(/\.$/, '');
  if (['unauthorized', 'forbidden', 'quota'].includes(error.kind))
    return new Stop(EX_NOPERM, `The gateway rejects the key (${words}). ${KEY_ADVICE}`);
  if (error.code === 'aborted')
    return new Stop(
      EX_TEMPFAIL,
      `The gateway at ${baseUrl} did not list its models within ${TIME_LIMIT_MS / 1_000} seconds. Check the address, or try again later.`,
    );
  if (mayBeUnknownPath(error) || error.status === 404 || error.kind === 'malformed')
    return new Stop(EX_CONFIG, `There is no gateway at ${baseUrl} (${words}). ${ADDRESS_ADVICE}`);
  return new Stop(EX_TEMPFAIL, `${words}. Check the address and the network, or try again later.`);
}
