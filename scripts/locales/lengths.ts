import { type Part, readUses } from './uses.ts';

/** https://discord.com/developers/docs/components/reference; the adapter truncates strings that variables make too long. */
export const MAX_LENGTHS: Readonly<Record<Part, number>> = {
  button: 80,
  'form title': 45,
  'form label': 45,
  'form hint': 100,
  choice: 100,
  placeholder: 100,
};

type Limit = readonly [key: RegExp, max: number];

/** https://discord.com/developers/docs/interactions/application-commands */
const LIMITS_BY_KEY: readonly Limit[] = [
  [/^menus\./, 32],
  [/^commands\..+\.(?:description$|options\.|choices\.)/, 100],
  [/\.buttons\.[^.]+$/, MAX_LENGTHS.button],
];

/** Returns how long Discord allows the string of a key to be, by where the code uses it; undefined if it is part of a message. */
export function readMaxLengths(): (key: string) => number | undefined {
  const limits = readUses().uses.flatMap(({ keys, part }) =>
    part ? keys.map((key): Limit => [key, MAX_LENGTHS[part]]) : [],
  );
  const byMax = Map.groupBy([...limits, ...LIMITS_BY_KEY], ([, max]) => max);
  const patterns = [...byMax].map(
    ([max, group]): Limit => [new RegExp(group.map(([{ source }]) => source).join('|')), max],
  );
  return (key) => {
    const matching = patterns.flatMap(([pattern, max]) => (pattern.test(key) ? max : []));
    return matching.length > 0 ? Math.min(...matching) : undefined;
  };
}
