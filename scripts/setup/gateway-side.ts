import { terminalSafe } from '../../src/lib/text.ts';
import type { Model } from '../../src/services/gateway/endpoints/models.ts';
import { GatewayError, mayBeUnknownPath } from '../../src/services/gateway/errors.ts';
import { createGateway, type Gateway } from '../../src/services/gateway/gateway.ts';
import type { PriceList } from '../../src/services/gateway/price-list.ts';
import type { GatewaySettings } from '../../src/services/gateway/settings.ts';

const TIME_LIMIT_MS = 15_000;
/** No gateway has a task with this id. */
const UNKNOWN_ID = 'atelier-setup-check';
/** Where stock gateways publish their prices. */
export const USUAL_PRICING_PATH = '/api/pricing';

export interface GatewayReport {
  models: readonly Model[];
  /** By the name of the family. */
  families: readonly (readonly [name: string, answer: Answer])[];
  prices: PriceList | undefined;
}

type Answer = 'yes' | 'no' | 'unclear';

/** Asks the gateway what it offers, with reads alone: none of them costs anything. Throws if it does not list its models. */
export async function examineGateway(
  settings: GatewaySettings & { pricing: { path?: string } },
  warn: (warning: string) => void,
): Promise<GatewayReport> {
  const log = { info: () => undefined, warn: (_facts: unknown, text: string) => warn(text) };
  const gateway = createGateway(settings, { log });
  try {
    const models = await gateway.models.list(once());
    const families = await Promise.all(
      Object.entries(reads).map(async ([name, read]) => [name, await answerTo(read(gateway))] as const),
    );
    const prices = await gateway.prices.get(settings.pricing.path ?? USUAL_PRICING_PATH, once()).catch(noList);
    return { models, families, prices };
  } finally {
    await gateway.close();
  }
}

const once = () => ({ attempts: 1, signal: AbortSignal.timeout(TIME_LIMIT_MS) });
const today = (): string => new Date().toISOString().slice(0, 10);

/** A read of each family: a gateway that has the family responds that it does not know the task. */
const reads: Readonly<Record<string, (gateway: Gateway) => Promise<unknown>>> = {
  '/imagine, /describe, /shorten, /blend': ({ imgx }) => imgx.get(UNKNOWN_ID, once()),
  '/image': ({ imageJobs }) => imageJobs.get(UNKNOWN_ID, once()),
  '/video': ({ videos }) => videos.get(UNKNOWN_ID, once()),
  '/music': ({ music }) => music.get(UNKNOWN_ID, once()),
  '/finetune': ({ fineTunes }) => fineTunes.events(UNKNOWN_ID, once()),
  '/usage': ({ usage }) => usage.get({ start: today(), end: today() }, once()),
};

async function answerTo(read: Promise<unknown>): Promise<Answer> {
  try {
    await read;
    return 'yes';
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // A gateway that has the family names a code for an unknown task.
    if (mayBeUnknownPath(error) || (error.status === 404 && error.code === undefined)) return 'no';
    return ['unavailable', 'unreachable', 'malformed', 'rate-limited'].includes(error.kind) ? 'unclear' : 'yes';
  }
}

function noList(error: unknown): undefined {
  if (!(error instanceof GatewayError)) throw error;
  return undefined;
}

/** What went wrong, why, and what to do, with the exit code. The gateway's own words are cleaned by the client. */
export function explainGatewayError(error: GatewayError, baseUrl: string): { code: number; sentence: string } {
  const words = terminalSafe(error.message).replace(/\.$/, '');
  if (mayBeUnknownPath(error) || error.kind === 'not-found' || error.status === 404) {
    const what = error.code === 'web_page' ? 'is a web page' : 'does not exist';
    return {
      code: 78,
      sentence: `There is no gateway at ${baseUrl}: ${baseUrl}/v1/models ${what}. Enter the address that the gateway’s documentation gives for programs, with or without /v1 at its end.`,
    };
  }
  switch (error.kind) {
    case 'unauthorized':
      return {
        code: 77,
        sentence: `The gateway rejects the key (${words}). It may be mistyped, expired or deleted. Create a new one on the gateway’s website.`,
      };
    case 'forbidden':
    case 'quota':
      return {
        code: 77,
        sentence: `The gateway does not let this key list models (${words}). Check the key and the account’s balance on the gateway’s website.`,
      };
    case 'unreachable':
      return { code: 75, sentence: `${words}. Check the address, and the network of this machine.` };
    case 'malformed':
      return { code: 78, sentence: `${words}. Check that ${baseUrl} is the address of a gateway.` };
    default:
      return { code: 75, sentence: `The gateway cannot be used at the moment (${words}). Try again later.` };
  }
}
