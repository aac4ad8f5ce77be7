import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ruleTargets } from '../src/commands/index.ts';
import { type Config, ConfigError, readConfig, secretVariables } from '../src/config.ts';
import { fileVariable } from '../src/lib/secret.ts';

const requiredSettings = {
  DISCORD_TOKEN: 'MTIzNDU2Nzg5.Gh-7aB.z_9-secret-of-the-bot',
  GATEWAY_BASE_URL: 'https://gateway.example',
  GATEWAY_API_KEY: 'sk-secret-of-the-gateway',
};

/** A value for each secret, and a function that reads it from the configuration. */
const secrets: Record<string, { value: string; readFrom: (config: Config) => unknown }> = {
  DISCORD_TOKEN: { value: 'MTIz.file.secret-in-a-file', readFrom: ({ discord }) => discord.token },
  GATEWAY_API_KEY: { value: 'sk-secret-in-a-file', readFrom: ({ gateway }) => gateway.apiKey },
  STORE_URL: { value: 'redis://:secret-in-a-file@127.0.0.1:6379', readFrom: ({ store }) => store.url },
  QUEUE_URL: { value: 'redis://:secret-in-a-file@127.0.0.1:6380', readFrom: ({ cluster }) => cluster.queue.url },
  BACKUP_PASSPHRASE: { value: 'passphrase secret-in-a-file', readFrom: ({ backupPassphrase }) => backupPassphrase },
  MODERATION_API_KEY: { value: 'secret-in-a-file', readFrom: ({ moderation }) => moderation.apiKey },
  METRICS_TOKEN: { value: 'secret-token-in-a-file', readFrom: ({ http }) => http.metricsToken },
};
const names = Object.keys(secrets);
/** A key for moderation needs a service. */
const completeSettings = { ...requiredSettings, MODERATION_BASE_URL: 'https://moderation.example' };

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'atelier-secrets-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

function fileWith(content: string | Uint8Array): string {
  const file = join(folder(), 'secret');
  writeFileSync(file, content);
  return file;
}

/** The settings with one secret in a file instead of in the environment. */
const withFile = (name: string, path: string) => ({ ...completeSettings, [name]: '', [fileVariable(name)]: path });

function problems(environment: Record<string, string>): string[] {
  try {
    readConfig(environment, ruleTargets);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).not.toMatch(/secret-(?:in|of)/);
    return error.problems.map(({ variable, problem }) => `${variable} ${problem}`);
  }
}

describe('Secrets in files', () => {
  it('The test has a value for every secret', () => {
    expect(names).toEqual([...secretVariables]);
  });

  it.each(names)('%s may be in a file, with or without a newline at its end', (name) => {
    const { value = '', readFrom = () => undefined } = secrets[name] ?? {};
    for (const end of ['', '\n', '\r\n']) {
      const config = readConfig(withFile(name, fileWith(value + end)), ruleTargets);
      expect(readFrom(config)).toBe(value);
      expect(config).toEqual(readConfig({ ...completeSettings, [name]: value }, ruleTargets));
    }
  });

  it.each(names)('Setting both %s and its file is an error that names both', (name) => {
    const { value = '' } = secrets[name] ?? {};
    const both = { ...requiredSettings, [name]: value, [fileVariable(name)]: fileWith(value) };
    expect(problems(both)).toEqual([`${name}_FILE and ${name} are both set: remove one of them`]);
  });

  it.each(names)('An unusable file for %s is an error that names the variable', (name) => {
    const problemsOf = (path: string) => problems(withFile(name, path));
    expect(problemsOf('no/such/secret-in-a-path')).toEqual([
      `${name}_FILE should be the path of a file that the bot can read`,
    ]);
    expect(problemsOf(folder())).toEqual([`${name}_FILE should be the path of a regular file`]);
    expect(problemsOf(fileWith(Buffer.from([0x73, 0x6b, 0xff])))).toEqual([
      `${name}_FILE should be the path of a file that the bot can read`,
    ]);
    for (const content of ['', '\n', ' \n'])
      expect(problemsOf(fileWith(content))).toEqual([`${name}_FILE names an empty file`]);
    const { value = '' } = secrets[name] ?? {};
    for (const content of [`${value}\n\n`, `${value}\nsecret-in-line-two\n`])
      expect(problemsOf(fileWith(content))).toEqual([`${name}_FILE names a file with more than one line`]);
  });

  it('A secret of 64 KiB is read, and a larger file is an error', () => {
    const longest = `sk-${'x'.repeat(64 * 1024 - 3)}`;
    const config = readConfig(withFile('GATEWAY_API_KEY', fileWith(longest)), ruleTargets);
    expect(config.gateway.apiKey).toBe(longest);
    expect(problems(withFile('GATEWAY_API_KEY', fileWith(`${longest}x`)))).toEqual([
      'GATEWAY_API_KEY_FILE names a file larger than 64 KiB',
    ]);
  });

  it.each([
    ['DISCORD_TOKEN', 'secret-in-one-part'],
    ['GATEWAY_API_KEY', 'sk-secret-in-a-file '],
    ['STORE_URL', 'mysql://secret-in-a-file'],
    ['MODERATION_API_KEY', 'two secret-in words'],
  ])('An invalid value of %s in a file is reported under the name of the setting for the file', (name, content) => {
    expect(problems(withFile(name, fileWith(content)))).toEqual([
      expect.stringMatching(new RegExp(`^${name}_FILE should contain \\w`)),
    ]);
  });

  it('All unusable files are reported together with the other problems, in the order of the settings', () => {
    const reportedProblems = problems({
      DISCORD_TOKEN_FILE: 'no/such/file',
      STORE_URL_FILE: fileWith(''),
      LOG_LEVEL: 'loud',
    });
    expect(reportedProblems.map((line) => line.split(' ')[0])).toEqual([
      'DISCORD_TOKEN_FILE',
      'GATEWAY_BASE_URL',
      'GATEWAY_API_KEY',
      'STORE_URL_FILE',
      'LOG_LEVEL',
    ]);
  });
});
