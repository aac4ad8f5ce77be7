import { ApplicationFlags, InteractionContextType, Routes, TeamMemberMembershipState } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/exact-json.ts';
import type { PlainLog } from '../lib/log.ts';
import type { Task } from '../services/tasks/task.ts';
import { THREADS } from './guards.ts';
import type { DiscordClients, Reads } from './outbox/clients.ts';
import { factsOf, troubleOf } from './outbox/errors.ts';
import { isSeenByOneAlone } from './outbox/ways.ts';
import type { Place } from './place.ts';

const person = z.object({ id: z.string() });

/** As far as it is looked at. */
const applicationShape = z.object({
  flags: z.number().optional(),
  owner: person.optional(),
  team: z.object({ members: z.array(z.object({ membership_state: z.number(), user: person })) }).nullish(),
});
type Application = z.output<typeof applicationShape>;

/** Who runs the bot: the owner of its application, or its team. Asked for once; where that fails, nobody is, and it is asked again. */
export function operators(reads: Reads, log: Pick<PlainLog, 'warn'>): (userId: string) => Promise<boolean> {
  let known: Promise<ReadonlySet<string>> | undefined;
  return async (userId) => {
    known ??= reads.get(Routes.currentApplication()).then((application) => idsOf(applicationShape.parse(application)));
    try {
      return (await known).has(userId);
    } catch (error) {
      known = undefined;
      log.warn({ err: error }, 'Discord did not say who runs this bot.');
      return false;
    }
  };
}

/** A team's application has an owner too, who is nobody but the team. Who is invited and has not accepted does not belong to it yet. */
function idsOf({ owner, team }: Application): ReadonlySet<string> {
  const { Accepted } = TeamMemberMembershipState;
  const members = team?.members.filter(({ membership_state }) => membership_state === Accepted).map(({ user }) => user);
  return new Set((members ?? (owner ? [owner] : [])).map(({ id }) => id));
}

/** Discord does not let this bot read messages, though its operator wants it to. */
export class MissingIntent extends Error {
  override readonly name = 'MissingIntent';
}

const ALLOWED = ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited;

/** Asked before the login, which would end in an error that says nothing an operator could act upon. */
export async function mustReadMessages(reads: Reads, token: string, log: Pick<PlainLog, 'warn'>): Promise<void> {
  let application: Application;
  try {
    const headers = { authorization: `Bot ${token}` };
    application = applicationShape.parse(await reads.get(Routes.currentApplication(), { auth: false, headers }));
  } catch (error) {
    // Whatever is wrong with the token or the way to Discord, the login says it better.
    log.warn(factsOf(error), 'Discord did not say whether this bot may read messages.');
    return;
  }
  if (((application.flags ?? 0) & ALLOWED) === 0) throw new MissingIntent('Message content is not switched on.');
}

const commandsShape = z.array(z.object({ id: z.string(), name: z.string(), contexts: z.array(z.number()).nullish() }));
type Command = z.output<typeof commandsShape>[number];

/** Registered commands change when somebody deploys. */
const FRESH_MS = 10 * 60_000;

type Registered = ReadonlyMap<string, string>;

/** Our commands as Discord has them, global ones and a server's own, by all that can be typed of them. */
export function registeredCommands({ client, reads }: DiscordClients, typed: readonly string[], clock: Clock) {
  const known = new Map<string, { at: number; commands: Registered }>();

  async function fetch(guildId?: string): Promise<Command[]> {
    const id = client.application?.id ?? '';
    const route = guildId === undefined ? Routes.applicationCommands(id) : Routes.applicationGuildCommands(id, guildId);
    return commandsShape.parse(await reads.get(route));
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
const isForServers = ({ contexts }: Command): boolean =>
  contexts?.every((context) => context === InteractionContextType.Guild) ?? false;

/**
 * The files of a task's message as Discord keeps them: their names, and fresh addresses that are good for a day. undefined: Discord does not
 * answer just now.
 */
export function storedFiles(reads: Reads, log: Pick<PlainLog, 'info'>) {
  return async (task: Task): Promise<ReadonlyMap<string, string> | undefined> => {
    const { message } = task;
    if (!message || isSeenByOneAlone(task, message)) return new Map();
    try {
      return filesOf(await reads.get(Routes.channelMessage(message.channelId, message.id)));
    } catch (error) {
      log.info({ task: task.id, ...factsOf(error) }, 'The message of a task could not be read again.');
      return troubleOf(error, 'edit') === 'later' ? undefined : new Map();
    }
  };
}

const fileShape = z.object({ filename: z.string(), url: z.string() });

function filesOf(stored: unknown): Map<string, string> {
  const attachments: unknown = isRecord(stored) ? stored.attachments : undefined;
  if (!Array.isArray(attachments)) return new Map();
  const files = attachments.flatMap((one) => fileShape.safeParse(one).data ?? []);
  return new Map(files.map(({ filename, url }) => [filename, url]));
}

/** A thread stays one, so this is asked once a channel; of so many it is remembered. */
const MOST_REMEMBERED = 5_000;

/** Whether a channel is a thread. A message does not say it, and the servers' channels are not kept in memory. */
export function threadsBy(reads: Reads): (channelId: string) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (channelId) => {
    const asked =
      known.get(channelId) ??
      reads.get(Routes.channel(channelId)).then((channel) => isRecord(channel) && THREADS.has(channel.type));
    known.set(channelId, asked);
    // What could not be asked just now may be known later.
    asked.catch(() => known.delete(channelId));
    const [oldest] = known.keys();
    if (known.size > MOST_REMEMBERED && oldest !== undefined) known.delete(oldest);
    return asked;
  };
}
