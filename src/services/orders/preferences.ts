import { isDeepStrictEqual } from 'node:util';
import type { AppContext } from '../../lib/app-context.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { Refusal } from '../../lib/refusal.ts';
import { isAtHome } from '../tasks/homes.ts';
import { firstOf } from '../tasks/levels.ts';
import type { Route } from '../tasks/task.ts';
import { type RowSources, rowsAtHome } from './other-partitions.ts';
import {
  type EarlyPreferences,
  type OwnPreferences,
  type Persona,
  type PreferenceOwner,
  type PreferenceRow,
  type PreferenceSet,
  type PreferenceStore,
  preferenceOwnerName,
} from './preference-set.ts';

export interface PreferencePlace {
  memberId: string;
  guildId?: string | undefined;
  channelId?: string | undefined;
  parentChannelId?: string | undefined;
  install: Route['install'];
}

export interface Preferred {
  member?: PreferenceSet | undefined;
  /** With the model of its persona. */
  channel?: PreferenceSet | undefined;
  server?: PreferenceSet | undefined;
  persona?: Persona | undefined;
}

/** How many owners are known to have set what the first response depends on; a few dozen bytes each. */
const MAX_KNOWN = 200_000;
/** Discord allows 500 channels. Those that no longer exist are not reported to the bot. */
const MAX_CHANNELS = 500;

/** A server's own preferences do not apply to what members have installed for themselves. A thread has those of its channel. */
export function preferenceOwnersOf({ memberId, guildId, install, ...place }: PreferencePlace): {
  member: PreferenceOwner;
  channel?: PreferenceOwner;
  server?: PreferenceOwner;
} {
  const channelId = place.parentChannelId ?? place.channelId;
  if (guildId === undefined || install === 'user') return { member: { memberId } };
  return {
    member: { memberId },
    server: { guildId },
    ...(channelId !== undefined && { channel: { guildId, channelId } }),
  };
}

/** Whose partition has the row. */
export const homeOfPreferences = ({ memberId, guildId = '' }: PreferenceOwner): string => memberId ?? guildId;

/** Reads what applies in a place; `read` finds the row in the partition of its owner. */
export async function readPreferred(
  place: PreferencePlace,
  read: (owner: PreferenceOwner) => Promise<PreferenceRow | undefined>,
): Promise<Preferred> {
  const owners = preferenceOwnersOf(place);
  const [member, channel, server] = await Promise.all(
    [owners.member, owners.channel, owners.server].map(async (owner) => owner && read(owner)),
  );
  const persona = channel?.persona;
  const personaModel = persona?.model === undefined ? {} : { text: persona.model };
  return {
    member: member?.set,
    channel: channel && { ...channel.set, models: { ...channel.set.models, ...personaModel } },
    server: server?.set,
    persona,
  };
}

export function earlyPreferencesOf({ member, channel, server }: Preferred): EarlyPreferences {
  const value = (name: 'isPrivate' | 'remix'): boolean | undefined =>
    firstOf({ member: member?.[name], channel: channel?.[name], server: server?.[name] })?.value;
  return {
    isPrivate: value('isPrivate'),
    remix: value('remix'),
    memberLanguage: member?.language,
    placeLanguage: channel?.language ?? server?.language,
  };
}

export const pingOf = ({ member, channel, server }: Preferred) =>
  firstOf({ member: member?.ping, channel: channel?.ping, server: server?.ping })?.value ?? 'slow';

/** What members, channels and servers want unless a request says otherwise. Only what the first response depends on is kept in memory. */
export class Preferences {
  readonly #context: AppContext & RowSources;
  /** Of the owners who have set any of it, by name. */
  readonly #early = new RecentMap<string, Pick<PreferenceSet, 'isPrivate' | 'remix' | 'language'>>(MAX_KNOWN);
  readonly #lock = new KeyedLock();

  constructor(context: AppContext & RowSources) {
    this.#context = context;
  }

  async open(): Promise<void> {
    const { store, others, log } = this.#context;
    for await (const row of store.preferences.each()) this.#note(row, row);
    try {
      for (const rows of (await others?.all()) ?? [])
        for await (const row of rows.preferences.each('member:')) this.#note(row, row);
    } catch (error) {
      log.warn({ err: error }, 'The settings of members in other partitions are read when they are needed.');
    }
  }

