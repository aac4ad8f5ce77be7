import { describe, expect, it } from 'vitest';
import { modelField } from '../../src/commands/options.ts';
import type { ListedModel } from '../../src/services/gateway/model-catalogue.ts';

const models = ['dall-e-3', 'lumen', 'imgx-7'].map((id): ListedModel => {
  const kind = 'image' as const;
  return { id, kind, usableKinds: [kind], refusedKinds: [], ownedBy: undefined, createdAt: undefined, fields: {} };
});
const field = (value: string | undefined, isSetting?: true) => {
  const plan = modelField(
    'image',
    { value, label: 'Model', hint: 'Leave it empty.', ...(isSetting && { isSetting }) },
    models,
  );
  return plan.type === 'choice' && [plan.hint, ...plan.options.map((one) => [one.value, one.isDefault])];
};

describe('The choice of a model in a form', () => {
  it('A form of settings chooses nothing in advance, and also offers models that take no images', () => {
    expect(field(undefined, true)).toEqual(['Leave it empty.', ['dall-e-3', false], ['lumen', false]]);
    expect(field('lumen', true)).toEqual(['Leave it empty.', ['lumen', true], ['dall-e-3', false]]);
  });

  it('A form with images chooses the first model that takes them, and no form offers a model of /imagine', () => {
    expect(field(undefined)).toEqual([undefined, ['lumen', true]]);
  });
});
