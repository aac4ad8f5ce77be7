import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const forbiddenImports = [
  ['src', '../sandbox/gateway/gateway.ts'],
  ['src', '../test/house.ts'],
  ['src/config-', './app.ts'],
  ['src/config-', './discord/place.ts'],
  ['src/config-', 'discord.js'],
  ['src/lib', '../services/gateway/index.ts'],
  ['src/lib', '../discord/place.ts'],
  ['src/lib', '../messages/kind-view.ts'],
  ['src/lib', '../commands/index.ts'],
  ['src/lib', '../locales/index.ts'],
  ['src/lib', '../config.ts'],
  ['src/lib', 'discord.js'],
  ['src/locales', '../services/tasks/task.ts'],
  ['src/locales', '../messages/kind-view.ts'],
  ['src/locales', '../discord/place.ts'],
  ['src/locales', '../commands/index.ts'],
  ['src/locales', '../config.ts'],
  ['src/locales', 'discord.js'],
  ['src/services/gateway', '../tasks/task.ts'],
  ['src/services/gateway', '../store/index.ts'],
  ['src/services/gateway', '../polling/scheduler.ts'],
  ['src/services/gateway', '../media/index.ts'],
  ['src/services/gateway', '../ledger/ledger.ts'],
  ['src/services/gateway', '../../locales/index.ts'],
  ['src/services/gateway', '../../discord/place.ts'],
  ['src/services/gateway', 'discord.js'],
  ['src/services/gateway', '../../../sandbox/gateway/gateway.ts'],
  ['src/services/gateway/read', '../../../config.ts'],
  ['src/services/gateway/read', '../../../config-shapes.ts'],
  ['src/services/tasks', 'discord.js'],
  ['src/services/tasks', '../../discord/place.ts'],
  ['src/services/tasks', '../../messages/task-message.ts'],
  ['src/services/tasks', '../../commands/index.ts'],
  ['src/services/tasks', '../../config.ts'],
  ['src/services/store', '../../messages/task-message.ts'],
  ['src/services/media', '../../locales/index.ts'],
  ['src/discord', '../messages/task-message.ts'],
  ['src/discord', '../commands/index.ts'],
  ['src/discord', '../config.ts'],
  ['src/discord/delivery', '../../app.ts'],
  ['src/lib', '../monitoring/metrics.ts'],
  ['src/services/tasks', '../../monitoring/metrics.ts'],
  ['src/services/gateway', '../../monitoring/metrics.ts'],
  ['src/discord', '../monitoring/metrics.ts'],
  ['src/messages', '../monitoring/metrics.ts'],
  ['src/commands', '../monitoring/metrics.ts'],
  ['src/commands/imagine', '../../monitoring/metrics.ts'],
  ['src/monitoring', 'discord.js'],
  ['src/monitoring', '../app.ts'],
  ['src/monitoring', '../config.ts'],
  ['src/monitoring', '../messages/task-message.ts'],
  ['src/monitoring', '../commands/index.ts'],
  ['src/messages', 'discord.js'],
  ['src/messages', '../commands/index.ts'],
  ['src/messages', '../config.ts'],
  ['src/messages/album', '../../commands/music/view.ts'],
  ['src/commands', '../app.ts'],
  ['src/commands', '../config.ts'],
  ['src/commands/imagine', 'discord.js'],
  ['src/commands/imagine', '../../app.ts'],
  ['src/commands/imagine', '../../config-shapes.ts'],
  ['src/commands/imagine', '../image/view.ts'],
  ['src/commands/imagine', '../tasks/own-data.ts'],
  ['sandbox/gateway', '../../src/services/gateway/index.ts'],
  ['sandbox/discord', '../../src/config.ts'],
] as const;

