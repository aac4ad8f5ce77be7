import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type REST, Routes } from 'discord.js';
import { createDiscordClients } from '../../src/discord/outbox/clients.ts';
import type { ServerInfo } from './protocol.ts';

export type Editor = 'default' | 'bot';

export interface Assignment {
  editor: Editor;
  serverInfo: ServerInfo;
  tokens: readonly string[];
}

export interface EditFigures {
  perSecond: number;
  cpuMicrosPerEdit: number;
}

/** More requests than one process can have open at once, and fewer than there are tokens. */
const REQUESTS_IN_FLIGHT = 64;
/** A default client sends a second's worth of requests at once before it begins to wait, and that burst must not count as its rate. */
const BURST_MS = 1_500;
const MEASURED_MS = 2_000;

const [assignment] = (await once(process, 'message')) as [Assignment];
const { serverInfo, tokens } = assignment;
const rest = restOf(assignment);

let completedEdits = 0;
const controller = new AbortController();
let nextIndex = 0;
const editLoops = Array.from({ length: REQUESTS_IN_FLIGHT }, work);
await sleep(BURST_MS);
const editsBefore = completedEdits;
const cpuBefore = process.cpuUsage();
const start = performance.now();
await sleep(MEASURED_MS);
const seconds = (performance.now() - start) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const editCount = completedEdits - editsBefore;
controller.abort();
process.send?.({ perSecond: editCount / seconds, cpuMicrosPerEdit: (user + system) / editCount } satisfies EditFigures);
// Requests still queued in a default client are no longer counted, but a failure among them still fails the benchmark.
await Promise.all(editLoops);

async function work(): Promise<void> {
  while (!controller.signal.aborted) {
    const token = tokens[nextIndex++ % tokens.length] ?? '';
    await rest.patch(Routes.webhookMessage(serverInfo.applicationId, token), {
      body: { content: `Drawing: ${nextIndex % 100} %` },
      auth: false,
    });
    completedEdits += 1;
  }
}

/** `Webhook#editMessage` of discord.js sends the same request, also without the bot's token. */
function restOf({ editor, serverInfo: { apiUrl, token } }: Assignment): REST {
  if (editor === 'bot') return createDiscordClients(apiUrl).tokenRest;
  return new Client({ intents: [], rest: { api: apiUrl, version: '10' } }).rest.setToken(token);
}
