import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DOMAINS, importProblems } from '../scripts/house/imports.ts';
import { nameProblems } from '../scripts/house/names.ts';
import { sentenceProblems } from '../scripts/house/sentences.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A file, and what it may not import. */
const forbiddenImports = [
  ['src/app.ts', '../sandbox/gateway/gateway.ts'],
  ['src/app.ts', '../test/house.test.ts'],
  ['src/app.ts', './index.ts'],
  ['src/config.ts', './app.ts'],
  ['src/config.ts', './discord/interaction-facts.ts'],
  ['src/config.ts', './locales/index.ts'],
  ['src/config.ts', 'discord.js'],
  ['src/roles/all.ts', '../index.ts'],
  ['src/roles/all.ts', '@discordjs/rest'],
  ['src/monitoring/metrics.ts', '../config.ts'],
  ['src/monitoring/metrics.ts', '../commands/index.ts'],
  ['src/monitoring/metrics.ts', '../messages/task-message.ts'],
  ['src/monitoring/metrics.ts', 'discord.js'],
  ['src/commands/parts.ts', '../app.ts'],
  ['src/commands/parts.ts', '../config.ts'],
  ['src/commands/parts.ts', '../monitoring/metrics.ts'],
  ['src/commands/imagine/feature.ts', '../../app.ts'],
  ['src/commands/imagine/feature.ts', '../image/view.ts'],
  ['src/commands/imagine/feature.ts', '../tasks/own-data.ts'],
  ['src/commands/imagine/feature.ts', '../../services/gateway/read/table.ts'],
  ['src/commands/imagine/feature.ts', 'discord.js'],
  ['src/messages/album/message.ts', '../../commands/music/view.ts'],
  ['src/messages/notes.ts', '../config.ts'],
  ['src/messages/notes.ts', 'discord.js'],
  ['src/discord/router.ts', '../messages/task-message.ts'],
  ['src/discord/router.ts', '../commands/index.ts'],
  ['src/discord/router.ts', '../config.ts'],
  ['src/discord/router.ts', '../monitoring/metrics.ts'],
  ['src/discord/router.ts', '@discordjs/rest'],
  ['src/discord/router.ts', 'discord.js'],
  ['src/discord/delivery/end-delivery.ts', '../../app.ts'],
  ['src/services/gateway/http.ts', '../tasks/task.ts'],
  ['src/services/gateway/http.ts', '../store/open-store.ts'],
  ['src/services/gateway/http.ts', '../../locales/index.ts'],
  ['src/services/gateway/http.ts', '../../discord/interaction-facts.ts'],
  ['src/services/gateway/http.ts', 'discord.js'],
  ['src/services/gateway/http.ts', '../../../sandbox/gateway/gateway.ts'],
  ['src/services/gateway/read/table.ts', '../../../config.ts'],
  ['src/services/money/ledger.ts', '../orders/orders.ts'],
  ['src/services/orders/orders.ts', '../store/stored-tasks.ts'],
  ['src/services/orders/orders.ts', '../gateway/read/table.ts'],
  ['src/services/orders/orders.ts', '../../messages/task-message.ts'],
  ['src/services/orders/submission/turns.ts', '../../gateway/endpoints/imgx.ts'],
  ['src/services/store/rows/sqlite.ts', '../../cluster/membership.ts'],
  ['src/locales/index.ts', '../services/tasks/task.ts'],
  ['src/locales/index.ts', '../discord/interaction-facts.ts'],
  ['src/locales/index.ts', '../config.ts'],
  ['src/lib/clock.ts', '../services/gateway/errors.ts'],
  ['src/lib/clock.ts', '../locales/index.ts'],
  ['src/lib/clock.ts', 'discord.js'],
  ['sandbox/gateway/gateway.ts', '../../src/services/gateway/http.ts'],
  ['sandbox/gateway/gateway.ts', '../../src/lib/clock.ts'],
  ['sandbox/gateway/gateway.ts', '../web/settings.ts'],
  ['sandbox/discord/discord.ts', '../../src/config.ts'],
  ['sandbox/discord/discord.ts', '../../src/lib/clock.ts'],
  ['sandbox/discord/rest/channels.ts', '../../../src/discord/plan.ts'],
  ['sandbox/discord/discord.ts', '../gateway/gateway.ts'],
  ['sandbox/discord/discord.ts', '../web/settings.ts'],
  ['sandbox/loopback.ts', '../src/lib/clock.ts'],
] as const;