  /** What the first response here depends on, as far as it is in memory. */
  early(place: PreferencePlace): EarlyPreferences {
    const { member, channel, server } = preferenceOwnersOf(place);
    const known = (owner: PreferenceOwner | undefined) => owner && this.#early.get(preferenceOwnerName(owner));
    return earlyPreferencesOf({ member: known(member), channel: known(channel), server: known(server) });
  }

  /** Reads what may have changed in another partition, or did not fit into memory. */
  async refresh(place: PreferencePlace): Promise<void> {
    if (this.#context.others || this.#isFull) await this.read(place);
  }

  read(place: PreferencePlace): Promise<Preferred> {
    return readPreferred(place, (owner) => this.find(owner));
  }

  async find(owner: PreferenceOwner): Promise<PreferenceRow | undefined> {
    const row = await (await rowsAtHome(homeOfPreferences(owner), this.#context))?.preferences.get(owner);
    // The memory about own rows is newer than what a change may have overtaken.
    if (!this.#isOwn(owner) || this.#isFull) this.#note(owner, row);
    return row;
  }

  /** Changes the preferences of an owner that belongs to this partition. One without any has no row. */
  async change(
    owner: PreferenceOwner,
    by: string,
    transition: (known: OwnPreferences) => OwnPreferences | Promise<OwnPreferences>,
  ): Promise<void> {
    const { store, clock } = this.#context;
    if (!this.#isOwn(owner)) throw new Refusal('refusals.elsewhere');
    await this.#lock.run(preferenceOwnerName(owner), async () => {
      const known = await store.preferences.get(owner);
      const row = { ...owner, ...(await transition(known ?? { set: {} })), at: clock.now(), by };
      const isEmpty = Object.keys(row.set).length === 0 && row.persona === undefined;
      if (isEmpty) await store.preferences.remove(owner);
      else {
        if (!known && owner.channelId !== undefined) await this.#dropOldest(owner.guildId ?? '');
        await store.preferences.put(row);
      }
      this.#note(owner, row);
    });
  }

  async eraseId(memberId: string): Promise<void> {
    const { preferences } = this.#context.store;
    for (const { by: _, ...row } of await preferencesAbout(memberId, preferences))
      await this.#lock.run(preferenceOwnerName(row), async () => {
        const current = await preferences.get(row);
        if (row.memberId === memberId) await preferences.remove(row);
        else if (current?.by === memberId) await preferences.put({ ...current, by: undefined });
      });
    this.#early.delete(preferenceOwnerName({ memberId }));
  }

  async #dropOldest(guildId: string): Promise<void> {
    const { preferences } = this.#context.store;
    const channels = (await preferences.startingWith(`server:${guildId}:`)).filter(({ channelId }) => channelId);
    const oldest = channels
      .sort((one, other) => one.at - other.at)
      .slice(0, Math.max(0, channels.length + 1 - MAX_CHANNELS));
    await preferences.remove(...oldest);
    for (const row of oldest) this.#early.delete(preferenceOwnerName(row));
  }

  #note(owner: PreferenceOwner, row: PreferenceRow | undefined): void {
    const name = preferenceOwnerName(owner);
    const { isPrivate, remix, language } = row?.set ?? {};
    const early = { isPrivate, remix, language };
    if (Object.values(early).every((value) => value === undefined)) this.#early.delete(name);
    else if (!isDeepStrictEqual(this.#early.get(name), early)) this.#early.set(name, early);
  }

  get #isFull(): boolean {
    return this.#early.size > 0.9 * MAX_KNOWN;
  }

  #isOwn(owner: PreferenceOwner): boolean {
    return isAtHome(homeOfPreferences(owner), this.#context.partition);
  }
}

/** The rows that a member has, or has changed last. */
export async function preferencesAbout(memberId: string, store: PreferenceStore): Promise<PreferenceRow[]> {
  const rows: PreferenceRow[] = [];
  const own = await store.get({ memberId });
  if (own) rows.push(own);
  for await (const row of store.each('server:')) if (row.by === memberId) rows.push(row);
  return rows;
}
