import { animate } from './en/animate.ts';
import { ask } from './en/ask.ts';
import { commands } from './en/commands.ts';
import { film } from './en/film.ts';
import { fineTune } from './en/fine-tune.ts';
import { menus } from './en/menus.ts';
import { music } from './en/music.ts';
import { ownData } from './en/own-data.ts';
import { reference } from './en/reference.ts';
import { refusals } from './en/refusals.ts';
import { talk } from './en/talk.ts';
import { task } from './en/task.ts';
import { tasks } from './en/tasks.ts';
import { usage } from './en/usage.ts';

/** Every sentence a person reads, by the place that says it. Names in double braces are filled in. */
export const en = {
  commands,
  models: {
    title: 'Models',
    titleCompatible: 'Models of the compatible entry',
    count_one: '{{count}} model',
    count_other: '{{count}} models',
    page: 'page {{page}} of {{pages}}',
    guess: 'What a model is made for is a guess, from what the gateway says of it or from its name.',
    nobody: 'owner not told',
    none: 'No model fits. Leave something out of the filter, or look at the whole list with `/models`.',
    empty: 'The gateway lists no models for this key.',
    previous: 'Back',
    next: 'Next',
    kinds: { text: 'text', image: 'pictures', video: 'video', music: 'music', voice: 'live voice', other: 'other' },
    field: { id: 'id', owned_by: 'owner', created: 'listed since' },
    detailGuess: 'Seems to be made for: {{kind}}.',
  },
  about: {
    title: 'Atelier',
    version: 'Version {{version}}',
    latency: 'Answers Discord within {{ms}} ms',
    latencyUnknown: 'Has not measured its way to Discord yet',
    gatewayAnswers: 'The gateway answers (in {{ms}} ms)',
    gatewayRefuses: 'The gateway does not answer as it should: {{reason}}',
    liveTasks_one: 'Follows {{count}} task',
    liveTasks_other: 'Follows {{count}} tasks',
    trouble: {
      busy: 'The gateway asks to wait, so no task is asked about ({{lane}}, since <t:{{since}}:R>)',
      refused: 'The gateway refuses to be asked about tasks ({{lane}}, since <t:{{since}}:R>): {{reason}}',
      unreachable: 'The gateway does not answer when asked about tasks ({{lane}}, since <t:{{since}}:R>): {{reason}}',
    },
    storeAway:
      'What the bot keeps its tasks in cannot be reached (since <t:{{since}}:R>). It takes no orders meanwhile; what is under way goes on.',
    more: 'What can be done here: {{mention}}',
  },
  help: {
    title: 'What can be done here',
    line: '{{mention}} · {{description}} ({{who}}). For example `{{example}}`',
    menus: 'On any message with a picture, under "Apps":',
    menuLine: '**{{name}}** · {{description}}',
    about: {
      describe: 'words that could have led to it, for you alone',
      reference: 'a new picture that goes by it',
      film: 'a film that begins with it',
    },
    nothing: 'No command is registered here yet.',
  },
  usage,
  task,
  animate,
  ask,
  talk,
  music,
  tasks,
  ownData,
  words: {
    title: 'Words for the gateway',
    editTitle: 'Other words',
    imagineTitle: 'Pictures from these words',
    words: 'Words',
    more: 'Words, continued',
    side: 'Which part is to change',
    sides: { left: 'Left half', right: 'Right half', top: 'Upper half', bottom: 'Lower half', centre: 'Centre' },
    mask: 'Or a mask of your own',
    maskHint: 'A picture of the same shape: what is white or clear is changed.',
  },
  film,
  fineTune,
  reference,
  refusals,
  menus,
  /** In place of an answer that everybody would see, until it is gone. */
  notDone: '-# This request was not carried out.',
  gateway: {
    unauthorized: 'The gateway does not accept the key of this bot. Whoever runs the bot has to look at it.',
    forbidden: 'The gateway does not allow this: {{message}}',
    quota: 'The account of this bot is used up at the gateway.',
    'not-found': 'The gateway does not know this: {{message}}',
    invalid: 'The gateway cannot do this as it was asked: {{message}}',
    'rate-limited': 'The gateway has too much to do right now. Try again in a moment.',
    unavailable: 'The gateway is in trouble right now. Try again in a moment.',
    'not-offered': 'This gateway does not offer that.',
    malformed: 'The gateway gave an answer that makes no sense. Try again in a moment.',
    unreachable: 'The gateway cannot be reached right now. Try again in a moment.',
  },
  unexpected:
    'Something in the bot went wrong. If it happens again, tell whoever runs it this reference: `{{reference}}`',
} as const;
