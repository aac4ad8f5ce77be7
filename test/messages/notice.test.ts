import { expect, it } from 'vitest';
import { sayIn } from '../../src/locales/index.ts';
import { noticePlan } from '../../src/messages/notice.ts';
import type { NoticeFacts, NoticeTopic } from '../../src/services/store/notice.ts';

const textFor = (topic: NoticeTopic, facts: NoticeFacts, count = 1): string =>
  noticePlan({ topic, subject: '', facts, since: 0, count, messages: [], isShown: false }, sayIn('en')).content ?? '';

it.each([
  ['0.0375', 'The gateway account has $0.0375 left, enough for less than a day'],
  ['0', 'The gateway account has no credit left: $0.00'],
  ['-0.38', 'The gateway account has no credit left: -$0.38'],
])('A balance of %s is described as what it is', (left, words) => {
  expect(textFor('balance', { left, perDay: '0.06' })).toContain(words);
});

it('The notice of a partition says which one a worker runs now, and how often that happened, but nothing of a start', () => {
  expect(textFor('started', { version: '1.2.3', partition: 0, tasks: 2 }, 3)).toBe(
    'A worker with Atelier 1.2.3 now runs partition 0.\nThe bot resumed 2 tasks.\nThis has happened 3 times recently.',
  );
});
