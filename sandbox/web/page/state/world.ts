import { computed, signal } from '@preact/signals';
import type { Channel, Guild, Person, World } from '../../protocol.ts';
import { ask, sentenceOf, tell } from './session.ts';

const KEPT = 'atelier.person';

export const world = signal<World | undefined>(undefined);
/** Why the world could not be loaded. */
export const trouble = signal<string | undefined>(undefined);
/** A person's id or role; the role stays the same after a restart of the sandbox, the id does not. */
export const as = signal(sessionStorage.getItem(KEPT) ?? 'member');
const chosen = signal<string | undefined>(undefined);

interface Place {
  readonly channel: Channel;
  /** Undefined for direct messages. */
  readonly guild: Guild | undefined;
}

const places = computed((): Place[] => {
  const { guilds = [], direct = [] } = world.value ?? {};
  return [
    ...guilds.flatMap((guild) => guild.channels.map((channel) => ({ channel, guild }))),
    ...direct.map((channel) => ({ channel, guild: undefined })),
  ];
});

/** The current channel; the first one if none is chosen or the chosen one is not visible to the user. */
export const place = computed(
  (): Place | undefined => places.value.find(({ channel }) => channel.id === chosen.value) ?? places.value[0],
);
export const channel = computed(() => place.value?.channel);
export const channelId = computed(() => channel.value?.id);
export const commands = computed(() => channel.value?.commands ?? []);

export const personOf = (id: string): Person | undefined => world.value?.people.find((person) => person.id === id);
/** Includes the bot. */
export const nameOf = (id: string): string => {
  const { application } = world.value ?? {};
  return personOf(id)?.name ?? (application?.id === id ? application.name : 'unknown-user');
};
export const channelOf = (id: string): Channel | undefined =>
  places.value.find(({ channel: { id: known } }) => known === id)?.channel;

let requests = 0;

/** Ignores the response to an outdated request. */
export async function loadWorld(): Promise<void> {
  requests += 1;
  const mine = requests;
  try {
    const loaded = await ask<World>(`/api/world?as=${encodeURIComponent(as.value)}`);
    if (mine !== requests) return;
    world.value = loaded;
    trouble.value = undefined;
  } catch (error) {
    if (mine === requests) trouble.value = sentenceOf(error);
  }
}

export function enter(id: string): void {
  chosen.value = id;
}

/** The socket reconnects for the new user and reloads everything. */
export function become(person: Person): void {
  sessionStorage.setItem(KEPT, person.role);
  as.value = person.role;
}

export async function enterDirectMessage(): Promise<void> {
  const { channel: id } = await tell<{ channel: string }>('/api/direct', { as: as.value });
  if (!channelOf(id)) await loadWorld();
  enter(id);
}
