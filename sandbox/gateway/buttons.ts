import { customIdOf, type FollowUp } from './custom-ids.ts';
import type { ImgxDetails } from './job-details.ts';

/** Type and style are Discord's numbers: type 2 is a button; style 1 is blue, 2 is grey and 3 is green. */
export interface Button {
  readonly customId: string;
  readonly emoji: string;
  readonly label: string;
  readonly type: 2;
  readonly style: number;
}

interface ButtonSpec {
  readonly followUp: FollowUp;
  readonly label: string;
  readonly emoji?: string;
  readonly style?: number;
}

const gridIndexes = [1, 2, 3, 4] as const;

/** The buttons of a task, as real gateways return them. */
function buttonSpecsOf(task: ImgxDetails): readonly ButtonSpec[] {
  switch (task.yields) {
    case 'grid':
      return [
        ...gridIndexes.map((index) => ({ followUp: { do: 'upscale', index } as const, label: `U${index}` })),
        { followUp: { do: 'reroll' }, label: '', emoji: '🔄' },
        ...gridIndexes.map((index) => ({ followUp: { do: 'variation', index } as const, label: `V${index}` })),
      ];
    case 'single':
      return singleImageButtons(task);
    case 'video':
      return task.results.flatMap((_, index) => videoButtons(index + 1, task.action !== 'UPSCALE'));
    case 'lines':
      return [
        ...gridIndexes.map((line) => ({
          followUp: { do: 'read-image', line } as const,
          label: '',
          emoji: `${line}\ufe0f\u20e3`,
        })),
        { followUp: { do: 'describe-again' }, label: '', emoji: '🔄' },
        { followUp: { do: 'read-all' }, label: 'Imagine all', emoji: '🎉' },
      ];
    case 'drafts':
      return (task.lines ?? []).slice(0, 5).map((_, index) => ({
        followUp: { do: 'analyzed', line: index + 1 } as const,
        label: '',
        emoji: `${index + 1}\ufe0f\u20e3`,
      }));
    case 'files':
      return [];
  }
}

function singleImageButtons(task: ImgxDetails): readonly ButtonSpec[] {
  // An emoji may be a custom name that exists only on the engine's own server.
  const upscaleButtons: readonly ButtonSpec[] = [
    { followUp: { do: 'upscale-more', manner: 'subtle' }, label: 'Upscale (Subtle)', emoji: 'upscale_1' },
    { followUp: { do: 'upscale-more', manner: 'creative' }, label: 'Upscale (Creative)', emoji: 'upscale_1' },
  ];
  const squareButtons: readonly ButtonSpec[] = [{ followUp: { do: 'square' }, label: 'Make Square', emoji: '↔️' }];
  return [
    ...(isUpscaled(task) ? [] : upscaleButtons),
    { followUp: { do: 'vary', strength: 'subtle' }, label: 'Vary (Subtle)', emoji: '🪄' },
    { followUp: { do: 'vary', strength: 'strong' }, label: 'Vary (Strong)', emoji: '🪄' },
    { followUp: { do: 'inpaint' }, label: 'Vary (Region)', emoji: '🖌️' },
    { followUp: { do: 'zoom', factor: 2 }, label: 'Zoom Out 2x', emoji: '🔍' },
    { followUp: { do: 'zoom', factor: 1.5 }, label: 'Zoom Out 1.5x', emoji: '🔍' },
    { followUp: { do: 'custom-zoom' }, label: 'Custom Zoom', emoji: '🔍' },
    ...(task.aspect === 1 ? [] : squareButtons),
    { followUp: { do: 'pan', direction: 'left' }, label: '', emoji: '⬅️', style: 1 },
    { followUp: { do: 'pan', direction: 'right' }, label: '', emoji: '➡️', style: 1 },
    { followUp: { do: 'pan', direction: 'up' }, label: '', emoji: '⬆️', style: 1 },
    { followUp: { do: 'pan', direction: 'down' }, label: '', emoji: '⬇️', style: 1 },
    { followUp: { do: 'animate', motion: 'high' }, label: 'Animate (High motion)', emoji: '🎞️' },
    { followUp: { do: 'animate', motion: 'low' }, label: 'Animate (Low motion)', emoji: '🎞️' },
  ];
}

const videoButtons = (index: number, canUpscale: boolean): readonly ButtonSpec[] => [
  ...(canUpscale ? [{ followUp: { do: 'upscale-video', index } as const, label: `U${index}` }] : []),
  { followUp: { do: 'extend', motion: 'high', index }, label: 'Extend (High motion)', emoji: '🎞️' },
  { followUp: { do: 'extend', motion: 'low', index }, label: 'Extend (Low motion)', emoji: '🎞️' },
];

const isUpscaled = (task: ImgxDetails) => task.customId?.includes('upsample_') ?? false;

export function buttonsOf(task: ImgxDetails, hasFavourite: boolean): readonly Button[] {
  const buttons = buttonSpecsOf(task).map(({ followUp, label, emoji = '', style = 2 }) => ({
    customId: customIdOf(followUp, task.uuid),
    emoji,
    label,
    type: 2 as const,
    style,
  }));
  const favourite: Button = { customId: `MJ::BOOKMARK::${task.uuid}`, emoji: '❤️', label: '', type: 2, style: 2 };
  return hasFavourite && task.yields === 'single' ? [...buttons, favourite] : buttons;
}

/** Returns undefined if the task does not have that button; custom ids contain the task's uuid. */
export const followUpOf = (task: ImgxDetails, customId: string): FollowUp | undefined =>
  buttonSpecsOf(task).find(({ followUp }) => customIdOf(followUp, task.uuid) === customId)?.followUp;