const allowedImports = [
  ['src', './config.ts'],
  ['src', './commands/index.ts'],
  ['src/services/gateway/read', './media.ts'],
  ['src/services/gateway', '../../lib/clock.ts'],
  ['src/services/tasks', '../gateway/index.ts'],
  ['src/discord', 'discord.js'],
  ['src/discord', '../services/tasks/task.ts'],
  ['src/messages', '../discord/plan.ts'],
  ['src/monitoring', '../services/engine.ts'],
  ['src/monitoring', '../discord/outbox/clients.ts'],
  ['src/commands', './imagine/feature.ts'],
  ['src/commands/imagine', './view.ts'],
  ['src/commands/imagine', '../image/request.ts'],
  ['src/commands/imagine', '../feature.ts'],
  ['src/commands/imagine', '../../messages/kind-view.ts'],
  ['sandbox/gateway', '../../src/lib/clock.ts'],
] as const;

/** A file in this folder that imports the module. The folder `src/config-` stands for the files `src/config-*.ts`. */
const probePath = (folder: string, specifier: string): string =>
  `${folder}${folder.endsWith('-') ? '' : '/'}imports-${specifier.replaceAll(/[^a-z]+/gi, '-')}.ts`;

/** Files with imports that can write to Discord, and whether these imports are allowed there. */
const writers: Record<string, [source: string, isAllowed: boolean]> = {
  'src/second-writer.ts': ["import { Routes } from 'discord.js';\n\nexport const y = Routes;\n", false],
  'src/discord/second-writer.ts': ["import { REST } from 'discord.js';\n\nexport const y = REST;\n", false],
  'src/discord/typed-writer.ts': ["import type { Client } from 'discord.js';\n\nexport type Y = Client;\n", false],
  'src/discord/answers/second-writer.ts': [
    "import { REST } from '@discordjs/rest';\n\nexport const y = REST;\n",
    false,
  ],
  'src/discord/no-writer.ts': ["import { Events } from 'discord.js';\n\nexport const y = Events;\n", true],
  'src/discord/reads.ts': ["import { Routes } from 'discord.js';\n\nexport const y = Routes;\n", true],
  'src/discord/outbox/writer.ts': [
    "import { REST, Routes } from 'discord.js';\n\nexport const y = [REST, Routes];\n",
    true,
  ],
};

const violations = {
  'src/services/gateway/environment.ts': 'export const home = process.env.HOME;\n',
  'src/index.ts': 'export const home = process.env.HOME;\n',
  'src/lib/floating.ts': 'async function later(): Promise<void> {}\nlater();\n',
  'src/lib/hen.ts': "import type { Egg } from './egg.ts';\n\nexport type Hen = { of?: Egg };\n",
  'src/lib/egg.ts': "import type { Hen } from './hen.ts';\n\nexport type Egg = { of?: Hen };\n",
  'sandbox/discord/hen.ts': "import type { Egg } from './egg.ts';\n\nexport type Hen = { of?: Egg };\n",
  'sandbox/discord/egg.ts': "import type { Hen } from './hen.ts';\n\nexport type Egg = { of?: Hen };\n",
  'src/lib/silence.ts': "try {\n  JSON.parse('x');\n} catch {}\n",
};

