import { computed, signal } from '@preact/signals';
import type { Channel, Guild, Person, World } from '../../protocol.ts';
import { timeLocale } from '../markdown/time.ts';
import { errorMessage, getJson, postJson } from './api.ts';

const STORAGE_KEY = 'atelier.person';

export const world = signal<World | undefined>(undefined);
/** Why the world could not be loaded. */
export const loadError = signal<string | undefined>(undefined);
/** A person's id or role; only the role stays the same when the sandbox is restarted. */
export const currentUser = signal(sessionStorage.getItem(STORAGE_KEY) ?? 'member');
const chosenChannelId = signal<string | undefined>(undefined);

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
export const currentPlace = computed(
  (): Place | undefined => places.value.find(({ channel }) => channel.id === chosenChannelId.value) ?? places.value[0],
);
export const channel = computed(() => currentPlace.value?.channel);
export const channelId = computed(() => channel.value?.id);
export const commands = computed(() => channel.value?.commands ?? []);

export const personOf = (id: string): Person | undefined => world.value?.people.find((person) => person.id === id);
export const roleOf = (id: string): Guild['roles'][number] | undefined =>
  world.value?.guilds.flatMap(({ roles }) => roles).find((role) => role.id === id);
/** The name of a person, of the bot or of a role. */
export const nameOf = (id: string): string => {
  const { application } = world.value ?? {};
  return personOf(id)?.name ?? (application?.id === id ? application.name : (roleOf(id)?.name ?? 'unknown-user'));
};
export const channelOf = (id: string): Channel | undefined =>
  places.value.find(({ channel: { id: knownId } }) => knownId === id)?.channel;

let requestCount = 0;

/** Loads the world; ignores the response if a newer request has been made in the meantime. */
export async function loadWorld(): Promise<void> {
  requestCount += 1;
  const requestNumber = requestCount;
  try {
    const loadedWorld = await getJson<World>(`/api/world?as=${encodeURIComponent(currentUser.value)}`);
    if (requestNumber !== requestCount) return;
    world.value = loadedWorld;
    timeLocale.value = loadedWorld.me.locale;
    loadError.value = undefined;
  } catch (error) {
    if (requestNumber === requestCount) loadError.value = errorMessage(error);
  }
}

export function openChannel(id: string): void {
  chosenChannelId.value = id;
}

/** Switches to another user; the socket then reconnects and reloads everything. */
export function switchUser(person: Person): void {
  sessionStorage.setItem(STORAGE_KEY, person.role);
  currentUser.value = person.role;
}

/** Changes the language of the user's client or, with its id, of a server. */
export async function setLanguage(locale: string, guild?: string): Promise<void> {
  await postJson('/api/language', { as: currentUser.value, guild, locale });
  await loadWorld();
}

export async function openDirectMessage(): Promise<void> {
  const { channel: id } = await postJson<{ channel: string }>('/api/direct', { as: currentUser.value });
  if (!channelOf(id)) await loadWorld();
  openChannel(id);
}
