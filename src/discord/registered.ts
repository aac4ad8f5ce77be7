import { type APIApplicationCommand, type Client, Routes } from 'discord.js';
import type { Clock } from '../lib/clock.ts';
import type { Place } from './place.ts';

/** Registered commands change when somebody deploys. */
const FRESH_MS = 10 * 60_000;

type Registered = ReadonlyMap<string, string>;

/** Our commands as Discord has them, global ones and a server's own, by name. */
export function registeredCommands(client: Client, names: readonly string[], clock: Clock) {
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
    const ours = lists.flat().filter(({ name }) => names.includes(name));
    const registered = new Map(ours.map(({ name, id }) => [name, id]));
    known.set(place, { at: clock.now(), commands: registered });
    return registered;
  };
}
