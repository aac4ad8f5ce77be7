import type { Services } from '../commands/services.ts';
import { customId } from '../discord/custom-id.ts';
import type { Button } from '../discord/handlers.ts';
import { Refusal } from '../lib/refusal.ts';
import type { ListName } from '../services/models/catalogue.ts';
import { type ModelKind, modelKinds } from '../services/models/kinds.ts';
import { modelsPage } from '../views/models.ts';

interface ModelsPage {
  list: ListName;
  kind: ModelKind | undefined;
  text: string | undefined;
  page: number;
}

const VERB = 'models';
const VERSION = 1;

export function modelsPageId({ list, kind, text, page }: ModelsPage): string {
  return customId(VERB, VERSION, list, kind ?? '', String(Math.max(0, page)), text ?? '');
}

/** Turns the pages of `/models`. */
export const modelsPageButton: Button<Services> = {
  verb: VERB,
  version: VERSION,
  answers: 'here',
  async run({ args }, { services, say }) {
    const shown = pageFrom(args);
    if (!shown) throw new Refusal('refusals.unknownButton');
    const models = await services.models.list(shown.list);
    return modelsPage({ ...shown, models, pageId: (page) => modelsPageId({ ...shown, page }) }, say);
  },
};

/** Ids can be forged: what they say is believed only where it makes sense. */
function pageFrom([list, kind, page, text]: readonly string[]): ModelsPage | undefined {
  const known = kind === '' ? undefined : modelKinds.find((one) => one === kind);
  if ((list !== 'own' && list !== 'compatible') || (kind !== '' && !known) || !/^\d{1,4}$/.test(page ?? ''))
    return undefined;
  return { list, kind: known, page: Number(page), text: text || undefined };
}