const allowedImports = [
  ['src/index.ts', './config.ts'],
  ['src/app.ts', './roles/all.ts'],
  ['src/roles/all.ts', '../config.ts'],
  ['src/roles/all.ts', '../commands/index.ts'],
  ['src/monitoring/metrics.ts', '../discord/outbox/clients.ts'],
  ['src/commands/index.ts', './imagine/feature.ts'],
  ['src/commands/imagine/feature.ts', './view.ts'],
  ['src/commands/imagine/feature.ts', '../image/request.ts'],
  ['src/commands/imagine/feature.ts', '../feature.ts'],
  ['src/commands/imagine/feature.ts', '../../messages/kind-view.ts'],
  ['src/messages/notes.ts', '../discord/plan.ts'],
  ['src/discord/router.ts', 'discord-api-types/v10'],
  ['src/discord/reads.ts', '@discordjs/rest'],
  ['src/discord/router.ts', '../services/tasks/task.ts'],
  ['src/services/gateway/read/table.ts', './media.ts'],
  ['src/services/gateway/http.ts', '../../lib/clock.ts'],
  ['src/services/orders/orders.ts', '../gateway/errors.ts'],
  ['src/services/orders/orders.ts', './submission/turns.ts'],
  ['src/services/orders/submission/turns.ts', '../polling/lane.ts'],
  ['sandbox/gateway/gateway.ts', '../clock.ts'],
  ['sandbox/discord/discord.ts', '../loopback.ts'],
  ['sandbox/discord/example/bot.ts', 'discord.js'],
  ['sandbox/start.ts', './web/sandbox.ts'],
] as const;

describe('The order of the house', () => {
  it.each(forbiddenImports)('%s may not import %s', (path, specifier) => {
    expect(importProblems(path, `import { x } from '${specifier}';`)).toHaveLength(1);
  });

  it.each(allowedImports)('%s may import %s', (path, specifier) => {
    expect(importProblems(path, `import { x } from '${specifier}';`)).toEqual([]);
  });

  it.each([
    "import type { x } from '../commands/index.ts';",
    "export { x } from '../commands/index.ts';",
    "export const later = () => import('../commands/index.ts');",
    "import '../commands/index.ts';",
  ])('Every form of import counts: %s', (source) => {
    expect(importProblems('src/discord/router.ts', source)).toEqual([
      'src/discord/router.ts imports src/commands/index.ts. Imports point down only: see the layout in ARCHITECTURE.md.',
    ]);
  });

  it('The services have these domains and no loose files', () => {
    expect(readdirSync(join(root, 'src/services')).toSorted()).toEqual(DOMAINS.toSorted());
  });
});

describe('The names of the house', () => {
  const problemsOf = (files: Record<string, string>): string[] => nameProblems(new Map(Object.entries(files)));

  it('No two files export the same name', () => {
    const files = {
      'src/lib/egg.ts': 'export class Egg {}',
      'src/lib/hen.ts': 'export class Hen {}\nexport type Egg = 1;',
    };
    expect(problemsOf(files)).toEqual([
      'src/lib/hen.ts exports Egg, and so does src/lib/egg.ts. One name, one meaning.',
    ]);
  });

  it('Every feature has its sentences under the same name', () => {
    const source = 'export const text = {};';
    expect(problemsOf({ 'src/commands/ask/text.ts': source, 'src/commands/talk/text.ts': source })).toEqual([]);
  });

  it.each(["export { a } from './a.ts';", "export type { a } from './a.ts';", "export * as a from './a.ts';"])(
    'No name is exported from where it is not declared: %s',
    (source) => {
      expect(problemsOf({ 'src/services/store/index.ts': source })).toEqual([
        'src/services/store/index.ts exports a of ./a.ts. Import names from where they are declared.',
      ]);
    },
  );

  it.each([
    ['src/lib/eggs.ts', 'export class Hen {}'],
    ['src/lib/fair-queue.ts', 'export class Queue {}\nexport type Fair = 1;'],
    ['src/commands/ask/feature.ts', 'export const feature = {};'],
  ])('A file is named after what it mainly exports: %s with %s', (path, source) => {
    expect(problemsOf({ [path]: source })).toEqual([
      expect.stringMatching(/ exports only .+\. A file is named after what it mainly exports\.$/),
    ]);
  });

  it.each([
    ['src/lib/fair-queue.ts', 'export class FairQueue {}'],
    ['src/lib/fair-queue.ts', 'export function openFairQueues() {}\nexport const MAX = 1;'],
    ['src/commands/ask/feature.ts', 'export const ask = {};'],
    ['src/lib/numbers.ts', 'export const one = 1, two = 2, three = 3, four = 4;'],
    ['src/lib/schema.worker.ts', 'export const check = 1;'],
  ])('The name of %s suits %s', (path, source) => {
    expect(problemsOf({ [path]: source })).toEqual([]);
  });
});

