import type { Ask, Suggestion } from '../discord/handlers.ts';
import type { TextOption } from '../discord/options.ts';
import { Refusal } from '../lib/refusal.ts';
import { GatewayError } from '../services/gateway/index.ts';
import { kindOf, type ModelKind } from '../services/models/ids.ts';
import type { Services } from './services.ts';

type Models = Pick<Services, 'models' | 'defaultModels'>;
type Made = 'image' | 'video' | 'music' | 'text' | 'voice';

export const modelOption = { type: 'text', suggests: true, most: 200 } as const satisfies TextOption;

/** Models that seem made for it; what a member types in full is taken whatever it seems to be made for. */
export async function suggestedModels(made: Made, typed: string, { services }: Ask<Services>): Promise<Suggestion[]> {
  const wanted = typed.toLowerCase();
  const models = (await services.models.atHand()).filter((model) => kindOf(model) === (made satisfies ModelKind));
  return models.filter(({ id }) => id.toLowerCase().includes(wanted)).map(({ id }) => ({ name: id, value: id }));
}

/** The model that an order is for. One that the gateway says it does not have is refused before anything is ordered. */
export async function chosenModel(made: Made, typed: string | undefined, services: Models): Promise<string> {
  const asked = await askedModel(made, typed, services);
  if (asked !== undefined) return asked;
  const first = (await services.models.atHand()).find((model) => kindOf(model) === made);
  if (!first) throw new Refusal('refusals.nameModel');
  return first.id;
}

/** The one that a member names, else the operator's; undefined leaves it to the gateway. */
export async function askedModel(made: Made, typed: string | undefined, services: Models): Promise<string | undefined> {
  return typed === undefined ? services.defaultModels[made === 'voice' ? 'talk' : made] : known(typed.trim(), services);
}

async function known(id: string, { models }: Models): Promise<string> {
  if ((await models.atHand()).some((model) => model.id === id)) return id;
  try {
    await models.get(id);
  } catch (error) {
    // Only its own "no" counts: a gateway that cannot be asked just now may take the order all the same.
    if (!(error instanceof GatewayError)) throw error;
  }
  return id;
}
