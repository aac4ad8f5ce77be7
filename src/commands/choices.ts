import type { InteractionFacts, Origin } from '../discord/interaction-facts.ts';
import { memberLanguage } from '../services/conversations/member-language.ts';
import type { PreferenceSet } from '../services/orders/preference-set.ts';
import { type Preferred, pingOf } from '../services/orders/preferences.ts';
import { firstOf, type Level } from '../services/tasks/levels.ts';
import type { Context, Services } from './feature.ts';

export interface ChoiceContext {
  services: Services;
  origin: Origin;
  preset?: Context['preset'];
}

/** What the order needs later travels with its origin. */
export async function readChoices({ services, origin, preset }: ChoiceContext): Promise<Choices> {
  const { requesterId: memberId, route } = origin;
  const preferred = await services.tasks.preferences.read({ ...origin, memberId, install: route.install });
  origin.preferredPing = pingOf(preferred);
  const language = preferred.member?.language ?? (await services.discord.readers.lastOf(origin.requesterId));
  return new Choices(preferred, preset?.names, memberLanguage.parse(language));
}

/** Whether the rules or settings here make replies to a command private, as far as they are in memory: a first response cannot wait for more. */
export function isPrivateByDefault(
  { userId: memberId, ...place }: InteractionFacts,
  command: string,
  { safety, tasks }: Pick<Services, 'safety' | 'tasks'>,
): boolean {
  const isRuled = place.guildId !== undefined && safety.rules.isPrivateByDefault(place.guildId, command);
  return isRuled || tasks.preferences.early({ ...place, memberId }).isPrivate === true;
}

/** Decides the values of one order, and records where each comes from. */
export class Choices {
  readonly sources: Record<string, Level> = {};
  readonly memberLanguage: string | undefined;
  readonly #preferred: Preferred;
  readonly #fromPreset: ReadonlySet<string>;

  /** `fromPreset`: the options whose values are not entered but those of a preset. */
  constructor(preferred: Preferred, fromPreset: ReadonlySet<string> = new Set(), language?: string) {
    this.#preferred = preferred;
    this.memberLanguage = language;
    this.#fromPreset = fromPreset;
    for (const name of fromPreset) this.sources[name] = 'preset';
  }

  get persona(): Preferred['persona'] {
    return this.#preferred.persona;
  }

  /** `given`: the values that do not come from settings. */
  pick<Value>(
    name: string,
    inSet: (set: PreferenceSet) => Value | undefined,
    given: Parameters<typeof firstOf<Value>>[0] = {},
  ): Value | undefined {
    const { member, channel, server } = this.#preferred;
    const found = firstOf({
      ...given,
      member: member && inSet(member),
      channel: channel && inSet(channel),
      server: server && inSet(server),
    });
    // A flag of the template is in the prompt, and an option of the preset among those that were entered.
    const isPresets = (found?.from === 'flag' || found?.from === 'option') && this.#fromPreset.has(name);
    if (found) this.sources[name] = isPresets ? 'preset' : found.from;
    return found?.value;
  }

  /** The source of every value, for the request. */
  get fields(): { sources?: Record<string, Level> } {
    return Object.keys(this.sources).length === 0 ? {} : { sources: this.sources };
  }
}
