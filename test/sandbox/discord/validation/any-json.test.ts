import {
  type Arbitrary,
  assert,
  constantFrom,
  dictionary,
  integer,
  jsonValue,
  letrec,
  oneof,
  property,
  record,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BodyKind,
  formError,
  validateBody,
  validateResponse,
} from '../../../../sandbox/discord/validation/index.ts';

const BODY_KINDS: BodyKind[] = [
  'callback',
  'webhook-message',
  'webhook-edit',
  'channel-message',
  'channel-edit',
  'thread',
  'thread-on-message',
  'thread-edit',
  'commands',
  'command',
];
const RESPONSE_KINDS = [
  'message',
  'callback',
  'commands',
  'command',
  'gateway-bot',
  'user',
  'application',
  'channel',
  'thread',
  'thread-member',
] as const;

/** Keys that have a meaning for Discord and would rarely occur in a random body. */
const DISCORD_KEYS = [
  'type',
  'data',
  'flags',
  'content',
  'embeds',
  'components',
  'component',
  'accessory',
  'attachments',
  'waveform',
  'duration_secs',
  'id',
  'custom_id',
  'label',
  'emoji',
  'name',
  'options',
  'choices',
  'value',
  'style',
  'url',
  'items',
  'media',
  'file',
  'fields',
  'name_localizations',
  'description',
  'min_values',
  'max_values',
  'allowed_mentions',
  'nonce',
  'title',
  'default_member_permissions',
  'contexts',
  'poll',
  '__proto__',
  'constructor',
  'toString',
];

const { body } = letrec<{ body: unknown }>((tie) => ({
  body: oneof(
    { maxDepth: 6 },
    integer({ min: 0, max: 23 }),
    jsonValue({ maxDepth: 1 }),
    dictionary(constantFrom(...DISCORD_KEYS), tie('body'), { maxKeys: 6 }),
    tie('body').map((each) => [each, each]),
  ),
}));

const facts = record({
  files: constantFrom([], [{ id: '0', name: 'a', bytes: 1 }]),
  previous: record({ flags: constantFrom(0, 64, 128, 1 << 15), attachmentNames: constantFrom([], ['a']) }),
});

describe('The validator never throws', () => {
  it.each<[string, Arbitrary<unknown>]>([
    ['JSON value', jsonValue()],
    ["JSON value with Discord's keys", body],
  ])('The validator does not throw for any %s', async (_, values) => {
    await assert(
      property(constantFrom(...BODY_KINDS), values, facts, (kind, value, bodyFacts) => {
        const violations = validateBody(kind, value, bodyFacts);
        formError(violations);
        const codesWithPaths = violations.map(({ path, code }) => `${code} ${path}`);
        expect(new Set(codesWithPaths).size).toBe(codesWithPaths.length);
        for (const responseKind of RESPONSE_KINDS) validateResponse(responseKind, value);
      }),
      { numRuns: 400 },
    );
  });

  it('The validator does not throw for a deeply nested body', () => {
    const deeplyNested = (key: string) =>
      JSON.parse(`${`{"type":1,"${key}":[`.repeat(5000)}${']}'.repeat(5000)}`) as unknown;
    for (const kind of BODY_KINDS) {
      for (const key of ['components', 'options', 'embeds'])
        expect(validateBody(kind, deeplyNested(key))).not.toEqual([]);
    }
  });

  it('The validator does not throw for a very long list', () => {
    expect(validateBody('commands', new Array(20_000).fill(0)).length).toBe(20_000);
  });
});
