import { expect, it } from 'vitest';
import { say } from '../../src/locales/index.ts';
import { taskName } from '../../src/messages/task-name.ts';

const action = (customId: string, label = '') =>
  taskName({ kind: 'action', request: { of: '1', prompt: 'a fox', customId, label } }, say);

it.each([
  ['MJ::JOB::upsample::2::x', 'Upscale of image 2'],
  ['MJ::JOB::upsample_v7_2x_subtle::1::x', 'Subtle upscale'],
  ['MJ::JOB::upsample_v5_4x::1::x', 'Upscale 4x'],
  ['MJ::JOB::variation::4::x', 'Variation of image 4'],
  ['MJ::JOB::high_variation::1::x', 'Strong variation'],
  ['MJ::JOB::reroll::0::x', 'Reroll'],
  ['MJ::JOB::pan_left::1::x', 'Pan left'],
  ['MJ::JOB::animate_high::1::x', 'Animation (high motion)'],
  ['MJ::JOB::animate_low_extend::1::x', 'Extended video (low motion)'],
  ['MJ::Outpaint::50::1::x', 'Zoom out 2x'],
  ['MJ::Outpaint::75::1::x', 'Zoom out 1.5x'],
  ['MJ::Outpaint::60::1::x', 'Zoom out'],
  ['MJ::CustomZoom::x', 'Custom zoom'],
  ['MJ::Inpaint::1::x', 'Region edit'],
])('The task of the button %s is called %s', (customId, name) => {
  expect(action(customId)).toBe(name);
});

it('An action that only the gateway knows is called by the label of its button', () => {
  expect(action('unheard::of', 'Make it *sing*')).toBe('Make it \\*sing\\*');
  expect(action('unheard::of', ' ')).toBe('Other action');
});

it('A task without a gateway button is called by what it does', () => {
  const request = { of: '1', prompt: 'a fox', label: 'V3', action: 'VARIATION', index: 3 } as const;
  expect(taskName({ kind: 'change', request }, say)).toBe('Variation of image 3');
  const extended = { prompt: '', motion: 'low', extend: { taskId: '1', index: 1 } } as const;
  expect(taskName({ kind: 'animate', request: extended }, say)).toBe('Extended video (low motion)');
  expect(taskName({ kind: 'image', request: { prompt: 'a fox', model: 'm' } }, say)).toBe('Image');
});
