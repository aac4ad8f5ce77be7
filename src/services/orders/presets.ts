import type { AppContext } from '../../lib/app-context.ts';
import { KeyedLock } from '../../lib/keyed-lock.ts';
import { Listeners } from '../../lib/listeners.ts';
import { Refusal } from '../../lib/refusal.ts';
import { bucketOf, isAtHome, partitionOf } from '../tasks/homes.ts';
import { createTaskId } from '../tasks/task-id.ts';
import { type RowSources, rowsAtHome } from './other-partitions.ts';
import type { PreferencePlace } from './preferences.ts';
import {
  hasName,
  type Preset,
  type PresetCommand,
  type PresetContent,
  type PresetOwner,
  type PresetRow,
  type PresetStore,
  presetPrefix,
} from './preset.ts';

const MAX_PER_MEMBER = 50;
const MAX_PER_SERVER = 200;

interface PresetsContext extends AppContext, RowSources {
  /** The operator's. */
  settings: { presets: readonly PresetContent[] };
}

/** Whose partition has the row. */
const homeOfPreset = ({ memberId, guildId }: PresetOwner): string => guildId ?? memberId;

/** Named templates: of members, shared in servers, and of the operator. Those of a member are used everywhere, shared ones only in their server. */
export class Presets {
  readonly #context: PresetsContext;
  readonly #lock = new KeyedLock();
  readonly #moderated = new Listeners<[row: PresetRow & { guildId: string }, moderatorId: string]>();
  /** Called if a moderator removes what another member has shared. */
  readonly onModerated = this.#moderated.add;

  constructor(context: PresetsContext) {
    this.#context = context;
  }

  /** The operator's; no member can use `:` in a name. */
  get operators(): Preset[] {
    return this.#context.settings.presets.map((content) => ({ ...content, id: `bot:${content.name}` }));
  }

  /** What a member can use in a place: their own, those of the server, the operator's. Each of these begins with the most used ones. */
  async listFor(place: PreferencePlace): Promise<Preset[]> {
    const { memberId, guildId, install } = place;
    const owners = [{ memberId }, ...(guildId === undefined || install === 'user' ? [] : [{ memberId, guildId }])];
    const rows = await Promise.all(
      owners.map(
        async (owner) =>
          (await rowsAtHome(homeOfPreset(owner), this.#context))?.presets.startingWith(presetPrefix(owner)) ?? [],
      ),
    );
    return [...rows.flatMap((own) => own.sort((one, other) => other.uses - one.uses)), ...this.operators];
  }

  /** `wanted`: an id or a name. */
  async find(wanted: string, place: PreferencePlace, command?: PresetCommand): Promise<Preset> {
    const usable = (await this.listFor(place)).filter((one) => command === undefined || one.command === command);
    const found = usable.find(({ id }) => id === wanted) ?? usable.find((one) => hasName(one, wanted));
    if (!found) throw new Refusal(command ? 'refusals.presets.unknownHere' : 'refusals.presets.unknown');
    return found;
  }

  async get(row: PresetOwner & { id: string }): Promise<PresetRow | undefined> {
    return (await rowsAtHome(homeOfPreset(row), this.#context))?.presets.get(row);
  }

  /** Stores a new preset, or changes the one with this id. */
  save(owner: PresetOwner, content: PresetContent, id?: string): Promise<PresetRow> {
    const { memberId, guildId } = owner;
    return this.#change(owner, async (store, now) => {
      const rows = await store.startingWith(presetPrefix(owner));
      const known = rows.find((row) => row.id === id);
      if (id !== undefined && known?.memberId !== memberId) throw new Refusal('refusals.presets.unknown');
      if (rows.some((row) => row !== known && hasName(row, content.name)))
        throw new Refusal(`refusals.presets.nameTaken.${guildId === undefined ? 'own' : 'server'}`);
      const max = guildId === undefined ? MAX_PER_MEMBER : MAX_PER_SERVER;
      if (!known && rows.length >= max)
        throw new Refusal(`refusals.presets.tooMany.${guildId === undefined ? 'own' : 'server'}`, { max });
      const identity = known ?? { id: createTaskId(now, bucketOf(homeOfPreset(owner))), uses: 0 };
      const row = { ...content, memberId, guildId, id: identity.id, uses: identity.uses, at: now };
      await store.put(row);
      return row;
    });
  }

  async remove(row: PresetOwner & { id: string }): Promise<void> {
    await this.#change(row, (store) => store.remove(row));
  }

  async moderate(row: PresetRow & { guildId: string }, moderatorId: string): Promise<void> {
    await this.remove(row);
    this.#moderated.notify(row, moderatorId);
  }

  /** Never throws: what was ordered with the preset is already stored. The operator's are not counted. */
  async countUse({ id, memberId, guildId }: { id: string } & Partial<PresetOwner>): Promise<void> {
    if (memberId === undefined) return;
    const owner = { memberId, guildId, id };
    const { log, others, partition } = this.#context;
    const home = homeOfPreset(owner);
    try {
      if (!isAtHome(home, partition))
        return await others?.send(partitionOf(bucketOf(home), partition.count), { do: 'use-preset', ...owner });
      await this.#change(owner, async (store) => {
        const row = await store.get(owner);
        if (row) await store.put({ ...row, uses: row.uses + 1 });
      });
    } catch (error) {
      log.warn({ err: error }, 'The use of a preset could not be counted.');
    }
  }

  async eraseId(memberId: string): Promise<void> {
    for (const row of await presetsAbout(memberId, this.#context.store.presets)) await this.remove(row);
  }

  #change<Result>(owner: PresetOwner, work: (store: PresetStore, now: number) => Promise<Result>): Promise<Result> {
    const { store, clock, partition } = this.#context;
    if (!isAtHome(homeOfPreset(owner), partition)) throw new Refusal('refusals.presets.choose');
    return this.#lock.run(presetPrefix(owner), () => work(store.presets, clock.now()));
  }
}

export async function presetsAbout(memberId: string, store: PresetStore): Promise<PresetRow[]> {
  const rows = await store.startingWith(presetPrefix({ memberId }));
  for await (const row of store.each('server:')) if (row.memberId === memberId) rows.push(row);
  return rows;
}
