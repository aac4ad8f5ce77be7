import { entriesOf } from '../lib/entries.ts';
import { listText } from '../lib/formats.ts';
import type { Say } from '../locales/index.ts';
import type { CommonRequest } from '../services/tasks/kind-spec.ts';

/** Where the values of a request come from, such as `aspect (channel settings)`. */
export function sourcesText({ sources }: CommonRequest, say: Say): string | undefined {
  if (!sources) return undefined;
  return listText(
    entriesOf(sources).map(([name, level]) => say('withDetail', { name, detail: say(`levels.${level}`) })),
    say,
  );
}
