import type { Command } from '../discord/handlers.ts';
import { about } from './about.ts';
import { help } from './help.ts';
import { imagine } from './imagine.ts';
import { models } from './models.ts';
import type { Services } from './services.ts';
import { usage } from './usage.ts';

export const commands: readonly Command<Services>[] = [imagine, models, usage, about, help];
