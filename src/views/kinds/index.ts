import type { TaskKind } from '../../services/tasks/task.ts';
import { animate, filmButtons } from './animate.ts';
import { blend } from './blend.ts';
import { describe } from './describe.ts';
import { image } from './image.ts';
import type { KindView } from './kind-view.ts';
import { shorten } from './shorten.ts';
import { song } from './song.ts';
import { makeVideo, video } from './video.ts';

/** Made of a result by what the gateway offers. */
const followUp: KindView = { more: filmButtons };

export const kindViews: Readonly<Partial<Record<TaskKind, KindView>>> = {
  action: followUp,
  change: followUp,
  animate,
  describe,
  shorten,
  blend,
  image: { ...image, more: makeVideo },
  video,
  'second-video': video,
  'image-to-video': video,
  song,
  music: song,
};
