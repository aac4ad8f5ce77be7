import type { Ask, SingleCommand, Suggestion } from './handlers.ts';

// https://discord.com/developers/docs/interactions/application-commands#autocomplete
const MOST = 25;
const LONGEST = 100;

/** What a command suggests, as much of it as Discord takes. A value is never cut: half an id is another id. */
export async function suggestionsFor<Services>(
  command: SingleCommand<Services> | undefined,
  option: string,
  typed: string,
  ask: Ask<Services>,
): Promise<Suggestion[]> {
  const all = (await command?.suggest?.(option, typed, ask)) ?? [];
  return all.filter(({ name, value }) => name.length <= LONGEST && value.length <= LONGEST).slice(0, MOST);
}
