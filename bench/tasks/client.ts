import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { defaultSettings, openGateway } from '../../src/services/gateway/index.ts';
import { type Counted, counted } from './counted.ts';

/** The gateway client alone, in a separate process. It polls the same tasks as the engine in turn, a fixed number at once. */

export interface ClientInput {
  gatewayUrl: string;
  remoteIds: readonly string[];
  inFlight: number;
  warmUpMs: number;
  countedMs: number;
}

export interface ClientFigures extends Counted {
  polls: number;
}

const [input] = (await once(process, 'message')) as [ClientInput];
const { gatewayUrl: baseUrl, remoteIds, inFlight } = input;
const gateway = openGateway({ ...defaultSettings, baseUrl, apiKey: 'sk-sandbox', connections: inFlight });
let polls = 0;
let isOver = false;
const asking = Array.from({ length: inFlight }, ask);
await sleep(input.warmUpMs);
polls = 0;
const cost = await counted(input.countedMs);
process.send?.({ polls, ...cost } satisfies ClientFigures);
isOver = true;
await Promise.all(asking);
await gateway.close();
process.disconnect();

async function ask(): Promise<void> {
  while (!isOver) {
    polls += 1;
    await gateway.imgx.get(remoteIds[polls % remoteIds.length] ?? '', { attempts: 1 });
  }
}
