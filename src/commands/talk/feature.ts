import type { Command } from '../../discord/handlers.ts';
import type { KindView } from '../../messages/kind-view.ts';
import { talkMessage } from '../../messages/talk/message.ts';
import { talkSpecs } from '../../services/talks/opening.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { endTalkButton, speakOpener, spokenForm } from './buttons.ts';
import { end } from './end.ts';
import { start } from './start.ts';

const talkCommand: Command<Services> = { name: 'talk', isForServers: true, subcommands: [start, end] };

const talkView: KindView<'talk'> = {
  message: (task, { hearsMessages }, say) => talkMessage(task, hearsMessages, say),
};

export const talk: Feature = {
  command: talkCommand,
  specs: talkSpecs,
  buttons: [endTalkButton],
  openers: [speakOpener],
  forms: [spokenForm],
  views: { talk: talkView },
};
