import { expect, it } from 'vitest';
import { asSentence } from '../../src/lib/text.ts';

it.each([
  ['The prompt is empty', 'The prompt is empty.'],
  ['Why?', 'Why?'],
  ['Das Modell ist überlastet', 'Das Modell ist überlastet.'],
  ['モデルが混雑しています', 'モデルが混雑しています。'],
  ['模型繁忙', '模型繁忙。'],
  ['模型繁忙。', '模型繁忙。'],
  ['모델을 사용할 수 없음', '모델을 사용할 수 없음.'],
])('%j becomes a sentence with the full stop of its own script', (text, sentence) => {
  expect(asSentence(text)).toBe(sentence);
});
