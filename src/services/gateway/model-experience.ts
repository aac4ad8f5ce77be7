import { z } from 'zod';
import type { PlainLog } from '../../lib/log.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import { type ModelKind, modelKinds } from './model-families.ts';

/** What is known about a model: the kinds of results it delivered, and those that the gateway said it does not support. */
export const modelExperience = z.object({ delivered: z.array(z.enum(modelKinds)), unfit: z.array(z.enum(modelKinds)) });
export type ModelExperience = z.output<typeof modelExperience>;

export type ExperienceStore = Pick<StoredRows<ModelExperience & { id: string }>, 'all' | 'put'>;

/** A gateway lists a few hundred models. One that keeps changing its ids must not fill the memory. */
const MAX_MODELS = 2_000;

const NO_EXPERIENCE: ModelExperience = { delivered: [], unfit: [] };

/** Remembers how requests to each model ended, across restarts. */
export class Experience {
  readonly #store: ExperienceStore;
  readonly #log: PlainLog;
  readonly #experiences = new Map<string, ModelExperience>();

  constructor(store: ExperienceStore, log: PlainLog) {
    this.#store = store;
    this.#log = log;
  }

  async open(): Promise<void> {
    for (const { id, ...experience } of await this.#store.all()) this.#experiences.set(id, experience);
  }

  get(id: string): ModelExperience {
    return this.#experiences.get(id) ?? NO_EXPERIENCE;
  }

  /** A success also clears an earlier refusal. */
  async markDelivered(id: string, kind: ModelKind): Promise<void> {
    const { delivered, unfit } = this.get(id);
    if (delivered.includes(kind) && !unfit.includes(kind)) return;
    await this.#change(id, { delivered: withKind(delivered, kind), unfit: unfit.filter((one) => one !== kind) });
  }

  async markUnfit(id: string, kind: ModelKind): Promise<void> {
    const { delivered, unfit } = this.get(id);
    if (!unfit.includes(kind)) await this.#change(id, { delivered, unfit: [...unfit, kind] });
  }

  async #change(id: string, experience: ModelExperience): Promise<void> {
    if (!this.#experiences.has(id) && this.#experiences.size >= MAX_MODELS) return;
    this.#experiences.set(id, experience);
    try {
      await this.#store.put({ id, ...experience });
    } catch (error) {
      // Losing this only affects the order of suggestions, and it will be learned again.
      this.#log.warn({ model: id, err: error }, 'The experience with a model could not be stored.');
    }
  }
}

const withKind = (kinds: readonly ModelKind[], kind: ModelKind): ModelKind[] =>
  kinds.includes(kind) ? [...kinds] : [...kinds, kind];
