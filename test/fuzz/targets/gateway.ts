import fc from 'fast-check';
import { systemClock } from '../../../src/lib/clock.ts';
import { type Json, parseExact } from '../../../src/lib/exact-json.ts';
import { Models } from '../../../src/services/gateway/endpoints/models.ts';
import { TaskClient } from '../../../src/services/gateway/endpoints/task-client.ts';
import { containsError, toGatewayError } from '../../../src/services/gateway/error-responses.ts';
import { GatewayError } from '../../../src/services/gateway/errors.ts';
import { FineTunes } from '../../../src/services/gateway/fine-tunes.ts';
import { GatewayHttp } from '../../../src/services/gateway/http.ts';
import { readSubmission } from '../../../src/services/gateway/read/reader.ts';
import type { Family } from '../../../src/services/gateway/read/table.ts';
import { defaultGatewayLimits, defaultSettings } from '../../../src/services/gateway/settings.ts';
import { UsageReports } from '../../../src/services/gateway/usage.ts';
import { imageBodies } from '../../services/gateway/read/image.bodies.ts';
import { imgxBodies } from '../../services/gateway/read/imgx.bodies.ts';
import { musicBodies } from '../../services/gateway/read/music.bodies.ts';
import { responses } from '../../services/gateway/read/strange.ts';
import { videoBodies } from '../../services/gateway/read/video.bodies.ts';
import { BrokenInvariant, type Target } from '../target.ts';

const settings = { ...defaultSettings, baseUrl: 'http://127.0.0.1:9/v1', apiKey: 'sk-secret-of-the-gateway' };

/** The real HTTP client, except that it sends nothing and returns the fuzzer's input as the response. */
class StubHttp extends GatewayHttp {
  response: Json = null;

  override async read(): Promise<Json> {
    return this.response;
  }
}

const log = { info: () => undefined, warn: () => undefined };
const http = new StubHttp(settings, defaultGatewayLimits, { log, clock: systemClock, random: () => 0.5 });
const tasks = new TaskClient(http, settings);
const models = new Models(http);
const usage = new UsageReports(http);
const fineTunes = new FineTunes(http);

/** `SyntaxError`s are expected, because input that is not JSON never reaches the readers. */
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

const commonGrowth: Target['growing'] = {
  'characters of a word': (times) => task({ status: 'x'.repeat(times), failReason: ' '.repeat(times) }),
  'items of a list': (times) =>
    task({ data: Array.from({ length: times }, (_, index) => ({ url: `/${index}`, id: index })) }),
  'null items': (times) => task({ data: Array.from({ length: times }, () => ({})) }),
  'digits of a number': (times) => `{"id":${'1'.repeat(times)},"progress":${'1'.repeat(times)}.5}`,
  'text within text': (times) => task({ data: text(Array.from({ length: times }, () => text([1.5]))) }),
  'fields of a map': (times) =>
    task({ data: Object.fromEntries(Array.from({ length: times }, (_, index) => [`a${index}`, { b: index }])) }),
};

