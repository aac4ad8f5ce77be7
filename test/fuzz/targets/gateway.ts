import fc from 'fast-check';
import { systemClock } from '../../../src/lib/clock.ts';
import { type Json, parseExact } from '../../../src/lib/exact-json.ts';
import { containsError, toGatewayError } from '../../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { FineTunes } from '../../../src/services/gateway/fine-tunes.ts';
import { GatewayHttp } from '../../../src/services/gateway/http.ts';
import { Models } from '../../../src/services/gateway/models.ts';
import { readSubmission } from '../../../src/services/gateway/read/reader.ts';
import type { Family } from '../../../src/services/gateway/read/table.ts';
import { defaultLimits, defaultSettings } from '../../../src/services/gateway/settings.ts';
import { TaskClient } from '../../../src/services/gateway/task-client.ts';
import { UsageReports } from '../../../src/services/gateway/usage.ts';
import { imageBodies } from '../../services/gateway/read/image.bodies.ts';
import { imgxBodies } from '../../services/gateway/read/imgx.bodies.ts';
import { musicBodies } from '../../services/gateway/read/music.bodies.ts';
import { answers } from '../../services/gateway/read/strange.ts';
import { videoBodies } from '../../services/gateway/read/video.bodies.ts';
import { BrokenInvariant, type Target } from '../target.ts';

