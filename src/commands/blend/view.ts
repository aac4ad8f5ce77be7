import type { KindView } from '../../messages/kind-view.ts';

const SHAPES = ['PORTRAIT', 'SQUARE', 'LANDSCAPE'] as const;

/** A grid like that of words; its name says what was blended. */
export const blend: KindView = {
  facts({ request }, say) {
    const shape = SHAPES.find((one) => one === request.shape);
    return shape === undefined ? [] : [`-# ${say(`task.blend.${shape}`)}`];
  },
};
