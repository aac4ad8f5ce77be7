import { customIds } from '../../discord/custom-ids.ts';
import { type Ask, button, command } from '../../discord/handlers.ts';
import { modelKinds } from '../../services/models/ids.ts';
import type { Feature } from '../feature.ts';
import type { Services } from '../services.ts';
import { text } from './text.ts';
import { modelDetail, modelsPage } from './view.ts';

/** Turns the pages of `/models`. */
const modelsPageButton = button(customIds.models, {
  answers: 'here',
  async run(shown, { services, say }: Ask<Services>) {
    return modelsPage({ ...shown, models: await services.models.list(shown.list) }, say);
  },
});

/** Longer than any id's telling part, and short enough for the custom id of the next page. */
const LONGEST_FILTER = 40;

const modelsCommand = command({
  name: 'models',
  isPrivate: true,
  options: {
    model: { type: 'text', suggests: true, most: 200 },
    text: { type: 'text', most: LONGEST_FILTER },
    kind: { type: 'text', choices: modelKinds },
    list: { type: 'text', choices: ['own', 'compatible'] },
  },
  async suggest(_option, typed, { services }: Ask<Services>) {
    const wanted = typed.toLowerCase();
    const ids = (await services.models.atHand()).map(({ id }) => id);
    return ids.filter((id) => id.toLowerCase().includes(wanted)).map((id) => ({ name: id, value: id }));
  },
  async run({ model, text, kind, list = 'own' }, { services, say }: Ask<Services>) {
    if (model !== undefined) return modelDetail(await services.models.get(model), say);
    const listing = { list, text, kind };
    const all = await services.models.list(listing.list);
    return modelsPage({ ...listing, models: all, page: 0 }, say);
  },
});

export const models: Feature<typeof text> = {
  command: modelsCommand,
  text,
  buttons: [modelsPageButton],
};
