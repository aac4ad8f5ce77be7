import { expect, it } from 'vitest';
import { sentencesText } from '../../src/locales/formats.ts';
import { sayIn } from '../../src/locales/index.ts';

it('Sentences are separated by a space, except in Japanese and Chinese', () => {
  expect(sentencesText(['One.', 'Two.'], sayIn('ko'))).toBe('One. Two.');
  expect(sentencesText(['一。', '二。'], sayIn('ja'))).toBe('一。二。');
  expect(sentencesText(['一。', '二。'], sayIn('zh-CN'))).toBe('一。二。');
});
