import type { Place } from '../discord/place.ts';
import type { ModelCatalogue } from '../services/models/catalogue.ts';
import type { Health } from '../views/about.ts';

/** What commands and buttons may use. `app.ts` puts it together. */
export interface Services {
  models: ModelCatalogue;
  health(): Promise<Health>;
  /** The commands that members see in this place, with the id under which each is registered where it is. */
  registered(place: Place): Promise<ReadonlyMap<string, string>>;
}
