import type { KindView } from '../../messages/kind-view.ts';
import { talkMessage } from '../../messages/talk/message.ts';
import { talkSpecs } from '../../services/talks/opening.ts';
import type { Feature } from '../feature.ts';
import { endTalkButton, speakOpener, spokenForm } from './buttons.ts';
import { end } from './end.ts';
import { start } from './start.ts';
import { text } from './text.ts';

const talkView: KindView<'talk'> = {
  message: (task, { hearsMessages }, say) => talkMessage(task, hearsMessages, say),
};

export const talk: Feature<typeof text> = {
  command: { name: 'talk', isForServers: true, subcommands: [start, end] },
  text,
  specs: talkSpecs,
  buttons: [endTalkButton],
  openers: [speakOpener],
  forms: [spokenForm],
  views: { talk: talkView },
};
