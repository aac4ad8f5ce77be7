import { referenceMenu } from '../buttons/reference.ts';
import type { Command, Menu } from '../discord/handlers.ts';
import { about } from './about.ts';
import { help } from './help.ts';
import { image } from './image.ts';
import { imagine } from './imagine.ts';
import { models } from './models.ts';
import type { Services } from './services.ts';
import { shorten } from './shorten.ts';
import { usage } from './usage.ts';

export const commands: readonly Command<Services>[] = [imagine, image, shorten, models, usage, about, help];

export const menus: readonly Menu<Services>[] = [referenceMenu];
