import type { REST } from '@discordjs/rest';
import type { APIApplicationCommand } from 'discord-api-types/v10';

/** With the translations, which Discord otherwise leaves out, so that each command would seem to have changed. */
export const readCommands = async (rest: REST, route: `/${string}`): Promise<APIApplicationCommand[]> =>
  (await rest.get(route, { query: new URLSearchParams({ with_localizations: 'true' }) })) as APIApplicationCommand[];
