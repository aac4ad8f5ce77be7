import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button } from '../../discord/handlers.ts';
import type { Services } from '../services.ts';
import { modelsPage } from './view.ts';

/** Turns the pages of `/models`. */
export const modelsPageButton = button(customIds.models, {
  answers: 'here',
  async run(shown, { services, say }: Ask<Services>) {
    return modelsPage({ ...shown, models: await services.models.list(shown.list) }, say);
  },
});
