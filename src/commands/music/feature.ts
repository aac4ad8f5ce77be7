import type { Command } from '../../discord/handlers.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { albumPageButton, songSelect } from './album.ts';
import { follow } from './follow.ts';
import { make } from './make.ts';
import { song } from './view.ts';

const musicCommand: Command<Services> = { name: 'music', subcommands: [make, follow] };

export const music: Feature = {
  command: musicCommand,
  buttons: [albumPageButton, songSelect],
  views: { song, music: song },
};
