import type { Command } from '../discord/handlers.ts';
import type { Services } from './services.ts';
import { end } from './talk/end.ts';
import { start } from './talk/start.ts';

export const talk: Command<Services> = { name: 'talk', isForServers: true, subcommands: [start, end] };
