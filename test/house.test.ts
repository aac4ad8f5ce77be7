import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

const forbidden = [
  ['src/lib', '../services/gateway/index.ts'],
  ['src/lib', '../config.ts'],
  ['src/services/gateway', '../tasks/task.ts'],
  ['src/services/gateway', 'discord.js'],
  ['src/services/gateway/read', '../../../config.ts'],
  ['src/services/gateway/read', '../../../config/shapes.ts'],
  ['src/services/tasks', 'discord.js'],
  ['src/services/tasks', '../../views/task.ts'],
  ['src/services/media', '../../locales/index.ts'],
  ['src/views', 'discord.js'],
  ['src/views', '../discord/adapter.ts'],
  ['src/discord', '../commands/index.ts'],
  ['src/commands', '../app.ts'],
  ['src', '../sandbox/gateway/gateway.ts'],
  ['src/services/gateway', '../../../sandbox/gateway/gateway.ts'],
  ['sandbox/gateway', '../../src/services/gateway/index.ts'],
] as const;

const allowed = [
  ['src/services/gateway/read', './media.ts'],
  ['src/services/gateway', '../../lib/clock.ts'],
  ['src/services/tasks', '../gateway/index.ts'],
  ['src/discord', 'discord.js'],
  ['src', './config.ts'],
  ['sandbox/gateway', '../../src/lib/clock.ts'],
] as const;

const fileOf = (folder: string, text: string): string => `${folder}/imports-${text.replaceAll(/[^a-z]+/gi, '-')}.ts`;

const manners = {
  'src/services/gateway/environment.ts': 'export const home = process.env.HOME;\n',
  'src/index.ts': 'export const home = process.env.HOME;\n',
  'src/lib/floating.ts': 'async function later(): Promise<void> {}\nlater();\n',
  'src/lib/silence.ts': "try {\n  JSON.parse('x');\n} catch {}\n",
};

describe('the lint rules', () => {
  let folder: string;
  /** Which rules each probe breaks, from one run of the linter over a house of probes. */
  const broken = new Map<string, string[]>();

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'atelier-house-'));
    const { vcs: _, ...rules } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8')) as Record<string, unknown>;
    const probes: Record<string, string> = { 'biome.json': JSON.stringify(rules), ...manners };
    for (const [room, text] of [...forbidden, ...allowed]) {
      probes[fileOf(room, text)] = `import { x } from '${text}';\n\nexport const y = x;\n`;
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
      broken.set(path, [...(broken.get(path) ?? []), category]);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(forbidden)('keep %s from importing %s', (room, text) => {
    expect(broken.get(fileOf(room, text))).toContain('lint/style/noRestrictedImports');
  });

  it.each(allowed)('let %s import %s', (room, text) => {
    expect(broken.get(fileOf(room, text)) ?? []).not.toContain('lint/style/noRestrictedImports');
  });

  it('let the environment be read at the start alone', () => {
    expect(broken.get('src/services/gateway/environment.ts')).toContain('lint/style/noProcessEnv');
    expect(broken.get('src/index.ts') ?? []).not.toContain('lint/style/noProcessEnv');
  });

  it('leave no promise unawaited and no failure unheard', () => {
    expect(broken.get('src/lib/floating.ts')).toContain('lint/nursery/noFloatingPromises');
    expect(broken.get('src/lib/silence.ts')).toContain('lint/suspicious/noEmptyBlockStatements');
  });
});
