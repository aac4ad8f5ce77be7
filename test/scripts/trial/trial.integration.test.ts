import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions } from '../../../sandbox/gateway/gateway.ts';
import { differencesOf } from '../../../scripts/trial/compare.ts';
import { compareWithExpected, knownIn, profiles, readExpected } from '../../../scripts/trial/expected.ts';
import { markdownOf, type TrialReport } from '../../../scripts/trial/report.ts';
import { PROMPT } from '../../../scripts/trial/sides.ts';
import { runScriptHere } from '../../support/run-script-here.ts';
import { shippedArgs } from '../../support/shipped.ts';
import { cachingStudio } from '../../support/studio.ts';
import { type EmbeddedSides, openEmbeddedSides, tryEmbeddedSides, useAccount } from './embedded.ts';

const expected = readExpected();

/** Runs all steps with the embedded sides, which stay open until the end of the test file. */
async function openSides(profile: (typeof profiles)[number], options: GatewayOptions): Promise<EmbeddedSides> {
  const studio = cachingStudio();
  const sides = await openEmbeddedSides(profile, { speed: 400, studio, ...options });
  return { ...sides, close: async () => void (await Promise.all([sides.close(), studio.close()])) };
}

it.each(profiles)(
  'The stored responses are those of the embedded sides of today (profile %s)',
  { tags: ['breadth'] },
  async (profile) => {
    const sides = await openSides(profile, {});
    onTestFinished(() => sides.close());
    await useAccount(sides);
    const results = await tryEmbeddedSides(sides, knownIn(expected));
    expect(results.filter(({ outcome }) => outcome !== 'worked')).toEqual([]);
    expect(compareWithExpected(results, expected)).toEqual({ profile, differences: [] });
    const stored = [...expected.discord, ...expected.gateway[profile]];
    expect(stored.map(({ name }) => name)).toEqual(results.map(({ name }) => name));
    expect(
      differencesOf(
        stored.map((step) => ({ side: 'gateway', ms: 0, ...step })),
        results,
      ),
    ).toEqual([]);
  },
);

/** A command that ran until its end. */
async function run(
  args: readonly string[],
  settings: Record<string, string>,
  onOutput: (output: string, child: ChildProcess) => void = () => undefined,
): Promise<{ code: number; output: string }> {
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...settings };
  const child = spawn(process.execPath, [...shippedArgs('scripts/trial.ts'), ...args], { env, stdio: 'pipe' });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      onOutput(output, child);
    });
  const [code] = await once(child, 'close');
  return { code, output };
}

