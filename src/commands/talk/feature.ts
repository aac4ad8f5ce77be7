import type { Command } from '../../discord/handlers.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { end } from './end.ts';
import { endTalkButton } from './end-button.ts';
import { speakOpener, spokenForm } from './speak.ts';
import { start } from './start.ts';

const talkCommand: Command<Services> = { name: 'talk', isForServers: true, subcommands: [start, end] };

export const talk: Feature = {
  command: talkCommand,
  buttons: [endTalkButton],
  openers: [speakOpener],
  forms: [spokenForm],
};
