import { describe, expect, it } from 'vitest';
import { validateBody } from '../../sandbox/discord/validation/index.ts';
import { bodyOf } from '../../src/discord/message-body.ts';
import { say } from '../../src/locales/index.ts';
import { taskButtons } from '../../src/messages/task-buttons.ts';
import type { Task } from '../../src/services/tasks/task.ts';
import { buildTask, start } from '../services/orders/builders.ts';
import type { Parts } from '../support/tasks.ts';
import { context } from './context.ts';

const uuid = '0b8f1c9e-4a7d-4f7e-9c1f-0a1b2c3d4e5f';
const media = [{ kind: 'image', firstSeenAt: start }] as const;
const action = (customId: string, label = '', emoji = ''): Task['actions'][number] => ({
  customId,
  label,
  emoji,
  style: 2,
});
const imageNumbers = [1, 2, 3, 4] as const;

/** The rows as a member sees them: the labels, or the emoji of buttons without a label. */
function rowsOf(task: Task): string[][] {
  const { body } = bodyOf({ content: 'x', controls: taskButtons(task, context, say) });
  expect(validateBody('webhook-edit', body, { files: [] })).toEqual([]);
  return body.components.map((row) =>
    'components' in row
      ? row.components.map((one) => {
          if (!('custom_id' in one)) return '';
          const { label = '', emoji } = one as { label?: string; emoji?: { name?: string } };
          return label === '' ? (emoji?.name ?? '') : label;
        })
      : [],
  );
}

const finishedTask = (actions: Task['actions'], changes: Parts = {}): Task =>
  buildTask({ state: 'ready', media: [...media], actions, ...changes });

describe('The buttons of a result', () => {
  it('The buttons of a grid are shown in the usual order', () => {
    const grid = [
      ...imageNumbers.map((index) => action(`MJ::JOB::upsample::${index}::${uuid}`, `U${index}`)),
      action(`MJ::JOB::reroll::0::${uuid}::SOLO`, '', '🔄'),
      ...imageNumbers.map((index) => action(`MJ::JOB::variation::${index}::${uuid}`, `V${index}`)),
    ];
    expect(rowsOf(finishedTask(grid))).toEqual([
      ['U1', 'U2', 'U3', 'U4', '🔄'],
      ['V1', 'V2', 'V3', 'V4'],
      ['Upscale all', 'Use as reference', 'Delete'],
    ]);
  });

  it('The buttons of an upscale are grouped into rows by purpose', () => {
    const upscale = [
      action(`MJ::JOB::upsample_v7_2x_subtle::1::${uuid}::SOLO`, 'Upscale (Subtle)', 'upscale_1'),
      action(`MJ::JOB::upsample_v7_2x_creative::1::${uuid}::SOLO`, 'Upscale (Creative)', 'upscale_1'),
      action(`MJ::JOB::low_variation::1::${uuid}::SOLO`, 'Vary (Subtle)', '🪄'),
      action(`MJ::JOB::high_variation::1::${uuid}::SOLO`, 'Vary (Strong)', '🪄'),
      action(`MJ::Inpaint::1::${uuid}::SOLO`, 'Vary (Region)', '🖌️'),
      action(`MJ::Outpaint::50::1::${uuid}::SOLO`, 'Zoom Out 2x', '🔍'),
      action(`MJ::CustomZoom::${uuid}`, 'Custom Zoom', '🔍'),
      ...['left', 'right', 'up', 'down'].map((direction) =>
        action(`MJ::JOB::pan_${direction}::1::${uuid}::SOLO`, '', '⬅️'),
      ),
      action(`MJ::JOB::animate_high::1::${uuid}::SOLO`, 'Animate (High motion)', '🎞️'),
      action(`MJ::BOOKMARK::${uuid}`, '', '❤️'),
    ];
    expect(rowsOf(finishedTask(upscale))).toEqual([
      ['Upscale (Subtle)', 'Upscale (Creative)'],
      ['Vary (Subtle)', 'Vary (Strong)', 'Vary (Region)'],
      ['Zoom Out 2x', 'Custom Zoom'],
      ['⬅️', '⬅️', '⬅️', '⬅️'],
      ['Animate (High motion)', 'Use as reference', 'Delete'],
    ]);
  });

  it('A grid without buttons from the gateway has upscale, variation and reroll buttons, and other results have none', () => {
    expect(rowsOf(finishedTask([]))).toEqual([
      ['U1', 'U2', 'U3', 'U4', '🔄'],
      ['V1', 'V2', 'V3', 'V4'],
      ['Upscale all', 'Use as reference', 'Delete'],
    ]);
    const upscale = { of: '1', label: 'U1', prompt: 'a fox', action: 'UPSCALE', index: 1 };
    expect(rowsOf(finishedTask([], { kind: 'change', request: upscale }))).toEqual([['Use as reference', 'Delete']]);
  });

  it.each(['upscale_9', ':smile:', '<:custom:123456789012345678>', 'x', '🔄🔄', ' ', '1'])(
    'A button whose only label is the invalid emoji %j is shown with a default label instead',
    (emoji) => {
      const [[shownLabel] = []] = rowsOf(finishedTask([action('unheard::of', '', emoji)]));
      expect(shownLabel).toBe('Other action');
    },
  );

  it('Unknown buttons are shown up to the limit of a message', () => {
    const fittingActions = Array.from({ length: 24 }, (_, index) => action(`unheard::${index}`, `N${index}`));
    expect(rowsOf(finishedTask(fittingActions)).flat()).toHaveLength(25);
    const overflowingActions = Array.from({ length: 30 }, (_, index) => action(`unheard::${index}`, `N${index}`));
    // The first twenty-five are in one select menu, the others in a second one.
    expect(rowsOf(finishedTask(overflowingActions))).toHaveLength(2);
  });

  it('The reference button is offered for an image but not for a video, and only if there is space', () => {
    const video = [{ kind: 'video', firstSeenAt: start }] as const;
    expect(rowsOf(finishedTask([action('unheard::of', 'More')], { media: [...video] }))).toEqual([['More', 'Delete']]);
    const rows = ['upsample_v7_2x', 'low_variation', 'zoom', 'pan_left'].flatMap((name) =>
      [1, 2].map((n) => action(`MJ::JOB::${name}::${n}::${uuid}`, `${name} ${n}`)),
    );
    const fifthRow = (count: number) =>
      Array.from({ length: count }, (_, n) => action(`MJ::JOB::animate_${n}::1::${uuid}`, `A${n}`));
    expect(rowsOf(finishedTask([...rows, ...fifthRow(3)])).at(-1)).toEqual([
      'A0',
      'A1',
      'A2',
      'Use as reference',
      'Delete',
    ]);
    expect(rowsOf(finishedTask([...rows, ...fifthRow(4)])).at(-1)).toEqual(['A0', 'A1', 'A2', 'A3', 'Delete']);
  });
});
