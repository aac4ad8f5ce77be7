import type { Command, Menu } from '../discord/handlers.ts';
import { about } from './about.ts';
import { help } from './help.ts';
import { imagine } from './imagine.ts';
import { models } from './models.ts';
import { music } from './music.ts';
import type { Services } from './services.ts';
import { shorten } from './shorten.ts';
import { tasks } from './tasks.ts';
import { usage } from './usage.ts';

export const commands: readonly Command<Services>[] = [imagine, shorten, music, tasks, models, usage, about, help];

export const menus: readonly Menu<Services>[] = [];
