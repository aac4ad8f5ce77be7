import { currentPlace, setLanguage, world } from '../state/world.ts';

/** What language Discord is in: for the user, and on the current server. */
export function Languages() {
  const { me } = world.value ?? {};
  const { guild } = currentPlace.value ?? {};
  if (!me) return null;
  return (
    <div class="languages">
      <LanguageMenu label="Your language" value={me.locale} choose={(locale) => setLanguage(locale)} />
      {guild && (
        <LanguageMenu
          label="Server’s language"
          value={guild.locale}
          choose={(locale) => setLanguage(locale, guild.id)}
        />
      )}
    </div>
  );
}

interface Props {
  readonly label: string;
  readonly value: string;
  readonly choose: (locale: string) => Promise<void>;
}

function LanguageMenu({ label, value, choose }: Props) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => void choose(currentTarget.value)}>
        {world.value?.locales.map((locale) => (
          <option key={locale} value={locale}>
            {nameOf(locale)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The name of a language in itself. */
const nameOf = (locale: string): string => new Intl.DisplayNames([locale], { type: 'language' }).of(locale) ?? locale;
