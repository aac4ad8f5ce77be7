import type { Feature } from '../feature.ts';
import { endTalkButton, speakOpener, spokenForm } from './buttons.ts';
import { end } from './end.ts';
import { start } from './start.ts';
import { text } from './text.ts';

export const talk: Feature<typeof text> = {
  command: { name: 'talk', isForServers: true, subcommands: [start, end] },
  text,
  buttons: [endTalkButton],
  openers: [speakOpener],
  forms: [spokenForm],
};
