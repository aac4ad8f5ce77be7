import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../sandbox/gateway/gateway.ts';
import { handlers, ruleTargets } from '../src/commands/index.ts';
import { configVariables, readConfig, secretVariables } from '../src/config.ts';
import { commandsByFullName } from '../src/discord/handlers.ts';
import { fileVariable } from '../src/lib/secret.ts';
import { createGateway } from '../src/services/gateway/gateway.ts';
import { defaultSettings } from '../src/services/gateway/settings.ts';

const required = {
  DISCORD_TOKEN: 'MTIzNDU2Nzg5.Gh-7aB.z_9-secret-of-the-bot',
  GATEWAY_BASE_URL: 'https://gateway.example',
  GATEWAY_API_KEY: 'sk-secret-of-the-gateway',
};
const configWith = (environment: Record<string, string>) => readConfig({ ...required, ...environment }, ruleTargets);

const commandNames = [...commandsByFullName(handlers.commands).keys()];

const rows = readFileSync('docs/configuration.md', 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim().replace(/^`(.*)`$/, '$1')))
  .filter((cells) => cells.length === 7 && /^[A-Z_]+$/.test(cells[1] ?? ''))
  .map(([, name = '', , defaultValue = '', example = '']) => ({ name, defaultValue, example }));

describe('docs/configuration.md', () => {
  it('docs/configuration.md has one row for each setting', () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(configVariables.toSorted());
  });

  it.each(secretVariables)('docs/configuration.md says that %s may be in a file', (name) => {
    expect(readFileSync('docs/configuration.md', 'utf8')).toContain(`| \`${fileVariable(name)}\` | \`${name}\` |`);
  });

  it.each(rows.filter(({ name }) => !(name in required)))(
    'docs/configuration.md states the default of $name',
    ({ name, defaultValue }) => {
      expect(configWith({ [name]: defaultValue })).toEqual(configWith({}));
    },
  );

  it.each(rows)(
    'docs/configuration.md gives a working example of $name that differs from its default',
    ({ name, example }) => {
      const contents: Record<string, string> = {
        PRICES: '{"imagine": "0.05"}',
        MODEL_KINDS: '{"studio-*": "image"}',
        PRESETS: '[{"name": "Poster", "command": "imagine", "template": "{prompt}, poster"}]',
        RULES: '{"words": [{"text": "casino"}]}',
      };
      const content = contents[name];
      // The processes of a cluster need a store on a server, and a key needs the service that it is for.
      const companions: Record<string, Record<string, string>> = {
        ATELIER_ROLE: { STORE_URL: 'redis://127.0.0.1:6379' },
        MODERATION_API_KEY: { MODERATION_BASE_URL: 'https://moderation.example/v1' },
      };
      const requiredSettings = companions[name] ?? {};
      const config = configWith({
        ...requiredSettings,
        [name]: content === undefined ? example : writeTemporaryFile('file.json', content),
      });
      expect(config).not.toEqual(configWith(requiredSettings));
    },
  );
});

describe('docs/commands.md and README.md', () => {
  it.each(commandNames)('docs/commands.md and README.md describe /%s', (name) => {
    expect(readFileSync('docs/commands.md', 'utf8')).toContain(`/${name}`);
    expect(readFileSync('README.md', 'utf8')).toContain(`/${name.split(' ')[0]}`);
  });
});

const pages = globSync(['*.md', 'docs/*.md']).toSorted();

const codeBlocks = (page: string, language: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code = '']) => code,
  );

function writeTemporaryFile(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

describe('The code in the documentation', () => {
  // The code in CONTRIBUTING.md is a part of the bot, and has a test of its own.
  const guides = pages.filter((page) => page !== 'CONTRIBUTING.md');
  const programs = guides.flatMap((page) => codeBlocks(page, 'ts').map((code) => ({ page, code })));

  it.each(programs)('The code in $page runs against the embedded gateway', async ({ code }) => {
    const gateway = await startGateway();
    onTestFinished(() => gateway.close());
    const program = code
      .replaceAll("'./src/", `'${pathToFileURL('.').href}/src/`)
      .replaceAll('http://127.0.0.1:4010', gateway.url);
    await promisify(execFile)(process.execPath, [writeTemporaryFile('program.mts', program)]);
    expect(gateway.requests.length).toBeGreaterThan(0);
    expect(gateway.requests.map(({ status }) => status)).not.toContain(404);
  });

  it('docs/client.md names only methods that the client has', async () => {
    const client = createGateway({ ...defaultSettings, baseUrl: 'http://127.0.0.1:9', apiKey: 'sk-sandbox' });
    onTestFinished(() => client.close());
    const members = new Map<string, object>(Object.entries(client));
    const rows = [...readFileSync('docs/client.md', 'utf8').matchAll(/^\| (`\w+`(?:, `\w+`)*) \| (.*) \|$/gm)];
    const named = rows.flatMap(([, names = '', methods = '']) => {
      const found = wordsIn(names).filter((name) => members.has(name));
      return found.flatMap((name) => wordsIn(methods).map((method) => [name, method] as const));
    });
    expect(named.length).toBeGreaterThan(20);
    expect(new Set(named.map(([name]) => name))).toEqual(new Set([...members.keys()].filter(isResource)));
    const isMissing = ([name, method]: readonly [string, string]) =>
      typeof Reflect.get(members.get(name) ?? {}, method) !== 'function';
    expect(named.filter(isMissing)).toEqual([]);
  });

  it.each(codeBlocks('docs/configuration.md', 'json'))('The prices in docs/configuration.md are valid', (prices) => {
    expect(configWith({ PRICES: writeTemporaryFile('prices.json', prices) })).not.toEqual(configWith({}));
  });
});

const isResource = (member: string): boolean => !['close', 'answeredAt', 'keyRejectedAt'].includes(member);
/** The names in backticks, without parameters. */
const wordsIn = (text: string): string[] => [...text.matchAll(/`(\w+)/g)].map(([, word = '']) => word);

describe('The documentation pages', () => {
  it.each(pages)('%s links only to files that exist', (page) => {
    const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map(([, link = '']) => link);
    const brokenLinks = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(dirname(page), link)));
    expect(brokenLinks).toEqual([]);
  });

  it('The documentation pages only mention project files that exist', () => {
    const mentionedPaths = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/internals.md']
      .filter((page) => existsSync(page))
      .flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/`([\w.-]+(?:\/[\w.-]+)*(?:\.ts|\/))`/g)])
      .map(([, path = '']) => path);
    const roots = [
      '.',
      'src',
      'src/services',
      ...globSync(['src/*/', 'src/services/*/', 'src/discord/*/', 'sandbox/*/']),
    ];
    expect(mentionedPaths.filter((path) => !roots.some((root) => existsSync(join(root, path))))).toEqual([]);
  });
});
