import { type Language, languageOf } from '../lib/languages.ts';
import { RecentMap } from '../lib/recent-map.ts';
import { type Say, sayIn } from '../locales/index.ts';
import type { EarlyPreferences, PreferenceOwner, PreferenceStore } from '../services/orders/preference-set.ts';
import { StoreError } from '../services/tasks/store-error.ts';
import type { InteractionFacts } from './interaction-facts.ts';

/** The language of a member, and that of all who read what others see too. */
export interface Languages {
  member: Language;
  place: Language;
}

/** A setting wins over the language of Discord. A server decides nothing about what members have installed for themselves. */
export function languagesFor(
  { locale, guildLocale, guildId, install }: InteractionFacts,
  { memberLanguage, placeLanguage }: EarlyPreferences = {},
): Languages {
  const member = memberLanguage ?? languageOf(locale);
  const isServers = guildId !== undefined && install === 'guild';
  return { member, place: isServers ? (placeLanguage ?? languageOf(guildLocale)) : member };
}

/** More members and servers than use the bot between two of its messages that no interaction has caused. */
const MAX_SEEN = 100_000;

/** Remembers the languages of Discord, because messages of members do not say them. */
export class ReaderLanguages {
  readonly #settings: PreferenceStore;
  /** By the ids of members and servers. */
  readonly #seen = new RecentMap<string, Language>(MAX_SEEN);

  constructor(settings: PreferenceStore) {
    this.#settings = settings;
  }

  note({ userId, locale, guildId, guildLocale }: InteractionFacts): void {
    this.#seen.set(userId, languageOf(locale));
    if (guildId !== undefined) this.#seen.set(guildId, languageOf(guildLocale));
  }

  lastOf(id: string): Language | undefined {
    return this.#seen.get(id);
  }

  /** For a message that no interaction has caused. A channel without a setting has that of its server. */
  async sayTo({ memberId, guildId, channelId }: PreferenceOwner): Promise<Say> {
    const owners = memberId !== undefined ? [{ memberId }] : [{ guildId, channelId }, { guildId }];
    for (const owner of owners) {
      const language = await this.#settingOf(owner);
      if (language !== undefined) return sayIn(language);
    }
    return sayIn(this.#seen.get(memberId ?? guildId ?? ''));
  }

  async #settingOf(owner: PreferenceOwner): Promise<Language | undefined> {
    try {
      return (await this.#settings.get(owner))?.set.language;
    } catch (error) {
      // A message in another language is better than none.
      if (!(error instanceof StoreError)) throw error;
      return undefined;
    }
  }
}
