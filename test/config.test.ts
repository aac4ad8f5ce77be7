import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseEnv } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ruleTargets } from '../src/commands/index.ts';
import {
  type Config,
  ConfigError,
  type ConfigProblem,
  configVariables,
  readConfig,
  secretVariables,
} from '../src/config.ts';
import { fileVariable } from '../src/lib/secret.ts';
import { runs } from './support/runs.ts';

type Environment = Record<string, string | undefined>;

const token = 'MTIzNDU2Nzg5.Gh-7aB.z_9-secret-of-the-bot';
const key = 'sk-secret-of-the-gateway';
const requiredSettings = { DISCORD_TOKEN: token, GATEWAY_BASE_URL: 'https://gateway.example', GATEWAY_API_KEY: key };
const guild = '123456789012345678';
const otherGuild = '987654321098765432';

/** The default of each variable, repeated here because operators rely on these values. */
const defaults = {
  DISCORD_GUILD_ID: '',
  DISCORD_API_URL: 'https://discord.com/api',
  DISCORD_GUILD_IDS: '',
  DISCORD_ADMIN_GUILD_IDS: '',
  OPERATOR_CHANNEL_ID: '',
  OPERATOR_IDS: '',
  OPERATOR_LANGUAGE: '',
  DISCORD_USER_INSTALL: 'off',
  DISCORD_MENTIONS: 'on',
  DISCORD_MESSAGE_CONTENT: 'off',
  GATEWAY_IMGX_PATH: '/imgx',
  GATEWAY_MUSIC_PATH: '/music',
  GATEWAY_VIDEOA_PATH: '/videoa',
  GATEWAY_COMPAT_PATH: '/v1beta/compat',
  GATEWAY_CONNECTIONS: '32',
  GATEWAY_JOBS_AT_ONCE: '',
  GATEWAY_REFERENCE_VIDEO_FIELD: '',
  GATEWAY_REFERENCE_AUDIO_FIELD: 'reference_audio_urls',
  GATEWAY_FACE_CHECK_FIELD: '',
  GATEWAY_IMAGINE_REFERENCES: 'address',
  GATEWAY_USER_FIELD: '',
  GATEWAY_MUSIC_CALLBACK_FIELD: '',
  GATEWAY_VIDEO_CALLBACK_FIELD: '',
  GATEWAY_DESCRIBE_FIELD: 'base64Array',
  GATEWAY_VIDEOS_BODY: 'json',
  GATEWAY_SIMPLE_CHANGE_ORDER: 'action-first',
  GATEWAY_MODEL_SLASHES: 'encoded',
  GATEWAY_PRICING_PATH: '',
  GATEWAY_PRICING_GROUP: '',
  GATEWAY_USAGE_UNIT: '',
  GATEWAY_REALTIME_BETA: 'off',
  GATEWAY_REMIX: 'off',
  GATEWAY_IMGX_LISTS: 'off',
  GATEWAY_POLLS_PER_SECOND: '100',
  ATELIER_ROLE: 'all',
  STORE_URL: 'sqlite://data/atelier.sqlite',
  QUEUE_URL: '',
  SHARD_COUNT: '',
  PARTITIONS: '32',
  STORE_LEASE_SECONDS: '10',
  BACKUP_PASSPHRASE: '',
  MEDIA_ALLOW_PRIVATE: 'off',
  MARK_RESULTS: 'on',
  MEDIA_MEMORY_MB: '512',
  HTTP_PORT: '',
  HTTP_HOST: '127.0.0.1',
  METRICS_TOKEN: '',
  CALLBACK_URL: '',
  CALLBACK_PORT: '',
  CALLBACK_HOST: '127.0.0.1',
  LOG_LEVEL: 'info',
  POLL_SCHEDULE: 'learned',
  PRICES: '',
  MODEL_KINDS: '',
  RULES: '',
  PRESETS: '',
  MODERATION_BASE_URL: '',
  MODERATION_API_KEY: '',
  MODERATION_MODEL: 'omni-moderation-latest',
  TOTAL_BUDGET: '$50 a day, 2000 tasks a day',
  DEFAULT_SERVER_BUDGET: '$20 a day, 500 tasks a day',
  DEFAULT_MEMBER_BUDGET: '$5 a day, 100 tasks a day',
  DIRECT_BUDGET: '$2 a day, 50 tasks a day',
  BUDGET_TIMEZONE: 'UTC',
  UNCONFIRMED_RELEASE_HOURS: '',
  MEMBER_RATE: '20 at once, 2 a second',
  SERVER_RATE: '1000 at once, 200 a second',
  MAX_ANSWERS: '16',
  MAX_ANSWERS_PER_MEMBER: '3',
  MAX_TALKS: '20',
  MAX_TALKS_PER_MEMBER: '2',
  DEFAULT_IMAGE_MODEL: '',
  DEFAULT_VIDEO_MODEL: '',
  DEFAULT_MUSIC_MODEL: '',
  DEFAULT_TEXT_MODEL: '',
  DEFAULT_TALK_MODEL: '',
  MAX_WAIT_IMAGE_SECONDS: '300',
  MAX_WAIT_VIDEO_SECONDS: '900',
  MAX_WAIT_MUSIC_SECONDS: '300',
  MAX_WAIT_TEXT_SECONDS: '120',
  FOLLOW_QUIET_SECONDS: '600',
};

