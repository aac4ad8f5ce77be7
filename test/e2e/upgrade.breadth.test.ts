import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import type { Message } from '../../sandbox/discord/exchange.ts';
import { TASK_VERSION } from '../../src/services/tasks/task.ts';
import { keysIn, sql } from '../services/store/store-fixture.ts';
import { addCleanup } from '../support/ending.ts';
import { memoryArgs } from '../support/shipped.ts';
import { createFixture, type Fixture, GATEWAY_API_KEY } from './bot.ts';
import { says, submitCount } from './quick.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A checked-out version, and what each of its processes imports first. */
interface Release {
  readonly folder: string;
  readonly imports: readonly string[];
}

/**
 * How the stand-in for the previous release differs: its version, the layout of its tasks (the gateway's id of a job had
 * another name), and its commands.
 */
const PREVIOUS: readonly (readonly [file: string, now: string, then: string])[] = [
  ['package.json', '"version": "', '"version": "0.0.'],
  ['src/services/tasks/task.ts', `TASK_VERSION = ${TASK_VERSION}`, `TASK_VERSION = ${TASK_VERSION - 1}`],
  [
    'src/services/store/rows/task-rows.ts',
    '({ traits: _, ...record }: Task): object => record',
    '({ traits: _, remoteId, ...record }: Task): object => ({ ...record, jobId: remoteId })',
  ],
  [
    'src/services/store/rows/task-rows.ts',
    'migrate(value, migrations)',
    "migrate('jobId' in value ? { ...value, remoteId: value.jobId } : value, migrations)",
  ],
  ['src/locales/en/models.json', '"description": "List', '"description": "Show'],
  ['src/commands/index.ts', '\n  finetune,', ''],
  // Its packages are those of the present version, behind a link that the process for media would not be allowed to follow.
  ['src/services/media/process/child.ts', "[inProject('src'),", `['${join(root, 'node_modules')}', inProject('src'),`],
];

/** The migration that the present version would need after the previous one. */
const MIGRATION = `data:text/javascript,${encodeURIComponent(`
  import { taskMigrations } from '${pathToFileURL(join(root, 'src/services/store/rows/task-rows.ts'))}';
  taskMigrations.set(${TASK_VERSION - 1}, ({ jobId, ...record }) => ({ ...record, remoteId: jobId }));
`)}`;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-upgrade-'));
  addCleanup(async () => rmSync(folder, { recursive: true }));
  return folder;
}

