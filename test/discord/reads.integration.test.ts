import { REST } from '@discordjs/rest';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import type { InteractionFacts } from '../../src/discord/interaction-facts.ts';
import type { DiscordClients } from '../../src/discord/outbox/clients.ts';
import { createCommandLookup, DiscordReader } from '../../src/discord/reads.ts';
import { ManualClock } from '../support/manual-clock.ts';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Starts a server that returns application information as Discord does. */
async function openApplication(respond: () => { status: number; body: object }) {
  const server = Fastify();
  let requestCount = 0;
  server.get('/v10/applications/@me', (_request, reply) => {
    requestCount++;
    const { status, body } = respond();
    return reply.code(status).send(body);
  });
  const api = await server.listen({ port: 0, host: '127.0.0.1' });
  closers.push(() => server.close());
  const warnings: string[] = [];
  const reader = new DiscordReader(new REST({ api, retries: 0 }).setToken('token'), {
    info: () => undefined,
    warn: (_facts, message) => warnings.push(message),
    error: () => undefined,
  });
  const isOperator = async (id: string): Promise<boolean> => (await reader.owners()).has(id);
  return { isOperator, warned: warnings, queryCount: () => requestCount };
}

it('The owner of an application is the operator, and Discord is queried once', async () => {
  const { isOperator, queryCount } = await openApplication(() => ({
    status: 200,
    body: { owner: { id: '1' }, team: null },
  }));
  expect(await Promise.all(['1', '2', '1'].map(isOperator))).toEqual([true, false, true]);
  expect(queryCount()).toBe(1);
});

it('All accepted members of the owning team are operators, and invited ones are not', async () => {
  const members = [
    { membership_state: 2, user: { id: '1' } },
    { membership_state: 1, user: { id: '2' } },
  ];
  const body = { owner: { id: '9' }, team: { members } };
  const { isOperator } = await openApplication(() => ({ status: 200, body }));
  expect(await Promise.all(['1', '2', '9'].map(isOperator))).toEqual([true, false, false]);
});

it('There is no operator while Discord does not respond, and the request is repeated', async () => {
  let isUp = false;
  const { isOperator, warned: warnings } = await openApplication(() =>
    isUp ? { status: 200, body: { owner: { id: '1' } } } : { status: 500, body: {} },
  );
  expect(await isOperator('1')).toBe(false);
  expect(warnings).toHaveLength(1);
  isUp = true;
  expect(await isOperator('1')).toBe(true);
});

it('The registered commands are cached for a limited number of servers, and the oldest are read again', async () => {
  const paths: string[] = [];
  const reads = { get: async (path: string) => paths.push(path) && [] };
  const clients = { identity: { applicationId: '1' }, reads } as unknown as DiscordClients;
  const lookUp = createCommandLookup(clients, [], new ManualClock());
  const readOf = async (server: number): Promise<number> => {
    const countBefore = paths.length;
    await lookUp({ guildId: String(server), install: 'guild' } as InteractionFacts);
    return paths.length - countBefore;
  };
  for (let server = 0; server <= 500; server++) expect(await readOf(server)).toBe(2);
  expect(await readOf(500)).toBe(0);
  expect(await readOf(1)).toBe(0);
  expect(await readOf(0)).toBe(2);
});