/** Files with imports that can write to Discord, and whether these imports are allowed there. */
const writers: Record<string, [source: string, isAllowed: boolean]> = {
  'src/second-writer.ts': ["import { Routes } from 'discord-api-types/v10';\n\nexport const y = Routes;\n", false],
  'src/discord/second-writer.ts': [
    "import { Routes } from 'discord-api-types/v10';\n\nexport const y = Routes;\n",
    false,
  ],
  'src/discord/no-writer.ts': ["import { Locale } from 'discord-api-types/v10';\n\nexport const y = Locale;\n", true],
  'src/discord/reads.ts': ["import { Routes } from 'discord-api-types/v10';\n\nexport const y = Routes;\n", true],
  'src/discord/outbox/writer.ts': [
    "import { Routes } from 'discord-api-types/v10';\n\nexport const y = Routes;\n",
    true,
  ],
};

const bodyOf = (lineCount: number): string => `export const a = () => {\n${'  call();\n'.repeat(lineCount)}};\n`;

const violations = {
  'src/services/gateway/environment.ts': 'export const home = process.env.HOME;\n',
  'src/index.ts': 'export const home = process.env.HOME;\n',
  'src/lib/floating.ts': 'async function later(): Promise<void> {}\nlater();\n',
  'src/lib/hen.ts': "import type { Egg } from './egg.ts';\n\nexport type Hen = { of?: Egg };\n",
  'src/lib/egg.ts': "import type { Hen } from './hen.ts';\n\nexport type Egg = { of?: Hen };\n",
  'sandbox/discord/hen.ts': "import type { Egg } from './egg.ts';\n\nexport type Hen = { of?: Egg };\n",
  'sandbox/discord/egg.ts': "import type { Hen } from './hen.ts';\n\nexport type Egg = { of?: Hen };\n",
  'src/lib/short.ts': bodyOf(57),
  'src/lib/long.ts': bodyOf(58),
  'test/lib/long.ts': bodyOf(58),
  'src/lib/asserted.ts':
    'const a = b as Record<string, string>;\nconst c = d as unknown as A;\ncall((await e) as A);\n',
  'src/lib/constant.ts': "const a = ['b'] as const satisfies readonly string[];\n",
  'test/lib/asserted.ts': 'const a = b as A;\n',
  'test/literals.tsx':
    'const all = { ...{ a, b }, c };\nconst d = {\n  c,\n  ...({ a, b } as const),\n};\ncall({ ...{ a, b } satisfies Parts });\nconst view = <View {...{ a, b }} />;\n',
  'test/values.tsx':
    'const all = { ...parts, ...(isOpen && { a }), ...(b ? { b } : { c }) };\nconst view = <View {...parts} />;\n',
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
    for (const [path, content] of Object.entries(probes)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    cpSync(join(root, 'scripts/house'), join(folder, 'scripts/house'), { recursive: true });
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

  it('The lint rules forbid functions with a body of more than 57 lines in src, and in no other folder', () => {
    const rule = 'lint/complexity/noExcessiveLinesPerFunction';
    const paths = ['src/lib/short.ts', 'src/lib/long.ts', 'test/lib/long.ts'];
    expect(paths.filter((path) => violatedRules.get(path)?.includes(rule))).toEqual(['src/lib/long.ts']);
  });

  it.each([
    ['src/lib/asserted.ts', 4],
    ['src/lib/constant.ts', 0],
    ['test/lib/asserted.ts', 0],
    ['test/literals.tsx', 4],
    ['test/values.tsx', 0],
  ])('The lint rules find each type that is asserted in src, and each literal that is spread: %s', (path, count) => {
    expect(violatedRules.get(path)?.filter((rule) => rule === 'plugin') ?? []).toHaveLength(count);
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

describe('Sentences of members are in JSON files', () => {
  it.each([
    "export const lines = (say: Say) => [say('a'), 'This was refused.'];",
    `export const plan = (count: number) => ({ text: \`This has \${count} parts.\` });`,
    "export const plan = () => ({ content: 'refused' });",
    `export const plan = (name: string) => ({ label: \`by \${name}\` });`,
    "export const run = (lines: string[]) => lines.push('Nothing was found.');",
    "export const button = (id: string) => buttonPlan('Try again', id);",
  ])('The check finds the text of %s', (source) => {
    expect(sentenceProblems('src/commands/a/page.ts', source)).toEqual([expect.stringContaining('src/locales/en.')]);
    expect(sentenceProblems('src/services/money/a.ts', source)).toHaveLength(1);
    expect(sentenceProblems('src/services/store/a.ts', source)).toEqual([]);
  });

  it.each([
    "log.warn({ id }, isLate ? 'The reply was late.' : 'There was no reply.');",
    "throw new Error('This cannot be.');",
    "const FAILED = 'Could not read a channel.';",
    `export const plan = (say: Say) => ({ content: say('a.b'), label: \`\${name} · \${count}\`, name: 'words' });`,
  ])('The check leaves %s alone', (source) => {
    expect(sentenceProblems('src/commands/a/page.ts', source)).toEqual([]);
  });
});
