import { filmMenu } from '../buttons/film.ts';
import { referenceMenu } from '../buttons/reference.ts';
import type { Command, Menu } from '../discord/handlers.ts';
import { about } from './about.ts';
import { ask } from './ask.ts';
import { blend } from './blend.ts';
import { describe, describeMenu } from './describe.ts';
import { finetune } from './finetune.ts';
import { help } from './help.ts';
import { image } from './image.ts';
import { imagine } from './imagine.ts';
import { models } from './models.ts';
import { music } from './music.ts';
import type { Services } from './services.ts';
import { shorten } from './shorten.ts';
import { talk } from './talk.ts';
import { tasks } from './tasks.ts';
import { usage } from './usage.ts';
import { video } from './video.ts';

export const commands: readonly Command<Services>[] = [
  imagine,
  image,
  video,
  music,
  describe,
  shorten,
  blend,
  ask,
  talk,
  tasks,
  models,
  usage,
  finetune,
  about,
  help,
];

export const menus: readonly Menu<Services>[] = [describeMenu, referenceMenu, filmMenu];