describe('The lint rules', () => {
  let folder: string;
  /** The violated rules of each file, from one run of the linter. */
  const violatedRules = new Map<string, string[]>();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'atelier-house-'));
    const { vcs: _, ...rules } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as Record<string, unknown>;
    const probes: Record<string, string> = { 'biome.json': JSON.stringify(rules), ...violations };
    for (const [path, [source]] of Object.entries(writers)) probes[path] = source;
    for (const [folder, specifier] of [...forbiddenImports, ...allowedImports]) {
      probes[probePath(folder, specifier)] = `import { x } from '${specifier}';\n\nexport const y = x;\n`;
    }
    for (const [path, content] of Object.entries(probes)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
    const { stdout } = spawnSync(
      process.execPath,
      [biome, 'lint', '--reporter=json', '--max-diagnostics=none', '--colors=off', '.'],
      { cwd: folder, encoding: 'utf8' },
    );
    const report = JSON.parse(stdout) as { diagnostics: { category: string; location: { path: string } }[] };
    for (const { category, location } of report.diagnostics) {
      const path = location.path.replaceAll('\\', '/');
      violatedRules.set(path, [...(violatedRules.get(path) ?? []), category]);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(forbiddenImports)('The lint rules forbid %s to import %s', (folder, specifier) => {
    expect(violatedRules.get(probePath(folder, specifier))).toContain('lint/style/noRestrictedImports');
  });

  it.each(allowedImports)('The lint rules allow %s to import %s', (folder, specifier) => {
    expect(violatedRules.get(probePath(folder, specifier)) ?? []).not.toContain('lint/style/noRestrictedImports');
  });

  it('The lint rules allow access to environment variables only in the startup code', () => {
    expect(violatedRules.get('src/services/gateway/environment.ts')).toContain('lint/style/noProcessEnv');
    expect(violatedRules.get('src/index.ts') ?? []).not.toContain('lint/style/noProcessEnv');
  });

  it.each(['src/lib', 'sandbox/discord'])('The lint rules forbid import cycles in %s, even of types', (folder) => {
    expect(violatedRules.get(`${folder}/hen.ts`)).toContain('lint/suspicious/noImportCycles');
    expect(violatedRules.get(`${folder}/egg.ts`)).toContain('lint/suspicious/noImportCycles');
  });

  it('The lint rules forbid unawaited promises and empty catch blocks', () => {
    expect(violatedRules.get('src/lib/floating.ts')).toContain('lint/nursery/noFloatingPromises');
    expect(violatedRules.get('src/lib/silence.ts')).toContain('lint/suspicious/noEmptyBlockStatements');
  });

  it.each(Object.entries(writers))(
    'The lint rules decide correctly whether %s may write to Discord',
    (path, [, isAllowed]) => {
      expect((violatedRules.get(path) ?? []).includes('lint/style/noRestrictedImports')).toBe(!isAllowed);
    },
  );
});

/** Uses of a REST client that need no import, and calls of the writing methods of discord.js objects. */
const WRITE_PATTERNS = [
  /(?<!\.)\.#?rest\b|\b(?:bot|token|callback)Rest\b/,
  /\bnew (?:REST|Client|WebhookClient)\b/,
  /\brest\.(?:post|put|patch|delete|request|raw)\(/i,
  /\.(?:reply|deferReply|editReply|deleteReply|followUp|showModal|respond|send|createDM|startThread|react|crosspost)\(/,
  /\b(?:interaction|message|channel|thread|user|member)\.(?:update|deferUpdate|edit|delete|setArchived)\(/,
];

const writesIn = (source: string): string[] => WRITE_PATTERNS.flatMap((write) => source.match(write)?.[0] ?? []);

describe('The outbox', () => {
  it('Only the outbox writes to Discord', () => {
    const sources = globSync(['src/*.ts', 'src/discord/**/*.ts'], { cwd: root }).filter(
      (path) => !path.replaceAll('\\', '/').startsWith('src/discord/outbox/'),
    );
    expect(sources.length).toBeGreaterThan(25);
    const writesByFile = sources.map((path) => [path, writesIn(readFileSync(join(root, path), 'utf8'))] as const);
    expect(writesByFile.filter(([, writes]) => writes.length > 0)).toEqual([]);
  });

  it.each([
    'await client.rest.post(route, { body });',
    'await this.#tokenRest.patch(route, { body, auth: false });',
    'await this.#parts.botRest.delete(route);',
    'await new REST().setToken(token).post(route);',
    "await interaction.reply('hello');",
    'await interaction.deferUpdate();',
    'await channel.send(plan);',
    'await message.edit({ content });',
  ])('The check for writes outside the outbox finds this line: %s', (source) => {
    expect(writesIn(source)).not.toEqual([]);
  });
});