function refusal(environment: Environment): ConfigError | undefined {
  try {
    config(environment);
    return undefined;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'atelier-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'prices.json'), text);
  return join(folder, 'prices.json');
}

const problems = (environment: Environment): readonly ConfigProblem[] => refusal(environment)?.problems ?? [];
/** Reads the configuration. It needs the kinds of jobs, because prices are configured per kind. */
const config = (environment: Environment) => readConfig(environment, ruleTargets);

const withRequired = (environment: Environment) => config({ ...requiredSettings, ...environment });
/** Everything about an error that a person, a log or a crash report could see. */
const visibleTextOf = (error: Error) => [error.stack, inspect(error, { depth: 9 }), JSON.stringify(error)].join('\n');

describe('The default configuration', () => {
  it('The three required variables are enough for a complete configuration', () => {
    const { variables, ...sections } = config(requiredSettings);
    expect(variables).toMatchObject({
      DISCORD_TOKEN: token,
      GATEWAY_CONNECTIONS: 32,
      TOTAL_BUDGET: sections.budgets.total,
    });
    expect(sections).toEqual({
      discord: {
        token,
        apiUrl: 'https://discord.com/api',
        guildIds: [],
        adminGuildIds: [],
        userInstall: false,
        mentions: true,
        messageContent: false,
      },
      operator: { ids: [] },
      gateway: {
        baseUrl: 'https://gateway.example',
        apiKey: key,
        connections: 32,
        jobsAtOnce: undefined,
        paths: { imgx: '/imgx', music: '/music', videoa: '/videoa', compat: '/v1beta/compat' },
        fields: {
          referenceAudios: 'reference_audio_urls',
          describeField: 'base64Array',
          user: undefined,
        },
        callbackFields: {},
        imagineReferences: 'address',
        videosBody: 'json',
        simpleChangeOrder: 'action-first',
        modelSlashes: 'encoded',
        realtimeBeta: false,
        pricing: {},
        remix: false,
      },
      store: { url: 'sqlite://data/atelier.sqlite', scheme: 'sqlite' },
      cluster: {
        role: 'all',
        queue: { url: 'sqlite://data/atelier.sqlite', scheme: 'sqlite' },
        shards: undefined,
        partitions: 32,
      },
      storeLeaseMs: 10_000,
      presets: [],
      prices: {},
      media: { marksResults: true, allowPrivate: false, memoryBytes: 512 * 2 ** 20 },
      http: { port: undefined, host: '127.0.0.1', metricsToken: undefined },
      callbacks: { url: undefined, port: undefined, host: '127.0.0.1' },
      log: { level: 'info' },
      poll: { schedule: 'learned', perSecond: 100, imgxLists: false },
      models: {},
      rules: {
        words: [],
        allowedWords: [],
        patterns: [],
        deniedDomains: [],
        access: [],
        privateCommands: [],
        pressers: 'everyone',
        personalInstalls: true,
        moderation: {
          prompts: 'off',
          references: 'off',
          results: 'off',
          unseen: 'show',
          ageRestricted: 'like-others',
          whenAway: 'refuse',
          thresholds: {},
        },
      },
      moderation: { baseUrl: undefined, apiKey: undefined, model: 'omni-moderation-latest' },
      modelKinds: {},
      budgets: {
        total: { day: { amount: '50', tasks: 2_000 } },
        server: { day: { amount: '20', tasks: 500 } },
        member: { day: { amount: '5', tasks: 100 } },
        direct: { day: { amount: '2', tasks: 50 } },
        timeZone: 'UTC',
      },
      unconfirmedReleaseMs: undefined,
      rates: { member: { atOnce: 20, perSecond: 2 }, server: { atOnce: 1_000, perSecond: 200 } },
      liveLimits: { ask: { all: 16, perMember: 3 }, talk: { all: 20, perMember: 2 } },
      maxWaitMs: { image: 300_000, video: 900_000, music: 300_000, text: 120_000 },
      followQuietMs: 600_000,
    });
  });

  it('Empty and blank variables fall back to their defaults', () => {
    const blank = Object.fromEntries(configVariables.map((name, index) => [name, index % 2 ? '' : ' \t\r']));
    expect(config({ ...blank, ...requiredSettings })).toEqual(config(requiredSettings));
  });

  it('Optional values without a default are absent instead of undefined', () => {
    const { discord, gateway, models } = config(requiredSettings);
    expect(discord).not.toHaveProperty('deployGuildId');
    expect(gateway).not.toHaveProperty('usageUnit');
    expect(gateway.fields).not.toHaveProperty('faceCheck');
    expect(Object.keys(models)).toEqual([]);
  });
});

describe('The values of variables', () => {
  it('Surrounding whitespace is removed from a value', () => {
    expect(withRequired({ DISCORD_TOKEN: `  ${token}\r`, GATEWAY_API_KEY: `${key} ` })).toEqual(
      config(requiredSettings),
    );
  });

  it.each([
    'https://gateway.example/',
    'https://gateway.example/v1',
    'https://gateway.example//v1//',
    'HTTPS://GATEWAY.example:443',
  ])('A base URL written as %s is normalized', (url) => {
    expect(withRequired({ GATEWAY_BASE_URL: url }).gateway.baseUrl).toBe('https://gateway.example');
  });

  it.each([
    ['http://10.0.0.5:4010/relay/v1/', 'http://10.0.0.5:4010/relay'],
    ['https://gateway.example/v1beta', 'https://gateway.example/v1beta'],
    ['https://gateway.example/rev1', 'https://gateway.example/rev1'],
  ])('The base URL %s is kept unchanged', (url, expected) => {
    expect(withRequired({ GATEWAY_BASE_URL: url }).gateway.baseUrl).toBe(expected);
  });

  it.each(['http://localhost:4020/api/', 'http://127.0.0.1:4020/api', 'http://127.8.8.8/api', 'http://[::1]:4020/api'])(
    'An unencrypted Discord URL on this machine is accepted: %s',
    (url) => {
      expect(withRequired({ DISCORD_API_URL: url }).discord.apiUrl).toBe(url.replace(/\/$/, ''));
    },
  );

  it('Every deviation of a gateway from the specification can be configured', () => {
    const gateway: Config['gateway'] = withRequired({
      GATEWAY_IMGX_PATH: '/mj-fast/mj/',
      GATEWAY_VIDEOA_PATH: '/',
      GATEWAY_CONNECTIONS: '1024',
      GATEWAY_JOBS_AT_ONCE: '12',
      GATEWAY_FACE_CHECK_FIELD: 'face_check',
      GATEWAY_IMAGINE_REFERENCES: 'base64',
      GATEWAY_USER_FIELD: 'user',
      GATEWAY_DESCRIBE_FIELD: 'base64',
      GATEWAY_VIDEOS_BODY: 'form',
      GATEWAY_SIMPLE_CHANGE_ORDER: 'id-first',
      GATEWAY_MODEL_SLASHES: 'plain',
      GATEWAY_USAGE_UNIT: 'cents',
      GATEWAY_REALTIME_BETA: 'on',
    }).gateway;
    expect(gateway).toMatchObject({
      paths: { imgx: '/mj-fast/mj', music: '/music', videoa: '' },
      connections: 1024,
      jobsAtOnce: 12,
      fields: { faceCheck: 'face_check', describeField: 'base64', user: 'user' },
      simpleChangeOrder: 'id-first',
      modelSlashes: 'plain',
      realtimeBeta: true,
      usageUnit: 'cents',
    });
  });

  it.each([
    ['sqlite', 'sqlite://:memory:'],
    ['sqlite', 'sqlite:///var/lib/my atelier.sqlite'],
    ['redis', 'redis://user:pass@redis.example:6379/2'],
    ['rediss', 'rediss://redis.example'],
    ['postgres', 'postgres://user:p%40ss@db.example/atelier'],
    ['postgresql', 'postgresql://db.example/atelier?sslmode=require'],
  ])('STORE_URL selects the %s driver and is kept unchanged: %s', (scheme, url) => {
    expect(withRequired({ STORE_URL: url }).store).toEqual({ url, scheme });
  });

  it('A switch accepts the usual words for on and off', () => {
    for (const word of ['on', 'ON', 'true', 'yes', '1'])
      expect(withRequired({ MEDIA_ALLOW_PRIVATE: word }).media.allowPrivate).toBe(true);
    for (const word of ['off', 'False', 'no', '0'])
      expect(withRequired({ MEDIA_ALLOW_PRIVATE: word }).media.allowPrivate).toBe(false);
  });

  it('Values in seconds are converted to milliseconds', () => {
    const { maxWaitMs } = withRequired({ MAX_WAIT_IMAGE_SECONDS: '30', MAX_WAIT_VIDEO_SECONDS: '86400' });
    expect(maxWaitMs).toMatchObject({ image: 30_000, video: 86_400_000 });
  });

  it('A flag and a list of references cannot share a field of video requests', () => {
    const problem = 'should differ from the fields for reference videos and reference audio';
    for (const list of ['GATEWAY_REFERENCE_VIDEO_FIELD', 'GATEWAY_REFERENCE_AUDIO_FIELD'])
      expect(problems({ ...requiredSettings, [list]: 'media', GATEWAY_FACE_CHECK_FIELD: 'media' })).toEqual([
        { variable: 'GATEWAY_FACE_CHECK_FIELD', problem },
      ]);
  });

  it('Callbacks and metrics cannot share a port, unless each has an address of its own', () => {
    const ports = { HTTP_PORT: '4020', CALLBACK_PORT: '4020', CALLBACK_URL: 'https://bot.example/callbacks' };
    const refusal = [{ variable: 'CALLBACK_PORT', problem: 'is the same as HTTP_PORT' }];
    for (const hosts of [{}, { HTTP_HOST: '0.0.0.0' }, { CALLBACK_HOST: '::' }])
      expect(problems({ ...requiredSettings, ...ports, ...hosts })).toEqual(refusal);
    for (const apart of [{ HTTP_HOST: '10.0.0.1' }, { CALLBACK_PORT: '4021' }])
      expect(() => withRequired({ ...ports, ...apart })).not.toThrow();
  });

  it('PRICES is read from its file, and no digit is lost', () => {
    const path = fileWith('{"imagine": 0.050, "imagine:vendor/m:1": "123456789012345678901234567890.10"}');
    expect(withRequired({ PRICES: path }).prices).toEqual({
      imagine: '0.050',
      'imagine:vendor/m:1': '123456789012345678901234567890.10',
    });
  });

  it('PRICES may state what makes a job more expensive', () => {
    const prices = {
      image: { each: '0.030', times: { modelSize: { '2K': '2' }, quality: { high: '1.5' } } },
      'video:reel-2': { perSecond: '0.01', usualSeconds: '5', times: { sound: { on: '2' }, mode: { pro: '2' } } },
      ask: { perMillion: { input: '1.25', output: '10', cachedInput: '0.125' } },
    };
    expect(withRequired({ PRICES: fileWith(JSON.stringify(prices)) }).prices).toEqual(prices);
  });

  it.each([
    ['{"imagine": "1", "image": {"each": "-1"}}', 'entry 2 of the file, each'],
    ['{"image": {"each": "1", "times": {"quality": {"my secret": "x"}}}}', 'entry 1 of the file, times, quality'],
    ['{"ask": {"perMillion": {"input": "1"}}}', 'entry 1 of the file, perMillion, output'],
    ['{"image": {}}', 'entry 1 of the file'],
    [
      '{"imagine": "0,05", "image": "1", "my secret": {}, "video": {"perSecnd": "1"}, "ask": "x", "music": true}',
      'entry 1 of the file; entry 3 of the file; entry 4 of the file; and 2 more',
    ],
    ['{"image": {"usualSeconds": "5"}}', 'entry 1 of the file'],
    ['{"my secret": "1"}', 'entry 1 of the file'],
  ])('PRICES with %s is refused with the location of the mistake, without quoting the file', (text, place) => {
    const [foundProblem] = problems({ ...requiredSettings, PRICES: fileWith(text) });
    expect(foundProblem?.problem).toMatch(new RegExp(`See ${place}$`));
    expect(foundProblem?.problem).not.toContain('secret');
  });

  it('MODEL_KINDS is read from its file, and any mistake in the file is reported', () => {
    const kinds = { 'studio-*': 'image', 'vendor/a:1': 'voice' };
    expect(withRequired({ MODEL_KINDS: fileWith(JSON.stringify(kinds)) }).modelKinds).toEqual(kinds);
    for (const text of ['image', '[]', '{"a": "images"}', '{"": "image"}', '{"a": 1}', '{"a": ["image"]}'])
      expect(problems({ ...requiredSettings, MODEL_KINDS: fileWith(text) })).toEqual([
        { variable: 'MODEL_KINDS', problem: expect.stringMatching(/^should be the path of a JSON file/) },
      ]);
    const [wrong] = problems({ ...requiredSettings, MODEL_KINDS: fileWith('{"a": "image", "my secret": "images"}') });
    expect(wrong?.problem).toMatch(/See entry 2 of the file$/);
  });

  it.each([
    'imagine',
    '[]',
    '{"imagin": "1"}',
    '{"imagine:": "1"}',
    '{"imagine": "-1"}',
    '{"imagine": "1e-7"}',
    '{"imagine": 1e-7}',
    '{"imagine": ".5"}',
    '{"imagine": "$1"}',
    '{"imagine": true}',
    '{"imagine": {"model": "1"}}',
  ])('PRICES is refused if its file contains %s', (text) => {
    expect(problems({ ...requiredSettings, PRICES: fileWith(text) })).toEqual([
      { variable: 'PRICES', problem: expect.stringMatching(/^should be the path of a JSON file/) },
    ]);
  });

  it('A model id may contain every character that occurs in such ids', () => {
    const id = 'vendor/Model.X:2026-01-01%beta';
    const models = Object.fromEntries(
      configVariables.filter((name) => /^DEFAULT_\w+_MODEL$/.test(name)).map((name) => [name, id]),
    );
    expect(withRequired(models).models).toEqual({ image: id, video: id, music: id, text: id, talk: id });
  });
});

describe('The configured servers', () => {
  it('A list of servers is separated by commas, spaces or both, and duplicates are removed', () => {
    expect(withRequired({ DISCORD_GUILD_IDS: ` ${guild}, ${otherGuild} ${guild},` }).discord.guildIds).toEqual([
      guild,
      otherGuild,
    ]);
    expect(withRequired({ DISCORD_GUILD_ID: guild }).discord.deployGuildId).toBe(guild);
  });

  it('If only one server is served, its managers see the account', () => {
    expect(withRequired({ DISCORD_GUILD_IDS: guild }).discord.adminGuildIds).toEqual([guild]);
  });

  it('If several servers are served and no admin server is set, no managers see the account', () => {
    expect(withRequired({ DISCORD_GUILD_IDS: `${guild} ${otherGuild}` }).discord.adminGuildIds).toEqual([]);
  });

  it('If an admin server is set, its managers see the account', () => {
    const { discord } = withRequired({ DISCORD_GUILD_IDS: guild, DISCORD_ADMIN_GUILD_IDS: otherGuild });
    expect(discord.adminGuildIds).toEqual([otherGuild]);
  });
});

describe('Invalid values', () => {
  const paths = [
    'imgx',
    '/im gx',
    '/imgx?x=1',
    '/imgx#x',
    '//imgx',
    '/a//b',
    '/../x',
    '/a/./b',
    '/a/..',
    'https://x.example',
  ];
  const numbers = ['0', '-1', '1.5', '1e2', '0x20', 'many', '99999999', '9'.repeat(400)];
  const fields = ['two words', '1st', 'a"b', '__proto__', 'a:b', 'image', 'prompt', 'metadata'];
  const switches = ['maybe', '2', 'onoff'];
  const guilds = ['my server', '1234', `${guild}a`, '123456789012345678901', '-12345678901234567'];
  const waits = [...numbers, '29', '86401'];
  const lists = [...guilds, `${guild};${otherGuild}`, `${guild},none`];
  const models = ['two\nlines', 'a\u0000b'];
  const counts = ['0', '-1', '1.5', 'many', '100000'];
  const rates = [
    '20',
    '20 at once',
    '0 at once, 1 a second',
    '2 at once, 0 a second',
    '2 at once, 1 a year',
    'unlimited',
  ];
  const budgets = ['5', '$5', 'unlimited', '$5 a year', '5 tasks a day, 6 tasks a day', 'dance: 1 task a day'];
  const invalidValues: Record<string, string[]> = {
    DISCORD_TOKEN: ['token', 'a.b', 'a.b.c.d', 'a..c', `Bot ${token}`, `"${token}"`],
    DISCORD_GUILD_ID: [...guilds, `${guild} ${otherGuild}`],
    DISCORD_API_URL: [
      'discord.com/api',
      'http://discord.com/api',
      'http://localhost.example/api',
      'http://127.0.0.1.example/api',
      'https://discord.com/api/v10',
      'https://discord.com/api?v=10',
      'https://user:pass@discord.com/api',
      'ftp://discord.com/api',
    ],
    DISCORD_GUILD_IDS: lists,
    DISCORD_ADMIN_GUILD_IDS: lists,
    OPERATOR_CHANNEL_ID: ['123', 'studio', `${guild},${otherGuild}`],
    OPERATOR_IDS: lists,
    OPERATOR_LANGUAGE: ['german', 'DE', 'en-US'],
    DISCORD_USER_INSTALL: switches,
    DISCORD_MENTIONS: switches,
    DISCORD_MESSAGE_CONTENT: switches,
    GATEWAY_BASE_URL: [
      'gateway.example',
      'localhost:4010',
      'wss://gateway.example',
      'https://',
      'https://gateway.example?key=x',
      'https://gateway.example/#x',
      'https://user:pass@gateway.example',
      'https://user@gateway.example',
      'https://gate way.example',
    ],
    GATEWAY_API_KEY: ['key', 'sk-', 'SK-key', 'sk-two words', 'Bearer sk-key', 'sk-ключ'],
    GATEWAY_IMGX_PATH: paths,
    GATEWAY_MUSIC_PATH: paths,
    GATEWAY_VIDEOA_PATH: paths,
    GATEWAY_COMPAT_PATH: paths,
    GATEWAY_CONNECTIONS: [...numbers, '1025'],
    GATEWAY_JOBS_AT_ONCE: ['0', '1.5', '10001', 'many'],
    GATEWAY_REFERENCE_VIDEO_FIELD: fields,
    GATEWAY_REFERENCE_AUDIO_FIELD: fields,
    GATEWAY_FACE_CHECK_FIELD: fields,
    GATEWAY_IMAGINE_REFERENCES: ['url', 'Base64'],
    GATEWAY_USER_FIELD: ['1user', 'a b', 'user-id'],
    GATEWAY_MUSIC_CALLBACK_FIELD: ['1hook', 'a b', 'notify-hook'],
    GATEWAY_VIDEO_CALLBACK_FIELD: ['1hook', 'a b', 'prompt', 'images'],
    GATEWAY_DESCRIBE_FIELD: ['base64array', 'image'],
    GATEWAY_VIDEOS_BODY: ['multipart', 'Form'],
    GATEWAY_SIMPLE_CHANGE_ORDER: ['action', 'U2 <task>'],
    GATEWAY_MODEL_SLASHES: ['on', '%2F'],
    GATEWAY_PRICING_PATH: [...paths, '/'],
    GATEWAY_PRICING_GROUP: ['two\u0000words', 'x'.repeat(201)],
    GATEWAY_USAGE_UNIT: ['dollars', 'CENTS'],
    GATEWAY_REALTIME_BETA: switches,
    GATEWAY_REMIX: switches,
    GATEWAY_IMGX_LISTS: switches,
    GATEWAY_POLLS_PER_SECOND: [...numbers, '10001'],
    ATELIER_ROLE: ['both', 'Worker'],
    STORE_URL: ['data/atelier.sqlite', 'sqlite://', 'redis://', 'mysql://db.example', 'file:///x', 'redis://u:p#x@h:y'],
    QUEUE_URL: ['sqlite://data/queue.sqlite', 'redis://', 'mysql://db.example', 'redis://u:p#x@h:y'],
    SHARD_COUNT: [...numbers, '10001'],
    PARTITIONS: [...numbers, '1025'],
    STORE_LEASE_SECONDS: [...numbers, '4', '301'],
    BACKUP_PASSPHRASE: ['short', 'eleven-char'],
    MEDIA_ALLOW_PRIVATE: switches,
    MARK_RESULTS: ['yes', 'ON '],
    MEDIA_MEMORY_MB: [...numbers, '191', '65537'],
    HTTP_PORT: [...numbers, '65536'],
    HTTP_HOST: ['two words', 'http://127.0.0.1', '[::1]'],
    METRICS_TOKEN: ['short', 'fifteen-letters', 'two words of a token'],
    CALLBACK_URL: [
      'ftp://a.example',
      'a.example',
      'https://u:p@a.example',
      'https://a.example/?a',
      'https://a.example/#a',
    ],
    CALLBACK_PORT: [...numbers, '65536'],
    CALLBACK_HOST: ['two words', 'http://127.0.0.1', '[::1]'],
    LOG_LEVEL: ['loud', 'INFO', '30'],
    POLL_SCHEDULE: ['fast', 'spec,learned'],
    PRICES: ['no/such/file.json', '.', 'package.json', 'README.md', '{"imagine": "0.05"}'],
    MODEL_KINDS: ['no/such/file.json', '.', 'package.json', 'README.md', '{"a": "image"}'],
    RULES: ['no/such/file.json', '.', 'README.md', '{"words": []}'],
    PRESETS: ['no/such/file.json', '.', 'package.json', 'README.md', '[]'],
    MODERATION_BASE_URL: ['moderation.example', 'ftp://a.example', 'https://user:pass@a.example'],
    MODERATION_API_KEY: ['two words', 'ключ'],
    MODERATION_MODEL: ['two words'],
    TOTAL_BUDGET: budgets,
    DEFAULT_SERVER_BUDGET: budgets,
    DEFAULT_MEMBER_BUDGET: budgets,
    DIRECT_BUDGET: budgets,
    BUDGET_TIMEZONE: ['Berlin', 'UTC+25', 'Europe/Nowhere'],
    UNCONFIRMED_RELEASE_HOURS: ['0', '-1', '1.5', '8761', 'never'],
    MEMBER_RATE: rates,
    SERVER_RATE: rates,
    MAX_ANSWERS: counts,
    MAX_ANSWERS_PER_MEMBER: counts,
    MAX_TALKS: counts,
    MAX_TALKS_PER_MEMBER: counts,
    DEFAULT_IMAGE_MODEL: models,
    DEFAULT_VIDEO_MODEL: models,
    DEFAULT_MUSIC_MODEL: models,
    DEFAULT_TEXT_MODEL: models,
    DEFAULT_TALK_MODEL: models,
    MAX_WAIT_IMAGE_SECONDS: waits,
    MAX_WAIT_VIDEO_SECONDS: waits,
    MAX_WAIT_MUSIC_SECONDS: waits,
    MAX_WAIT_TEXT_SECONDS: waits,
    FOLLOW_QUIET_SECONDS: waits,
  };

  it.each([
    ['{"my secret": []}', 'field 1, which rules do not have; the fields there are words, allowedWords, '],
    [
      '{"pressers": {"roleIds": ["1234567890123456789"], "my secret": 1}}',
      'pressers › field 2, which rules do not have',
    ],
    ['{"words": [{"text": "", "kinds": ["my secret"]}]}', 'words › entry 1 › text, which is empty'],
    ['{"access": [{"kinds": ["my secret"]}]}', 'access › entry 1 › effect, which is missing'],
    [
      '{"words": [], "access": [{"effect": "deny", "my secret": ["music"]}]}',
      'access › entry 1 › field 2, which rules do not have; the fields there are effect, kinds, models, roleIds, channelIds',
    ],
    ['{"words": [{"text": "x", "kinds": ["my secret"]}]}', 'words › entry 1 › kinds; the types are imagine, '],
    ['{"privateCommands": ["my secret"]}', 'privateCommands; the commands are imagine, '],
    ['{"moderation": {"prompts": "my secret"}}', 'moderation › prompts'],
    ['{"moderation": {"thresholds": {"my secret": 2}}}', 'moderation › thresholds'],
    ['{"patterns": [{"text": "(my secret"}]}', 'its patterns, one of which is invalid: missing closing )'],
    ['["my secret"]', 'the example: rules are in curly brackets'],
  ])('A mistake in the file with rules is reported with its place and without its text: %s', (text, place) => {
    const [problem] = problems({ ...requiredSettings, RULES: fileWith(text) });
    expect(problem?.problem).toContain(`. See ${place}`);
    expect(problem?.problem).not.toContain('my secret');
  });

  const poster = { name: 'Poster', command: 'imagine', template: '{prompt}, poster', options: { aspect: '2:3' } };

  it('PRESETS is read from its file', () => {
    const plain = { name: 'Haiku', command: 'ask', template: 'Answer as a haiku:' };
    expect(withRequired({ PRESETS: fileWith(JSON.stringify([poster, plain])) }).presets).toEqual([
      poster,
      { ...plain, options: {} },
    ]);
  });

  it.each([
    [{ my: 'secret' }, 'the example: a list of at most 200 presets'],
    [[poster, { ...poster, name: 'poster' }], 'entry 2 › name'],
    [[{ ...poster, name: '*my secret*' }], 'entry 1 › name'],
    [[{ ...poster, command: 'my secret' }], 'entry 1 › command'],
    [[{ ...poster, template: ' ' }], 'entry 1 › template'],
    [[{ ...poster, 'my secret': 1 }], 'entry 1'],
    [[{ ...poster, options: { 'my secret': 1 } }], 'entry 1 › options › field 1'],
    [[{ ...poster, options: { aspect: '2:3', chaos: 101 } }], 'entry 1 › options › field 2'],
    [[{ ...poster, options: { private: true } }], 'entry 1 › options › field 1'],
  ])('A mistake in the file with presets is reported with its place and without its text: %j', (content, place) => {
    const [problem] = problems({ ...requiredSettings, PRESETS: fileWith(JSON.stringify(content)) });
    expect(problem?.problem).toMatch(new RegExp(`[.] See ${place}$`));
    expect(problem?.problem).not.toContain('my secret');
  });

  it('Rules that use moderation need a moderation service', () => {
    const environment = { ...requiredSettings, RULES: fileWith('{"moderation": {"results": "hold"}}') };
    const problem = 'is required because RULES uses moderation';
    expect(problems(environment)).toEqual([{ variable: 'MODERATION_BASE_URL', problem }]);
    expect(problems({ ...environment, MODERATION_BASE_URL: 'https://moderation.example' })).toEqual([]);
  });

  it('A key for moderation without a service is reported', () => {
    const environment = { ...requiredSettings, MODERATION_API_KEY: 'my-secret' };
    const problem = 'is required because MODERATION_API_KEY is set';
    expect(problems(environment)).toEqual([{ variable: 'MODERATION_BASE_URL', problem }]);
  });

  it.each(['PRICES', 'MODEL_KINDS', 'RULES', 'PRESETS'])(
    'Where the file of %s stops being JSON is reported without its text',
    (name) => {
      const [broken] = problems({ ...requiredSettings, [name]: fileWith('{\n  "my secret": 1,,\n}') });
      expect(broken?.problem).toMatch(/\. See line 2, column 18 of the file, where it stops being JSON$/);
      expect(broken?.problem).not.toContain('my secret');
      const [missing] = problems({ ...requiredSettings, [name]: '/no/such/file' });
      expect(missing?.problem).toMatch(/\. See the path: no file can be read there$/);
    },
  );

  it.each(['shard', 'worker'])('A %s without a server for the store is reported', (role) => {
    const problem = `should be a Redis or Postgres server with ATELIER_ROLE=${role}`;
    expect(problems({ ...requiredSettings, ATELIER_ROLE: role })).toEqual([{ variable: 'STORE_URL', problem }]);
    const { cluster } = withRequired({ ATELIER_ROLE: role, STORE_URL: 'redis://db.example' });
    expect(cluster).toMatchObject({ role, queue: { url: 'redis://db.example' } });
  });

  it('The test has invalid values for every variable', () => {
    expect(Object.keys(invalidValues)).toEqual([...configVariables]);
  });

  it.each(Object.entries(invalidValues).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    'An invalid value of %s is reported once, with the variable and the expected format: %j',
    (name, value) => {
      expect(problems({ ...requiredSettings, [name]: value })).toEqual([
        { variable: name, problem: expect.stringMatching(/^should be \w.{8,}/) },
      ]);
    },
  );

  it('All invalid and missing variables are reported together, in a fixed order', () => {
    const everything = Object.fromEntries(Object.entries(invalidValues).map(([name, [first]]) => [name, first]));
    expect(problems(everything).map(({ variable }) => variable)).toEqual([...configVariables]);
    const reportedProblems = problems({ LOG_LEVEL: 'loud', GATEWAY_API_KEY: 'key', GATEWAY_API_KEE: 'x' });
    expect(
      reportedProblems.map(({ variable, problem }) => `${variable} ${problem.split(' ').slice(0, 2).join(' ')}`),
    ).toEqual([
      'DISCORD_TOKEN is required:',
      'GATEWAY_BASE_URL is required:',
      'GATEWAY_API_KEY should be',
      'LOG_LEVEL should be',
      'GATEWAY_API_KEE is not',
    ]);
  });

  it('The message of the error has one line for each invalid variable', () => {
    const error = refusal({ ...requiredSettings, LOG_LEVEL: 'loud', MEDIA_ALLOW_PRIVATE: 'maybe' });
    expect(error?.message.split('\n')).toEqual([
      'MEDIA_ALLOW_PRIVATE should be on or off',
      'LOG_LEVEL should be one of trace, debug, info, warn, error, fatal, silent',
    ]);
  });
});

describe('Missing variables', () => {
  it('Only three variables are required', () => {
    expect(problems({}).map(({ variable }) => variable)).toEqual(Object.keys(requiredSettings));
    for (const { problem } of problems({})) expect(problem).toMatch(/^is required: the /);
  });
});

describe('Misspelled variables', () => {
  it.each([
    ['DISCORD_TOKE', 'DISCORD_TOKEN'],
    ['DISCORD_TOKEN_FIEL', 'DISCORD_TOKEN_FILE'],
    ['DISCORD_GUILDS_ID', 'DISCORD_GUILD_ID'],
    ['GATEWAY_API_KYE', 'GATEWAY_API_KEY'],
    ['GATEWAY_BASE_URI', 'GATEWAY_BASE_URL'],
    ['GATEWAY_APIKEY', 'GATEWAY_API_KEY'],
    ['STORE_URLS', 'STORE_URL'],
    ['MEDIA_ALLOW_PRIVAT', 'MEDIA_ALLOW_PRIVATE'],
    ['POLL_SHEDULE', 'POLL_SCHEDULE'],
    ['BACKUP_PASSPHRAS', 'BACKUP_PASSPHRASE'],
    ['HTTP_PROT', 'HTTP_PORT'],
    ['METRIC_TOKEN', 'METRICS_TOKEN'],
    ['DEFAULT_IMAGES_MODEL', 'DEFAULT_IMAGE_MODEL'],
    ['MAX_WAIT_IMAGE_SECOND', 'MAX_WAIT_IMAGE_SECONDS'],
  ])('A misspelled variable is reported with the intended name: %s', (name, intended) => {
    expect(problems({ ...requiredSettings, [name]: 'x' })).toEqual([
      { variable: name, problem: `is not an Atelier setting. Did you mean ${intended}?` },
    ]);
  });

  it.each([
    ['too different from any known variable', 'GATEWAY_TIMEOUT'],
    ['one of another program', 'DISCORD_WEBHOOK_URL'],
    ['also one of another program', 'HTTP_PROXY'],
    ['without a known prefix', 'LOG_LEVELS'],
    ['two letters different from SERVER_RATE', 'SERVER_NAME'],
    ['two letters different from MAX_TALKS', 'MAX_TASKS'],
    ['two letters different from MEMBER_RATE', 'MEMBER_NAME'],
  ])('A variable is not reported as misspelled if it is %s: %s', (_, name) => {
    expect(problems({ ...requiredSettings, [name]: 'x' })).toEqual([]);
  });

  it('An empty misspelled variable is not reported', () => {
    expect(problems({ ...requiredSettings, DISCORD_TOKENS: ' ' })).toEqual([]);
  });
});

describe('The configuration object', () => {
  it('The configuration object is deeply frozen', () => {
    const config = withRequired({ DISCORD_GUILD_IDS: guild, DEFAULT_TEXT_MODEL: 'text' });
    const notFrozen: unknown[] = [];
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Object.isFrozen(value)) notFrozen.push(value);
      for (const inner of Object.values(value)) visit(inner);
    };
    visit(config);
    expect(notFrozen).toEqual([]);
    expect(Object.isFrozen(config.discord.guildIds)).toBe(true);
    expect(Object.isFrozen(configVariables)).toBe(true);
  });

  it('Two configuration objects share no values', () => {
    expect(config(requiredSettings).store).not.toBe(config(requiredSettings).store);
  });
});

