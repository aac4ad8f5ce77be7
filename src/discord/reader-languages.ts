import { type Language, languageOf } from '../lib/languages.ts';
import { RecentMap } from '../lib/recent-map.ts';
import { type Say, sayIn } from '../locales/index.ts';
import type { EarlyPreferences, PreferenceOwner } from '../services/orders/preference-set.ts';
import type { StoredTasks } from '../services/store/stored-tasks.ts';
import { StoreError } from '../services/tasks/store-error.ts';
import type { InteractionFacts } from './interaction-facts.ts';
import type { DiscordReader } from './reads.ts';

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

/** Remembers the locales of Discord, because messages of members do not say them. */
export class ReaderLanguages {
  readonly #store: StoredTasks;
  readonly #reads: DiscordReader;
  /** By the ids of members and servers. */
  readonly #seen = new RecentMap<string, string>(MAX_SEEN);

  constructor(store: StoredTasks, reads: DiscordReader) {
    this.#store = store;
    this.#reads = reads;
  }

  note({ userId, locale, guildId, guildLocale }: InteractionFacts): void {
    this.#seen.set(userId, locale);
    if (guildId !== undefined && guildLocale !== undefined) this.#seen.set(guildId, guildLocale);
  }

  /** The locale that a member had last; after a restart, the one of their newest task. */
  async lastOf(memberId: string): Promise<string | undefined> {
    const seen = this.#seen.get(memberId);
    if (seen !== undefined) return seen;
    const [newest] = (await this.#store.page({ of: { memberId }, max: 1 })).summaries;
    return newest && (await this.#store.get(newest.id))?.route.locale;
  }

  /** For a message that no interaction has caused. A channel without a setting has that of its server. */
  async sayTo({ memberId, guildId = '', channelId }: PreferenceOwner): Promise<Say> {
    const owners = memberId !== undefined ? [{ memberId }] : [{ guildId, channelId }, { guildId }];
    try {
      for (const owner of owners) {
        const language = (await this.#store.preferences.get(owner))?.set.language;
        if (language !== undefined) return sayIn(language);
      }
      if (memberId !== undefined) return sayIn(languageOf(await this.lastOf(memberId)));
    } catch (error) {
      // A message in another language is better than none.
      if (!(error instanceof StoreError)) throw error;
    }
    const seen = this.#seen.get(memberId ?? guildId);
    if (seen !== undefined || memberId !== undefined) return sayIn(languageOf(seen));
    return sayIn(languageOf((await this.#reads.guild(guildId))?.preferred_locale));
  }
}