function familyTarget(family: Family, bodies: readonly { body: string }[]): Target {
  return {
    name: `${family}-tasks`,
    inputType: 'text',
    seeds: () => bodies.map(({ body }) => body),
    structured: responses,
    words: WORDS,
    run(input) {
      const response = parseExact(input.toString());
      let failure: unknown;
      for (const step of [
        () => tasks.readTask(family, response),
        () => tasks.readTasks(family, response),
        () => readSubmission(family, response),
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
    growing: commonGrowth,
  };
}

const readWith = (read: () => Promise<unknown>) => async (input: Buffer) => {
  http.response = parseExact(input.toString());
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
    inputType: 'text',
    seeds: () => [
      '{"object":"list","data":[{"id":"m-1","object":"model","created":1700000000,"owned_by":"x"}]}',
      '{"models":["a","b"]}',
      '{"data":{"models":[{"name":"m"}]}}',
    ],
    structured: responses,
    words: WORDS,
    async run(input) {
      await readWith(() => models.list())(input);
      await models.get('m-1').catch((error: unknown) => {
        if (!isExpected(error)) throw error;
      });
    },
    isExpected,
    growing: {
      'items of a list': (times) => text({ data: Array.from({ length: times }, (_, index) => ({ id: `m${index}` })) }),
      'fields of a map': (times) =>
        text({ data: Object.fromEntries(Array.from({ length: times }, (_, index) => [`m${index}`, { id: index }])) }),
    },
  },
  {
    name: 'usage',
    inputType: 'text',
    seeds: () => [
      '{"object":"list","total_usage":1.10,"daily_costs":[{"timestamp":1700000000,"line_items":[{"name":"m","cost":0.10}]}]}',
      '{"data":[{"date":"2026-01-01","model":"m","requests":3,"amount":"1.50"}]}',
    ],
    structured: responses,
    words: [...WORDS, '"daily_costs":[', '"line_items":[', '"amount":', '"date":"', '"timestamp":', '8640000000001'],
    run: readWith(() => usage.get({ start: day, end: day })),
    isExpected,
    growing: {
      rows: (times) =>
        text({ data: Array.from({ length: times }, () => ({ date: day, amount: '1.5', items: [{ cost: 1 }] })) }),
      'digits of an amount': (times) => text({ data: [{ date: day, amount: `${'1'.repeat(times)}x` }] }),
    },
  },
  {
    name: 'fine-tunes',
    inputType: 'text',
    seeds: () => [
      '{"object":"list","data":[{"object":"event","id":"e","created_at":1700000000,"level":"info","message":"m"}]}',
    ],
    structured: responses,
    words: WORDS,
    run: readWith(() => fineTunes.events('ft-1')),
    isExpected,
    growing: {
      events: (times) =>
        text({ data: Array.from({ length: times }, (_, index) => ({ created_at: times - index, message: 'm' })) }),
    },
  },
  {
    name: 'gateway-errors',
    inputType: 'text',
    seeds: () => [
      '{"error":{"message":"no","type":"invalid_request_error","code":"insufficient_user_quota"}}',
      '{"code":24,"description":"banned_prompt","properties":{"bannedWord":"x"}}',
      '<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>',
      '{"response":{"error":{"message":"m"}},"retry_after":3}',
    ],
    structured: fc.oneof(
      responses,
      fc.array(fc.constantFrom(...WORDS, '>', '<style', '</style  ', '-->', '<a ')).map((list) => list.join('')),
    ),
    words: [...WORDS, '<style>', '</style', '-->', '<a', '<p ', '>', '</script', '&#10;', '"'],
    run(input) {
      const responseText = input.toString();
      const body = bodyIn(responseText);
      const error = toGatewayError({
        status: 400,
        body,
        text: responseText,
        isSubmit: true,
        notFoundKind: 'not-found',
        secrets: [settings.apiKey],
      });
      if (error.message.length > 1_000)
        throw new BrokenInvariant(`The message is ${error.message.length} characters long.`);
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
    inputType: 'text',
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
      const json = input.toString();
      const exact = parseExact(json);
      const plain: unknown = JSON.parse(json);
      // Serializing such a value would need more stack than parsing it did.
      if ((json.match(/[[{]/g)?.length ?? 0) > MAX_DEPTH) return;
      if (shapeOf(exact) !== shapeOf(plain))
        throw new BrokenInvariant('The exact parser returns a different value than JSON.parse.');
    },
    isExpected: (error) => error instanceof SyntaxError,
    growing: {
      'nested lists': nestedArrays,
      'nested objects with an exact number': (times) => `${'{"a":'.repeat(times)}1.50${'}'.repeat(times)}`,
      'numbers of fifteen digits': (times) => `[${'123456789012345,'.repeat(times)}1]`,
      'spaces without a number': (times) => `[${' '.repeat(times)}]`,
      'characters that are not JSON': (times) => `${'0000000000-,,,'.repeat(times)}`,
    },
  },
];

function bodyIn(responseText: string): unknown {
  try {
    return parseExact(responseText);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

const MAX_DEPTH = 500;

/** The value with all numbers replaced, because the exact parser keeps some numbers as strings. */
function shapeOf(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'number' || isNumeric(inner) ? '#' : inner));
}

const isNumeric = (value: unknown): boolean => typeof value === 'string' && value !== '' && /^-?\d/.test(value);
