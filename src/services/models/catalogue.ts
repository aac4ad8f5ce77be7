import { type Clock, pause, SteadyClock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Gateway, GatewayError } from '../gateway/index.ts';
import type { Model } from '../gateway/models.ts';
import { nearIds } from './ids.ts';

/** Models change rarely, when an operator adds some; a member can wait this long to see a new one. */
const FRESH_MS = 5 * 60_000;
/** For suggestions while the member types; Discord allows three seconds. */
const SUGGESTION_PATIENCE_MS = 1_000;

/** The gateway may offer an unknown id later; until then it is not queried again. */
const MISSING_MS = 60 * 60_000;
/** Members can invent ids, so the oldest are dropped. */
const MOST_MISSING = 500;
/** Real ids are shorter, and comparing longer ones with the list would be slow. */
const LONGEST_ID = 200;
/** Queries for unlisted ids per minute; beyond that, only the list decides. */
const MOST_ASKED = 30;
const ASKED_WITHIN_MS = 60_000;

export type ListName = 'own' | 'compatible';

type Listed = { models: readonly Model[]; at: number };

/** The gateway's models, queried as seldom as possible. */
export class ModelCatalogue {
  readonly #gateway: Gateway['models'];
  readonly #clock: Clock;
  /** If the clock is set back, old lists and missing ids must not stay valid for longer. */
  readonly #steady: SteadyClock;
  readonly #lists = new Map<ListName, Listed>();
  readonly #asking = new Map<ListName, Promise<Listed>>();
  /** Ids unknown to the gateway, and since when; oldest first. */
  readonly #missing = new Map<string, number>();
  readonly #looking = new Map<string, Promise<Model>>();
  /** When unlisted ids were queried. */
  #askedAt: number[] = [];

  constructor(gateway: Gateway['models'], clock: Clock) {
    this.#gateway = gateway;
    this.#clock = clock;
    this.#steady = new SteadyClock(clock);
  }

  async list(name: ListName = 'own'): Promise<readonly Model[]> {
    const known = this.#lists.get(name);
    if (known && this.#steady.now() - known.at < FRESH_MS) return known.models;
    return (await this.#ask(name)).models;
  }

  /** The last list, however old. */
  get known(): readonly Model[] {
    return this.#lists.get('own')?.models ?? [];
  }

  /** What is available quickly: an old list instead of a late one, and none instead of an error. */
  async atHand(): Promise<readonly Model[]> {
    const late = pause(this.#clock, SUGGESTION_PATIENCE_MS).then(() => this.known);
    const listed = this.list().catch((error: unknown) => {
      if (error instanceof GatewayError) return this.known;
      throw error;
    });
    return Promise.race([listed, late]);
  }

  /** One model by its exact id. The specification (4.8): an unknown id must not be queried again. */
  async get(id: string): Promise<Model> {
    if (id.length > LONGEST_ID) throw new Refusal('refusals.unknownModel', { id: `${id.slice(0, LONGEST_ID)}…` });
    if (this.#isKnownToBeMissing(id)) throw await this.#unknown(id);
    const looking = this.#looking.get(id);
    if (!looking && !this.#mayAskAbout(id)) throw await this.#unknown(id);
    const found = looking ?? this.#look(id).finally(() => this.#looking.delete(id));
    this.#looking.set(id, found);
    return found;
  }

  async #look(id: string): Promise<Model> {
    try {
      return await this.#gateway.get(id);
    } catch (error) {
      if (!(error instanceof GatewayError) || error.kind !== 'not-found') throw error;
      this.#missing.delete(id);
      this.#missing.set(id, this.#steady.now());
      const [oldest = id] = this.#missing.keys();
      if (this.#missing.size > MOST_MISSING) this.#missing.delete(oldest);
      throw await this.#unknown(id);
    }
  }

  /** Listed ids are always queried. */
  #mayAskAbout(id: string): boolean {
    for (const { models } of this.#lists.values()) if (models.some((model) => model.id === id)) return true;
    const now = this.#steady.now();
    this.#askedAt = this.#askedAt.filter((at) => now - at < ASKED_WITHIN_MS);
    if (this.#askedAt.length >= MOST_ASKED) return false;
    this.#askedAt.push(now);
    return true;
  }

  /** Until a list newer than the refusal contains it. */
  #isKnownToBeMissing(id: string): boolean {
    const since = this.#missing.get(id);
    const list = this.#lists.get('own');
    if (since === undefined || this.#steady.now() - since >= MISSING_MS) return false;
    return !(list && list.at > since && list.models.some((model) => model.id === id));
  }

  async #unknown(id: string): Promise<Refusal> {
    const ids = (await this.atHand()).map((model) => model.id);
    const near = nearIds(id, ids);
    if (near.length === 0) return new Refusal('refusals.unknownModel', { id });
    return new Refusal('refusals.unknownModelNear', { id, near });
  }

  /** Concurrent callers share one query. */
  #ask(name: ListName): Promise<Listed> {
    const asking = this.#asking.get(name) ?? this.#fetch(name).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  async #fetch(name: ListName): Promise<Listed> {
    const models = name === 'own' ? await this.#gateway.list() : await this.#gateway.listCompat();
    const listed = { models, at: this.#steady.now() };
    this.#lists.set(name, listed);
    return listed;
  }
}
