import type { Command } from '../discord/handlers.ts';
import { follow } from './music/follow.ts';
import { make } from './music/make.ts';
import type { Services } from './services.ts';

export const music: Command<Services> = { name: 'music', subcommands: [make, follow] };
