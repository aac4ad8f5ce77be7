import type { Services } from '../commands/services.ts';
import type { Button } from '../discord/handlers.ts';
import { deleteButton } from './delete.ts';
import { modelsPageButton } from './models-page.ts';
import { dismissButton, tryAgainButton } from './unconfirmed.ts';
import { usageRangeButton } from './usage-range.ts';

export const buttons: readonly Button<Services>[] = [
  modelsPageButton,
  usageRangeButton,
  tryAgainButton,
  dismissButton,
  deleteButton,
];
