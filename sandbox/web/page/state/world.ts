import { computed, signal } from '@preact/signals';
import type { Channel, Guild, Person, World } from '../../protocol.ts';
import { ask, sentenceOf, tell } from './session.ts';

const KEPT = 'atelier.person';

export const world = signal<World | undefined>(undefined);
/** Why there is nothing to see. */
export const trouble = signal<string | undefined>(undefined);
/** A person's id or role: the role is the same after a restart of the sandbox, the id is not. */
export const as = signal(sessionStorage.getItem(KEPT) ?? 'member');
const chosen = signal<string | undefined>(undefined);

interface Place {
  readonly channel: Channel;
  /** Undefined among the direct messages. */
  readonly guild: Guild | undefined;
}

const places = computed((): Place[] => {
  const { guilds = [], direct = [] } = world.value ?? {};
  return [
    ...guilds.flatMap((guild) => guild.channels.map((channel) => ({ channel, guild }))),
    ...direct.map((channel) => ({ channel, guild: undefined })),
  ];
});

/** The channel in front; the first one until another is chosen, or when the person does not see that one. */
export const place = computed(
  (): Place | undefined => places.value.find(({ channel }) => channel.id === chosen.value) ?? places.value[0],
);
export const channel = computed(() => place.value?.channel);
export const channelId = computed(() => channel.value?.id);
export const commands = computed(() => channel.value?.commands ?? []);

export const personOf = (id: string): Person | undefined => world.value?.people.find((person) => person.id === id);
/** Also of the bot itself. */
export const nameOf = (id: string): string => {
  const { application } = world.value ?? {};
  return personOf(id)?.name ?? (application?.id === id ? application.name : 'unknown-user');
};
export const channelOf = (id: string): Channel | undefined =>
  places.value.find(({ channel: { id: known } }) => known === id)?.channel;

let asked = 0;

/** Only the answer to the latest question counts. */
export async function loadWorld(): Promise<void> {
  asked += 1;
  const mine = asked;
  try {
    const answer = await ask<World>(`/api/world?as=${encodeURIComponent(as.value)}`);
    if (mine !== asked) return;
    world.value = answer;
    trouble.value = undefined;
  } catch (error) {
    if (mine === asked) trouble.value = sentenceOf(error);
  }
}

export function enter(id: string): void {
  chosen.value = id;
}

/** The socket follows, and with it everything that this person sees. */
export function become(person: Person): void {
  sessionStorage.setItem(KEPT, person.role);
  as.value = person.role;
}

export async function enterDirectMessage(): Promise<void> {
  const { channel: id } = await tell<{ channel: string }>('/api/direct', { as: as.value });
  if (!channelOf(id)) await loadWorld();
  enter(id);
}
