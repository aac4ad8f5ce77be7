import { type APIApplicationCommand, type Client, InteractionContextType, Routes } from 'discord.js';
import type { Clock } from '../lib/clock.ts';
import type { Place } from './place.ts';

/** Registered commands change when somebody deploys. */
const FRESH_MS = 10 * 60_000;

type Registered = ReadonlyMap<string, string>;

/** Our commands as Discord has them, global ones and a server's own, by all that can be typed of them. */
export function registeredCommands(client: Client, typed: readonly string[], clock: Clock) {
  const known = new Map<string, { at: number; commands: Registered }>();

  async function fetch(guildId?: string): Promise<APIApplicationCommand[]> {
    const id = client.application?.id ?? '';
    const route = guildId === undefined ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guildId);
    return (await client.rest.get(route)) as APIApplicationCommand[];
  }

  return async ({ guildId, install }: Place): Promise<Registered> => {
    // A server that has not installed the bot shows it nothing, and has none of its own commands.
    const home = install === 'guild' ? guildId : undefined;
    const place = home ?? '';
    const there = known.get(place);
    if (there && clock.now() - there.at < FRESH_MS) return there.commands;
    const lists = await Promise.all([fetch(), ...(home === undefined ? [] : [fetch(home)])]);
    const here = lists.flat().filter((command) => home !== undefined || !isForServers(command));
    const ids = new Map(here.map(({ name, id }) => [name, id]));
    const registered = new Map(
      typed.flatMap((name) => {
        // A menu has spaces in its name, a subcommand one before it.
        const id = ids.get(name) ?? ids.get(name.split(' ')[0] ?? '');
        return id === undefined ? [] : [[name, id] as const];
      }),
    );
    known.set(place, { at: clock.now(), commands: registered });
    return registered;
  };
}

/** Nobody is offered it outside of servers that have installed the bot. */
const isForServers = ({ contexts }: APIApplicationCommand): boolean =>
  contexts?.every((context) => context === InteractionContextType.Guild) ?? false;
