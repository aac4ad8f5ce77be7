import type { Gateway } from '../../gateway/index.ts';
import { imageKind } from './image.ts';
import { imgxKinds } from './imgx.ts';
import type { Kind } from './kind.ts';
import { musicKinds } from './music.ts';
import { videoKinds } from './video.ts';

/** Every kind of job there is. */
export function allKinds(gateway: Gateway, { imgxLists }: { imgxLists: boolean }): Kind[] {
  return [
    ...imgxKinds(gateway.imgx, { inLists: imgxLists }),
    imageKind(gateway.imageJobs),
    ...videoKinds(gateway),
    ...musicKinds(gateway.music),
  ];
}