describe('The secrets of the configuration', () => {
  const password = 'hunter2-of-the-store';

  it.each([
    ['an invalid token', { DISCORD_TOKEN: 'hunter2-of-the-store' }],
    ['a token with a word before it', { DISCORD_TOKEN: `Bot ${password}.b.c` }],
    ['an invalid key', { GATEWAY_API_KEY: password }],
    ['a key with a space', { GATEWAY_API_KEY: `sk-${password} x` }],
    ['a store that cannot be read', { STORE_URL: `redis://user:${password}#@host:port` }],
    ['an unknown kind of store', { STORE_URL: `mysql://user:${password}@host/atelier` }],
    ['a URL with a password', { GATEWAY_BASE_URL: `https://user:${password}@gateway.example` }],
    ['a URL with a key in its query', { GATEWAY_BASE_URL: `https://gateway.example?key=${password}` }],
    [
      'a secret as the value of another variable',
      { LOG_LEVEL: password, DISCORD_GUILD_IDS: password, POLL_SCHEDULE: password },
    ],
    ['a secret as the value of a misspelled variable', { DISCORD_TOKENS: password, GATEWAY_API_KEYS: password }],
  ])('An error message never contains a secret: %s', (_, environment) => {
    const error = refusal({ ...requiredSettings, ...environment });
    expect(error).toBeInstanceOf(ConfigError);
    if (error) expect(visibleTextOf(error)).not.toMatch(/hunter2|secret-of/);
  });

  // The § keeps a generated secret from matching a word of an error message by chance.
  const word = fc.stringMatching(/^[A-Za-z0-9_-]{6,20}$/);
  const secret = fc.oneof(
    fc.string({ minLength: 4, unit: 'grapheme' }).map((text) => `§${text.trim()}`),
    word.map((text) => `sk-x9${text}`),
    fc.tuple(word, word, word).map((parts) => `x9${parts.join('.')}`),
  );
  const name = fc.oneof(
    fc.constantFrom<string>(...configVariables),
    fc
      .tuple(fc.constantFrom<string>(...configVariables), fc.constantFrom('S', '_', 'XY'))
      .map((parts) => parts.join('')),
    fc.string(),
  );
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant(undefined),
    fc.constantFrom(...Object.values(defaults)),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc.integer().map(String),
  );

  it('No error message contains a secret for any environment, and only a ConfigError is thrown', () => {
    const environment = fc.record({
      others: fc.dictionary(name, value, { maxKeys: 12 }),
      secrets: fc.tuple(secret, secret, secret),
      misplaced: fc.subarray([...configVariables]),
    });
    fc.assert(
      fc.property(environment, ({ others, secrets: [token, key, password], misplaced }) => {
        const error = refusal({
          ...others,
          DISCORD_TOKEN: token,
          GATEWAY_API_KEY: key,
          STORE_URL: `redis://user:${password}@host:port`,
          ...Object.fromEntries(misplaced.map((variable) => [variable, key])),
        });
        if (!error) return;
        expect(error.problems.length).toBeGreaterThan(0);
        const visibleText = visibleTextOf(error);
        for (const secretValue of [token, key, password]) expect(visibleText.includes(secretValue)).toBe(false);
      }),
      { numRuns: runs(150, 60) },
    );
  });
});