function createPreviousRelease(): Release {
  const folder = newFolder();
  for (const path of ['package.json', 'scripts', 'src'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const [file, now, then] of PREVIOUS) {
    const path = join(folder, file);
    const content = readFileSync(path, 'utf8');
    if (!content.includes(now)) throw new Error(`${file} no longer has: ${now}`);
    writeFileSync(path, content.replace(now, then));
  }
  return { folder, imports: [] };
}

const present: Release = { folder: root, imports: [MIGRATION] };

/** The folder in which an operator runs every release: `.env` and the store are there. */
function createInstallation({ discord, gateway }: Fixture) {
  const folder = newFolder();
  const writeSettings = (...further: string[]): void => {
    const settings = [
      '# Written by hand, for the previous release.',
      `DISCORD_TOKEN='${discord.token}'`,
      `DISCORD_API_URL=${discord.apiUrl}`,
      `GATEWAY_BASE_URL=${gateway.url}/v1`,
      `GATEWAY_API_KEY="${GATEWAY_API_KEY}"`,
      'DISCORD_USER_INSTALL=on',
      '#MAX_TALKS=3',
      'DEFAULT_MEMBER_BUDGET=100 tasks a day',
      '# A setting that the present release does not have.',
      'PICTURE_STYLE=watercolour',
    ];
    writeFileSync(join(folder, '.env'), [...settings, ...further, ''].join('\n'));
  };
  const run = (release: Release, entry: string, ...args: string[]) => {
    const scripts = ['check-node', 'env-file', 'compile-cache'];
    const imports = [...scripts.map((name) => join(release.folder, 'scripts', `${name}.mjs`)), ...release.imports];
    const nodeArgs = [
      ...memoryArgs,
      ...imports.flatMap((file) => ['--import', file]),
      join(release.folder, entry),
      ...args,
    ];
    const env = { PATH: process.env.PATH ?? '' };
    const child = spawn(process.execPath, nodeArgs, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exitCode = once(child, 'close').then(([code]) => code as number | null);
    addCleanup(async () => {
      child.kill('SIGKILL');
      await exitCode;
    });
    const stop = (): Promise<number | null> => {
      child.kill('SIGTERM');
      return exitCode;
    };
    return { exitCode, output: () => output, stop };
  };
  writeSettings();
  return {
    store: join(folder, 'data', 'atelier.sqlite'),
    writeSettings,
    async runScript(release: Release, name: string, ...args: string[]) {
      const script = run(release, `scripts/${name}.ts`, ...args);
      return { code: await script.exitCode, output: script.output() };
    },
    async start(release: Release) {
      const bot = run(release, 'src/index.ts');
      await expect.poll(bot.output).toContain('Atelier is ready.');
      return bot;
    },
    /** For a bot that does not start. */
    async startInVain(release: Release) {
      const bot = run(release, 'src/index.ts');
      return { code: await bot.exitCode, output: bot.output() };
    },
  };
}

const changesIn = (output: string): string[] => output.match(/(?<=^ {2})(new|changed|removed) .*$/gm) ?? [];

const rowsOf = (store: string): unknown[] => sql(store, 'SELECT namespace, key, value FROM atelier ORDER BY 1, 2');

const schemaOf = (store: string): unknown =>
  JSON.parse(String(sql(store, "SELECT value FROM atelier WHERE namespace = 'meta' AND key = 'schema'")[0]?.value))
    .value;

it('An upgrade as in docs/upgrading.md keeps every task and button, and so does the way back', async () => {
  const fixture = await createFixture({ registersCommands: false });
  const { discord, gateway } = fixture;
  const previous = createPreviousRelease();
  const installation = createInstallation(fixture);
  const { store } = installation;
  const order = (prompt: string) => discord.as('member').slash('imagine', { prompt });
  const upscale = async (message: Message, label: string): Promise<Message> =>
    (await discord.as('member').click(message, label)).message(says('Finished in'));

  // The previous release has a finished task, and one under way.
  const firstDeployment = await installation.runScript(previous, 'deploy');
  expect(firstDeployment).toMatchObject({ code: 0, output: expect.stringContaining('new       /models') });
  expect(firstDeployment.output).not.toContain('/finetune');
  const oldBot = await installation.start(previous);
  gateway.setSpeed(50);
  const fox = await (await order('fox in the snow')).message(says('Finished in'));
  gateway.setSpeed(0.001);
  const owlExchange = await order('owl in the snow');
  await expect.poll(() => JSON.stringify(rowsOf(store))).toMatch(/owl in the snow.*jobId/);
  expect(JSON.stringify(rowsOf(store))).not.toContain('remoteId');
  expect(schemaOf(store)).toMatchObject({ task: TASK_VERSION - 1 });

  // Upgrade.
  const backup = join(newFolder(), 'atelier.backup');
  expect(await installation.runScript(previous, 'backup', backup)).toMatchObject({ code: 0 });
  expect(await oldBot.stop()).toBe(0);
  const deployment = await installation.runScript(present, 'deploy');
  expect(deployment).toMatchObject({ code: 0, output: expect.stringContaining('unchanged /imagine') });
  expect(changesIn(deployment.output)).toEqual(['new       /finetune', 'changed   /models']);
  const newBot = await installation.start(present);
  expect(schemaOf(store)).toMatchObject({ task: TASK_VERSION });
  gateway.setSpeed(50);
  const owl = await owlExchange.message(says('Finished in'));
  await upscale(fox, 'U1');
  await upscale(owl, 'U2');
  expect(submitCount(gateway)).toBe(4);
  await expect.poll(() => keysIn(store, 'live')).toEqual([]);
  expect(keysIn(store, 'quarantine')).toEqual([]);
  expect(await newBot.stop()).toBe(0);

  // The way back: the previous release refuses the store, and takes its backup.
  const rows = rowsOf(store);
  expect(await installation.startInVain(previous)).toEqual({
    code: 78,
    output: expect.stringContaining('was written by a newer Atelier'),
  });
  expect(rowsOf(store)).toEqual(rows);
  const restoredStore = join(newFolder(), 'restored.sqlite');
  installation.writeSettings(`STORE_URL=sqlite://${restoredStore}`);
  const redeployment = await installation.runScript(previous, 'deploy');
  expect(changesIn(redeployment.output)).toEqual(['changed   /models', 'removed   /finetune']);
  const restored = await installation.runScript(previous, 'restore', backup);
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('Tasks under way: 1.') });
  const submitsBefore = submitCount(gateway);
  const restoredBot = await installation.start(previous);
  await expect.poll(() => keysIn(restoredStore, 'live')).toEqual([]);
  expect(submitCount(gateway)).toBe(submitsBefore);
  expect(discord.messages('studio').find(({ id }) => id === owl.id)).toMatchObject({ content: owl.content });
  await upscale(fox, 'U3');
  await upscale(owl, 'U4');
  expect(await restoredBot.stop()).toBe(0);
  expect(schemaOf(restoredStore)).toMatchObject({ task: TASK_VERSION - 1 });
});
