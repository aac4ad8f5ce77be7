import type { Command } from '../../discord/handlers.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { albumPageButton, songSelect } from './album.ts';
import { follow } from './follow.ts';
import { musicKinds } from './kinds.ts';
import { make } from './make.ts';
import { song } from './view.ts';

const musicCommand: Command<Services> = { name: 'music', subcommands: [make, follow] };

export const music: Feature = {
  command: musicCommand,
  buttons: [albumPageButton, songSelect],
  kinds: ({ gateway }) => musicKinds(gateway.music),
  views: { song, music: song },
};