const settings = { ...defaultSettings, baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-secret-of-the-gateway' };

/** The real client, except that the response is the input and nothing is sent. */
class Answered extends GatewayHttp {
  answer: Json = null;

  override async read(): Promise<Json> {
    return this.answer;
  }
}

const log = { info: () => undefined, warn: () => undefined };
const http = new Answered(settings, defaultLimits, { log, clock: systemClock, random: () => 0.5 });
const tasks = new TaskClient(http, settings);
const models = new Models(http, settings);
const usage = new UsageReports(http);
const fineTunes = new FineTunes(http);

/** Text that is not JSON never reaches the readers. */
const isExpected = (error: unknown): boolean => error instanceof GatewayError || error instanceof SyntaxError;

const WORDS = [
  ...[
    '{"data":',
    '[',
    ']',
    '}',
    ',',
    ':',
    'null',
    '"',
    '\\"',
    '1.50',
    '1e999',
    '-0',
    '12345678901234567890',
    '[[',
    '{"a":',
  ],
  ...[
    '"id":"t"',
    '"status":"SUCCESS"',
    '"data":[',
    '"url":"https://cdn.example/a.png"',
    '"error":{',
    '"code":21',
    '" "',
  ],
  ...['<script>', '<!--', '</', '<title>', 'sk-', 'Bearer ', 'data:image/png;base64,', 'https://', ' ', '\t', '%'],
];

const text = (value: unknown): string => JSON.stringify(value);
const nestedArrays = (times: number): string => '['.repeat(times) + ']'.repeat(times);
const task = (fields: object): string => text({ id: 't', status: 'SUCCESS', ...fields });

const common: Target['growing'] = {
  'letters of a word': (times) => task({ status: 'x'.repeat(times), failReason: ' '.repeat(times) }),
  'items of a list': (times) => task({ data: Array.from({ length: times }, (_, at) => ({ url: `/${at}`, id: at })) }),
  'null items': (times) => task({ data: Array.from({ length: times }, () => ({})) }),
  'digits of a number': (times) => `{"id":${'1'.repeat(times)},"progress":${'1'.repeat(times)}.5}`,
  'text within text': (times) => task({ data: text(Array.from({ length: times }, () => text([1.5]))) }),
  'fields of a map': (times) =>
    task({ data: Object.fromEntries(Array.from({ length: times }, (_, at) => [`a${at}`, { b: at }])) }),
};

function familyTarget(family: Family, bodies: readonly { body: string }[]): Target {
  return {
    name: `${family}-tasks`,
    reads: 'text',
    seeds: () => bodies.map(({ body }) => body),
    structured: answers,
    words: WORDS,
    run(input) {
      const answer = parseExact(input.toString());
      let failure: unknown;
      for (const step of [
        () => tasks.readTask(family, answer),
        () => tasks.readTasks(family, answer),
        () => readSubmission(family, answer),
      ]) {
        try {
          step();
        } catch (error) {
          failure ??= error;
          if (!isExpected(error)) throw error;
        }
      }
      if (failure) throw failure;
    },
    isExpected,
    growing: common,
  };
}

const readBy = (read: () => Promise<unknown>) => async (input: Buffer) => {
  http.answer = parseExact(input.toString());
  await read();
};

const day = '2026-01-01';

export const gatewayTargets: readonly Target[] = [
  familyTarget('imgx', imgxBodies),
  familyTarget('image', imageBodies),
  familyTarget('video', videoBodies),
  familyTarget('music', musicBodies),
  {
    name: 'models',
    reads: 'text',
    seeds: () => [
      '{"object":"list","data":[{"id":"m-1","object":"model","created":1700000000,"owned_by":"x"}]}',
      '{"models":["a","b"]}',
      '{"data":{"models":[{"name":"m"}]}}',
    ],
    structured: answers,
    words: WORDS,
    async run(input) {
      await readBy(() => models.list())(input);
      await models.get('m-1').catch((error: unknown) => {
        if (!isExpected(error)) throw error;
      });
    },
    isExpected,
    growing: {
      'items of a list': (times) => text({ data: Array.from({ length: times }, (_, at) => ({ id: `m${at}` })) }),
      'fields of a map': (times) =>
        text({ data: Object.fromEntries(Array.from({ length: times }, (_, at) => [`m${at}`, { id: at }])) }),
    },
  },
  {
    name: 'usage',
    reads: 'text',
    seeds: () => [
      '{"object":"list","total_usage":1.10,"daily_costs":[{"timestamp":1700000000,"line_items":[{"name":"m","cost":0.10}]}]}',
      '{"data":[{"date":"2026-01-01","model":"m","requests":3,"amount":"1.50"}]}',
    ],
    structured: answers,
    words: [...WORDS, '"daily_costs":[', '"line_items":[', '"amount":', '"date":"', '"timestamp":', '8640000000001'],
    run: readBy(() => usage.get({ start: day, end: day })),
    isExpected,
    growing: {
      rows: (times) =>
        text({ data: Array.from({ length: times }, () => ({ date: day, amount: '1.5', items: [{ cost: 1 }] })) }),
      'digits of an amount': (times) => text({ data: [{ date: day, amount: `${'1'.repeat(times)}x` }] }),
    },
  },
  {
    name: 'fine-tunes',
    reads: 'text',
    seeds: () => [
      '{"object":"list","data":[{"object":"event","id":"e","created_at":1700000000,"level":"info","message":"m"}]}',
    ],
    structured: answers,
    words: WORDS,
    run: readBy(() => fineTunes.events('ft-1')),
    isExpected,
    growing: {
      events: (times) =>
        text({ data: Array.from({ length: times }, (_, at) => ({ created_at: times - at, message: 'm' })) }),
    },
  },
  {
    name: 'gateway-errors',
    reads: 'text',
    seeds: () => [
      '{"error":{"message":"no","type":"invalid_request_error","code":"insufficient_user_quota"}}',
      '{"code":24,"description":"banned_prompt","properties":{"bannedWord":"x"}}',
      '<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>',
      '{"response":{"error":{"message":"m"}},"retry_after":3}',
    ],
    structured: fc.oneof(
      answers,
      fc.array(fc.constantFrom(...WORDS, '>', '<style', '</style  ', '-->', '<a ')).map((list) => list.join('')),
    ),
    words: [...WORDS, '<style>', '</style', '-->', '<a', '<p ', '>', '</script', '&#10;', '"'],
    run(input) {
      const words = input.toString();
      const body = bodyIn(words);
      const error = toGatewayError({
        status: 400,
        body,
        text: words,
        isSubmit: true,
        missing: 'not-found',
        secrets: [settings.apiKey],
      });
      if (error.message.length > 1_000) throw new BrokenInvariant(`A message of ${error.message.length} characters.`);
      containsError(body, true);
      containsError(body, false);
    },
    isExpected,
    growing: {
      'comments that never end': (times) => '<!-- '.repeat(times),
      'tags that never end': (times) => '<a '.repeat(times),
      'closing script tags': (times) => `<script>${'</script '.repeat(times)}`,
      'a title that never ends': (times) => '<title'.repeat(times),
      spaces: (times) => `x${' '.repeat(times)}x`,
      'a long code': (times) => text({ error: { message: `a${'_a'.repeat(times)}!` } }),
      keys: (times) => text({ error: { message: 'sk-'.repeat(times) } }),
    },
  },
  {
    name: 'exact-json',
    reads: 'text',
    seeds: () => [
      '{"a":1.10,"b":[1320098173412546123,1e3,-0.0],"c":"x\\u0000"}',
      '[]',
      '"x"',
      '12345678901234567',
      ' { "a" : 1.0 } ',
    ],
    structured: fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .array(fc.constantFrom('1', '.', 'e', '-', ',', '[', ']', ' ', '0', ':', '"', '{', '}', '12345678901234567'))
        .map((list) => list.join('')),
    ),
    words: WORDS,
    run(input) {
      const letters = input.toString();
      const exact = parseExact(letters);
      const plain: unknown = JSON.parse(letters);
      // Serializing it again would take more stack than parsing it did.
      if ((letters.match(/[[{]/g)?.length ?? 0) > DEEPEST) return;
      if (shapeOf(exact) !== shapeOf(plain)) throw new BrokenInvariant('The plain parser returns a different value.');
    },
    isExpected: (error) => error instanceof SyntaxError,
    growing: {
      'nested lists': nestedArrays,
      'nested objects with an exact number': (times) => `${'{"a":'.repeat(times)}1.50${'}'.repeat(times)}`,
      'numbers of fifteen digits': (times) => `[${'123456789012345,'.repeat(times)}1]`,
      'spaces without a number': (times) => `[${' '.repeat(times)}]`,
      'letters that are not JSON': (times) => `${'0000000000-,,,'.repeat(times)}`,
    },
  },
];

function bodyIn(words: string): unknown {
  try {
    return parseExact(words);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

const DEEPEST = 500;

/** Numbers may be kept as text; everything else is the same. */
function shapeOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'number' || isNumeric(inner) ? '#' : inner));
}

const isNumeric = (value: unknown): boolean => typeof value === 'string' && value !== '' && /^-?\d/.test(value);
