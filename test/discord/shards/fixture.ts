import { GatewayDispatchEvents, type GatewayDispatchPayload } from 'discord.js';
import { expect, onTestFinished } from 'vitest';
import type { Actor } from '../../../sandbox/discord/actor.ts';
import { type EmbeddedDiscord, startDiscord } from '../../../sandbox/discord/discord.ts';
import type { DiscordOptions } from '../../../sandbox/discord/options.ts';
import { createDiscordClients } from '../../../src/discord/outbox/clients.ts';
import { openShards } from '../../../src/discord/shards/open-shards.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { nameHolder } from '../../../src/services/store/holder.ts';
import { openSharedFacts } from '../../../src/services/store/partitions.ts';
import type { SharedFacts } from '../../../src/services/store/shared-facts.ts';
import { joinGuildOn, registerCommand } from '../../sandbox/discord/shards/fixture.ts';
import type { TestStore } from '../../services/store/sites.ts';

export const SHARD_COUNT = 4;
/** Longer than any test, so that no claim expires because a machine is busy. */
export const LEASE_MS = 600_000;
/** For processes whose claims expire in a test. */
export const SHORT_LEASE_MS = 5_000;
/** Most tests need no turns to identify, which last five seconds. */
const SHORT_TURN_MS = 250;

export type ShardsParts = Parameters<typeof openShards>[0];

export interface Fixture {
  discord: EmbeddedDiscord;
  store: TestStore;
  /** One guild on each shard, in which a member uses commands. */
  speakers: Actor[];
  /** The interactions that Discord has sent, by id. */
  sent: Set<string>;
  /** The log lines of all processes. */
  logged: string[];
  facts: SharedFacts;
}

export async function createFixture(store: TestStore, { limits, ...options }: DiscordOptions = {}): Promise<Fixture> {
  const discord = await startDiscord({
    shards: SHARD_COUNT,
    guilds: SHARD_COUNT,
    ...options,
    limits: { maxConcurrency: 16, identifyWindowMs: 0, ...limits },
  });
  onTestFinished(() => discord.close());
  await registerCommand(discord);
  const sent = new Set<string>();
  discord.listen(({ kind, what }) => {
    if (kind !== 'gateway') return;
    const { event, data } = what as { event: string; data: { id: string } };
    if (event === GatewayDispatchEvents.InteractionCreate) sent.add(data.id);
  });
  const facts = await openFacts(store);
  const speakers = Array.from({ length: SHARD_COUNT }, (_, id) => joinGuildOn(discord, id, SHARD_COUNT).speaker);
  const setup = { discord, store, facts, speakers, sent, logged: [] };
  onTestFinished(() => assertNoSecretLogged(setup));
  return setup;
}

export async function openFacts({ url, scheme, log }: TestStore, maxTurnMs = SHORT_TURN_MS): Promise<SharedFacts> {
  const facts = await openSharedFacts({ url, scheme }, { log, clock: systemClock, limitMs: LEASE_MS });
  const claim = facts.claim.bind(facts);
  facts.claim = (name, holder, ms, endedHolder) =>
    claim(name, holder, name.startsWith('identify:') ? Math.min(ms, maxTurnMs) : ms, endedHolder);
  onTestFinished(() => facts.close());
  return facts;
}

export async function storedSession({ facts }: Pick<Fixture, 'facts'>, shardId: number) {
  const text = await facts.read(`session:${shardId}`);
  return text ? (JSON.parse(text) as { sessionId: string; resumeURL: string; sequence: number }) : undefined;
}

async function assertNoSecretLogged({ discord, facts, logged }: Omit<Fixture, 'sent'>): Promise<void> {
  const lines = logged.join('\n');
  const sessions = await Promise.all(Array.from({ length: SHARD_COUNT }, (_, id) => storedSession({ facts }, id)));
  for (const secret of [
    discord.token,
    'ws://',
    'gateway/resume',
    ...sessions.map((session) => session?.sessionId ?? discord.token),
  ])
    expect(lines).not.toContain(secret);
}

export interface ShardProcess {
  shards: Awaited<ReturnType<typeof openShards>>;
  /** The ids of the interactions that it has passed on; an id occurs twice if its interaction was passed on twice. */
  taken: string[];
}

/** Starts the parts of a shard process. All shard processes run in the process of the test. */
export async function shardProcess(fixture: Fixture, options: Partial<ShardsParts> = {}): Promise<ShardProcess> {
  const { discord, store, logged } = fixture;
  const { onDispatch = async () => undefined, ...parts } = options;
  const log = createLogger({ level: 'info', secrets: [], isPretty: false, write: (line) => logged.push(line) });
  const clients = createDiscordClients(discord.apiUrl);
  clients.rest.setToken(discord.token);
  onTestFinished(() => clients.close());
  const taken: string[] = [];
  const shards = await openShards({
    token: discord.token,
    reads: clients.reads,
    intents: 0,
    leaseMs: LEASE_MS,
    clock: systemClock,
    log,
    facts: await openFacts(store),
    holder: nameHolder(),
    ...parts,
    async onDispatch(packet, shardId) {
      await onDispatch(packet, shardId);
      const id = interactionOf(packet);
      if (id !== undefined) taken.push(id);
    },
  });
  onTestFinished(() => shards.close());
  return { shards, taken };
}

export const interactionOf = (packet: GatewayDispatchPayload): string | undefined =>
  packet.t === GatewayDispatchEvents.InteractionCreate ? packet.d.id : undefined;

/** Waits until each process has this many shards, all of them connected. */
export async function waitForShards(...processes: [ShardProcess, number][]): Promise<void> {
  for (const [{ shards }, shardCount] of processes)
    await expect.poll(() => shards.isConnected() && shards.ids.length, { interval: 20 }).toBe(shardCount);
}

/** Waits until everything that Discord sent has been passed on. */
export async function waitUntilAllReceived(
  { sent }: Fixture,
  ...processes: Pick<ShardProcess, 'taken'>[]
): Promise<void> {
  const missing = () => [...sent].filter((id) => !processes.some(({ taken }) => taken.includes(id)));
  await expect.poll(missing, { interval: 20 }).toEqual([]);
}

/** Members of all guilds use one command after another until `until` returns true, and then `extraRounds` commands each. */
export async function sendCommands(
  { speakers, sent }: Fixture,
  { until, extraRounds }: { until(): boolean; extraRounds: number },
  ...processes: Pick<ShardProcess, 'taken'>[]
): Promise<void> {
  const isReceived = (id: string) => processes.some(({ taken }) => taken.includes(id));
  for (let remaining = extraRounds; remaining > 0; ) {
    if (until()) remaining -= 1;
    const sentBefore = new Set(sent);
    await Promise.all(speakers.map((speaker) => speaker.slash('models')));
    const newIds = [...sent].filter((id) => !sentBefore.has(id));
    expect(newIds).toHaveLength(SHARD_COUNT);
    await expect.poll(() => newIds.every(isReceived), { interval: 5 }).toBe(true);
  }
}