const environmentOf = ({ config, discord }: EmbeddedSides): Record<string, string> => ({
  DISCORD_TOKEN: discord.token,
  DISCORD_API_URL: discord.apiUrl,
  GATEWAY_BASE_URL: config.gateway.baseUrl,
  GATEWAY_API_KEY: config.gateway.apiKey,
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-trial-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('The command orders nothing without a known price, and its reports have no difference', async () => {
  const sides = await openSides('spec', {});
  onTestFinished(() => sides.close());
  const folder = newFolder();
  const { code, output } = await run(['--channel', sides.channelId, '--yes', '--out', folder], environmentOf(sides));
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Differences: 0.') });
  const report: TrialReport = JSON.parse(readFileSync(join(folder, 'trial-report.json'), 'utf8'));
  expect(report.spentAtMost).toBe('0');
  const orders = sides.gateway.requests.filter(({ method, status }) => method === 'POST' && status === 200);
  expect(orders.map(({ path }) => path)).toEqual(['/music/fetch']);
  expect(readFileSync(join(folder, 'trial-report.md'), 'utf8')).toBe(markdownOf(report));
  expect(sides.discord.messages('studio')).toEqual([]);
});

it('A folder in which no report can be written ends the trial before it asks anything of Discord or the gateway', async () => {
  const sides = await openSides('spec', {});
  onTestFinished(() => sides.close());
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  const counts = () => [sides.discord.requests.length, sides.gateway.requests.length];
  const before = counts();
  const args = ['--channel', sides.channelId, '--yes', '--out', join(file, 'reports')];
  expect(await run(args, environmentOf(sides))).toMatchObject({
    code: 78,
    output: expect.stringContaining('No report can be written'),
  });
  expect(counts()).toEqual(before);
});

it('A trial that is interrupted removes its messages, and writes no report', async () => {
  const sides = await openSides('spec', {});
  onTestFinished(() => sides.close());
  const folder = newFolder();
  const args = ['--channel', sides.channelId, '--yes', '--out', folder];
  let posted = 0;
  const { code, output } = await run(args, environmentOf(sides), (said, child) => {
    // The step after the messages.
    if (posted > 0 || !said.includes('Refused requests\n')) return;
    posted = sides.discord.messages('studio').length;
    child.kill('SIGINT');
  });
  expect({ code, output }).toMatchObject({ code: 130, output: expect.stringContaining('ends without a report') });
  expect(posted).toBeGreaterThan(0);
  expect(sides.discord.messages('studio')).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

it('Paid steps that would exceed the cap are left out', { tags: ['breadth'] }, async () => {
  const sides = await openSides('stock', {});
  onTestFinished(() => sides.close());
  const folder = newFolder();
  const args = ['--channel', sides.channelId, '--yes', '--max-cost', '0.04', '--out', folder];
  expect(await run(args, environmentOf(sides))).toMatchObject({ code: 0 });
  const { steps, spentAtMost }: TrialReport = JSON.parse(readFileSync(join(folder, 'trial-report.json'), 'utf8'));
  expect(Number(spentAtMost)).toBeGreaterThan(0);
  expect(Number(spentAtMost)).toBeLessThanOrEqual(0.04);
  expect(steps.some(({ reason }) => reason === 'it would exceed the spending cap')).toBe(true);
});

it.each([
  [['--channel', 'studio', '--yes'], 64, '--channel should be the ID of a text channel'],
  [['--channel', '100000000000000000', '--max-cost', 'a lot'], 64, '--max-cost should be an amount in US dollars'],
  [['--channel', '100000000000000000', '--yes'], 78, 'The bot sees no text channel of a server with this ID.'],
])('The command with %j ends with %d and says why', { tags: ['breadth'] }, async (args, code, sentence) => {
  const sides = await openSides('spec', {});
  onTestFinished(() => sides.close());
  const ending = await runScriptHere('scripts/trial.ts', { args, settings: environmentOf(sides) });
  expect(ending.code).toBe(code);
  expect(ending.output.replaceAll(/\s+/g, ' ')).toContain(sentence);
});

let report = '';
let sides: EmbeddedSides;
beforeAll(async () => {
  sides = await openSides('stock', {});
  const results = await tryEmbeddedSides(sides, knownIn(expected));
  // Compared with nothing, so that everything is a difference and is named.
  const empty = results.map((step) => ({
    ...step,
    responses: step.responses.map((one) => ({ ...one, fields: {}, words: {}, headers: [], events: [] })),
  }));
  const differences = differencesOf(results, empty);
  const facts = {
    format: 1,
    version: '1.0.0',
    comparedWith: 'none',
    spentAtMost: '0',
    differences,
    steps: results,
  } as const;
  report = JSON.stringify(facts) + markdownOf(facts);
  return () => sides.close();
});

it('The reports have no secret, id, name, prompt or address of the run', () => {
  const { discord, gateway, config } = sides;
  const { world } = discord;
  const names = [...world.guilds.values(), ...world.channels.values(), ...world.users.values()].flatMap(
    ({ id, name }) => [id, name],
  );
  const sent = discord.requests.flatMap(({ path }) => path.split('/')).filter((part) => /\d{6}|unknown/.test(part));
  const jobs = gateway.requests.flatMap(({ path, responseText = '' }) => [
    ...path.split('/'),
    ...responseText.split('"'),
  ]);
  const secrets = [discord.token, config.gateway.apiKey, gateway.url, discord.url, PROMPT];
  const ids = jobs.filter(
    (text) => /\d{4}/.test(text) && text.length > 6 && text.length < 200 && !/[{}[\],:]/.test(text),
  );
  expect(ids.length).toBeGreaterThan(50);
  const leaked = [...secrets, ...names, ...sent, ...ids].filter((text) =>
    new RegExp(`(?<![\\w-])${RegExp.escape(text)}(?![\\w-])`).test(report),
  );
  // Words of the protocols, too.
  const harmless = new Set(['thread', 'log', 'member', 'other', 'owner', 'admin']);
  expect([...new Set(leaked)].filter((text) => !harmless.has(text))).toEqual([]);
  for (const word of ['kite', 'harbour', 'http:', 'https:', '127.0.0.1', 'sk-']) expect(report).not.toContain(word);
  expect(report).not.toMatch(/(?<![.\d])\d{15,20}(?!\d)/);
});