describe('.env.example', () => {
  const text = readFileSync(new URL('../.env.example', import.meta.url), 'utf8');
  const activeVariables = parseEnv(text);
  const commentedVariables = parseEnv(
    text
      .split('\n')
      .filter((line) => /^#[A-Z]/.test(line))
      .map((line) => line.slice(1))
      .join('\n'),
  );

  it('.env.example contains exactly the known variables, each once', () => {
    const names = [...text.matchAll(/^#?([A-Z][A-Z_]+)=/gm)].map(([, variable]) => variable);
    expect(names.toSorted()).toEqual([...configVariables, ...secretVariables.map(fileVariable)].toSorted());
    expect(names.toSorted()).toEqual(Object.keys({ ...activeVariables, ...commentedVariables }).toSorted());
  });

  it('.env.example starts with the required variables, empty, and activates no others', () => {
    expect(activeVariables).toEqual({ DISCORD_TOKEN: '', GATEWAY_BASE_URL: '', GATEWAY_API_KEY: '' });
    expect(text.lastIndexOf('\nGATEWAY_API_KEY=')).toBeLessThan(text.search(/^#[A-Z]/m));
  });

  it('.env.example shows the default of every optional variable', () => {
    expect(commentedVariables).toEqual({
      ...defaults,
      ...Object.fromEntries(secretVariables.map((name) => [fileVariable(name), ''])),
    });
    for (const [name, defaultValue] of Object.entries(commentedVariables)) {
      expect([name, withRequired({ [name]: defaultValue })]).toEqual([name, config(requiredSettings)]);
    }
  });

  it('.env.example has a comment before every group of variables', () => {
    const paragraphs = text.split('\n').filter((line) => line !== '');
    paragraphs.forEach((line, index) => {
      if (/^#?[A-Z_]+=/.test(line)) expect(paragraphs[index - 1]).toMatch(/^# [^=]|^#?[A-Z_]+=/);
    });
  });

  it('.env.example is a valid configuration once the required lines are filled in', () => {
    let filledText = text;
    for (const [name, value] of Object.entries(requiredSettings))
      filledText = filledText.replace(`\n${name}=`, `\n${name}=${value}`);
    expect(config(parseEnv(filledText))).toEqual(config(requiredSettings));
  });
});
