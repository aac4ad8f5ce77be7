import { expect, it } from 'vitest';
import { initialValue, partsOf } from '../../../sandbox/web/page/forms/field.ts';
import type { Modal } from '../../../sandbox/web/protocol.ts';

it('A form shows the channel that is already chosen, so that submitting it changes nothing', () => {
  const component = { type: 8, custom_id: 'channel', default_values: [{ id: '123', type: 'channel' }] };
  const form = { custom_id: 'form', title: 'Form', components: [{ type: 18, label: 'Channel', component }] };
  const [field] = partsOf(form as unknown as Modal);
  expect(typeof field === 'object' && initialValue(field)).toEqual(['123']);
});
