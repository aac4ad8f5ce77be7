import fc from 'fast-check';
import { readCallback } from '../../../src/services/orders/callback-listener.ts';
import { CallbackUrls } from '../../../src/services/orders/callback-urls.ts';
import { BrokenInvariant, type Target } from '../target.ts';

const NAMES = ['status', 'state', 'task_status', 'data', 'challenge', 'id', 'progress', 'code'];
const WORDS = ['SUCCESS', 'FAILURE', 'IN_PROGRESS', 'MODAL', 'succeed', '', 'x'.repeat(201)];

const { body } = fc.letrec((tie) => ({
  body: fc.dictionary(
    fc.constantFrom(...NAMES),
    fc.oneof({ depthSize: 'small' }, fc.constantFrom(...WORDS), fc.jsonValue({ maxDepth: 2 }), tie('body')),
    { maxKeys: 5 },
  ),
}));

const callbackUrls = new CallbackUrls('https://bot.example/callbacks', 'a secret of the store');
const OWN_TASK_ID = '01k3v9x2mabcdefgh';
const nested = (times: number): string => `${'{"data":'.repeat(times)}1${'}'.repeat(times)}`;

export const callbackTargets: readonly Target[] = [
  {
    name: 'callbacks',
    inputType: 'text',
    seeds: () => ['{"id":"1","status":"SUCCESS"}', '{"challenge":"x"}', '{"data":{"task_status":"processing"}}'],
    structured: body.map((value) => JSON.stringify(value)),
    words: [...NAMES.map((name) => `"${name}":`), ...WORDS.map((word) => JSON.stringify(word)), '{', '}', '[', ']'],
    run(input) {
      const callback = readCallback(input.toString());
      if (typeof callback === 'object' && callback.challenge.length > 200)
        throw new BrokenInvariant('A challenge is too long.');
    },
    isExpected: () => false,
    growing: {
      'nested records': nested,
      'nested lists': (times) => '['.repeat(times),
      'a long word': (times) => JSON.stringify({ status: 'x'.repeat(100 * times) }),
      'many fields': (times) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: times }, (_, index) => [index, index]))),
    },
  },
  {
    name: 'callback-addresses',
    inputType: 'text',
    seeds: () => [new URL(callbackUrls.urlFor(OWN_TASK_ID)).pathname, `/${'A'.repeat(44)}`, '/'],
    structured: fc
      .uint8Array({ minLength: 33, maxLength: 33 })
      .map((bytes) => `/callbacks/${Buffer.from(bytes).toString('base64url')}`),
    words: ['/', '-', '_', '=', '%2f', '?', '..', 'callbacks'],
    run(input) {
      const id = callbackUrls.taskIdIn(input.toString());
      if (id !== undefined && id !== OWN_TASK_ID) throw new BrokenInvariant('A forged URL was accepted.');
    },
    isExpected: () => false,
    growing: {
      slashes: (times) => '/'.repeat(times),
      'a long name': (times) => `/${'A'.repeat(44 * times)}`,
    },
  },
];
