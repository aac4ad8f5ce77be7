import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type REST, Routes } from 'discord.js';
import { openDiscordClients } from '../../src/discord/outbox/clients.ts';
import type { Served } from './orders.ts';

export type Editor = 'default' | 'bot';

export interface Assignment {
  editor: Editor;
  served: Served;
  tokens: readonly string[];
}

export interface EditFigures {
  perSecond: number;
  cpuMicrosPerEdit: number;
}

/** More requests than one process can have open at once, and fewer than there are tokens. */
const IN_FLIGHT = 64;
/** A default client sends the requests of one second at once before it begins to wait, and such a burst must not count as a rate. */
const BURST_MS = 1_500;
const COUNTED_MS = 2_000;

const [assignment] = (await once(process, 'message')) as [Assignment];
const { served, tokens } = assignment;
const rest = restOf(assignment);

let edits = 0;
const over = new AbortController();
let next = 0;
const working = Array.from({ length: IN_FLIGHT }, work);
await sleep(BURST_MS);
const editsBefore = edits;
const cpuBefore = process.cpuUsage();
const start = performance.now();
await sleep(COUNTED_MS);
const seconds = (performance.now() - start) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const counted = edits - editsBefore;
over.abort();
process.send?.({ perSecond: counted / seconds, cpuMicrosPerEdit: (user + system) / counted } satisfies EditFigures);
// Requests still queued in a default client no longer count, but a failure among them would.
await Promise.all(working);

async function work(): Promise<void> {
  while (!over.signal.aborted) {
    const token = tokens[next++ % tokens.length] ?? '';
    await rest.patch(Routes.webhookMessage(served.applicationId, token), {
      body: { content: `Drawing: ${next % 100} %` },
      auth: false,
    });
    edits += 1;
  }
}

/** The edit of discord.js (`Webhook#editMessage`) is this same request, without the bot's token too. */
function restOf({ editor, served: { apiUrl, token } }: Assignment): REST {
  if (editor === 'bot') return openDiscordClients(apiUrl).tokenRest;
  return new Client({ intents: [], rest: { api: apiUrl, version: '10' } }).rest.setToken(token);
}
