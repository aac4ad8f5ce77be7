import type { CommandBody } from '../src/discord/registration.ts';
import { terminalSafe } from '../src/lib/text.ts';
import { EX_SOFTWARE, Stop } from './usage.ts';

/** https://discord.com/developers/docs/interactions/application-commands */
const MAX_NAME = 32;
const MAX_TEXT = 100;
export const MAX_COMMAND = 8_000;

type Translations = Readonly<Record<string, string | null | undefined>> | null | undefined;

/** A command, a subcommand, an option or a choice. */
interface Entry {
  name: string;
  name_localizations?: Translations;
  description?: string | undefined;
  description_localizations?: Translations;
  value?: string | number;
  options?: readonly Entry[] | undefined;
  choices?: readonly Entry[] | undefined;
}

/** `texts` has them by language. */
function fieldOf(what: string, max: number, english: string | undefined, translations?: Translations) {
  const all = Object.entries({ en: english, ...translations });
  return { what, max, texts: new Map(all.flatMap(([one, text]): [string, string][] => (text ? [[one, text]] : []))) };
}

function fieldsOf(entry: Entry, path: string, maxName = MAX_NAME): ReturnType<typeof fieldOf>[] {
  const { name, description, value = '', options = [], choices = [] } = entry;
  return [
    fieldOf(`The name of ${path}`, maxName, name, entry.name_localizations),
    fieldOf(`The description of ${path}`, MAX_TEXT, description, entry.description_localizations),
    fieldOf(`The value of ${path}`, MAX_TEXT, String(value)),
    ...options.flatMap((option) => fieldsOf(option, `${path} ${option.name}`)),
    ...choices.flatMap((choice) => fieldsOf(choice, `the choice ${choice.name} of ${path}`, MAX_TEXT)),
  ];
}

/** The sizes of the commands, the largest first, and in which language each is longest. Throws if Discord would refuse any of them. */
export function checkedSizes(bodies: readonly CommandBody[]) {
  const problems: string[] = [];
  const sizes = bodies.map((body) => {
    const label = labelOf(body);
    const fields = fieldsOf(body, label);
    for (const { what, max, texts } of fields)
      for (const [one, { length }] of texts)
        if (length > max) problems.push(`${what} has ${length} characters in ${one}, and at most ${max} are allowed.`);
    const lengths = [...new Set(fields.flatMap(({ texts }) => [...texts.keys()]))].map((one) => {
      return {
        language: one,
        length: sum(fields.map(({ texts }) => (texts.get(one) ?? texts.get('en') ?? '').length)),
      };
    });
    const [{ language, length } = { language: 'en', length: 0 }] = lengths.sort((a, b) => b.length - a.length);
    // Discord adds up the longest translation of each text.
    const characters = sum(fields.map(({ texts }) => Math.max(0, ...[...texts.values()].map((text) => text.length))));
    if (characters > MAX_COMMAND)
      problems.push(
        `${label} has ${characters} characters in the longest translation of each text, most of them in ${language} (${length}), and at most ${MAX_COMMAND} are allowed.`,
      );
    return { label, characters, language };
  });
  const title = 'The commands are too long for Discord. Shorten these texts in src/locales:';
  if (problems.length > 0) throw new Stop(EX_SOFTWARE, [title, ...problems.map((one) => `  ${one}`)].join('\n'));
  return sizes.sort((a, b) => b.characters - a.characters);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** An entry of a menu has no slash. */
export const labelOf = ({ name, type = 1 }: { name: string; type?: number | undefined }): string =>
  `${type === 1 ? '/' : ''}${terminalSafe(name)}`;
