import type { Command } from '../../discord/handlers.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { endTalkButton, speakOpener, spokenForm } from './buttons.ts';
import { end } from './end.ts';
import { start } from './start.ts';
import { text } from './text.ts';

const talkCommand: Command<Services> = { name: 'talk', isForServers: true, subcommands: [start, end] };

export const talk: Feature<typeof text> = {
  command: talkCommand,
  text,
  buttons: [endTalkButton],
  openers: [speakOpener],
  forms: [spokenForm],
};
