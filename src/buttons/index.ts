import type { Services } from '../commands/services.ts';
import type { Button } from '../discord/handlers.ts';
import { modelsPageButton } from './models-page.ts';

export const buttons: readonly Button<Services>[] = [modelsPageButton];
