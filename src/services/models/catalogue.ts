import { type Clock, pause, SteadyClock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import { type Gateway, GatewayError } from '../gateway/index.ts';
import type { Model } from '../gateway/models.ts';
import { nearIds } from './ids.ts';

/** Lists change when an operator buys something: rarely, and a member can wait so long to see it. */
const FRESH_MS = 5 * 60_000;
/** Suggestions are wanted while somebody types; Discord gives three seconds, a person less. */
const SUGGESTION_PATIENCE_MS = 1_000;

/** Whoever types an id that the gateway does not have may have it soon; until then it is not asked about again. */
const MISSING_MS = 60 * 60_000;
/** Anybody can invent ids, so the oldest are forgotten. */
const MOST_MISSING = 500;
/** Longer ones are no ids, and comparing them with those that are there would take long. */
const LONGEST_ID = 200;
/** So many ids that no list has are asked about in a minute; of more the list alone decides. */
const MOST_ASKED = 30;
const ASKED_WITHIN_MS = 60_000;

export type ListName = 'own' | 'compatible';

type Listed = { models: readonly Model[]; at: number };

/** The models of the gateway, asked for as seldom as possible. */
export class ModelCatalogue {
  readonly #gateway: Gateway['models'];
  readonly #clock: Clock;
  /** A clock that is set back would keep an old list fresh, and an id missing, for as long as that. */
  readonly #steady: SteadyClock;
  readonly #lists = new Map<ListName, Listed>();
  readonly #asking = new Map<ListName, Promise<Listed>>();
  /** Ids the gateway does not know, and since when, the oldest first. */
  readonly #missing = new Map<string, number>();
  readonly #looking = new Map<string, Promise<Model>>();
  /** When ids that no list has were asked about. */
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

  /** What was listed last, however long ago that is. */
  get known(): readonly Model[] {
    return this.#lists.get('own')?.models ?? [];
  }

  /** What is known within a moment: an old list rather than a late one, and none rather than an error. */
  async atHand(): Promise<readonly Model[]> {
    const late = pause(this.#clock, SUGGESTION_PATIENCE_MS).then(() => this.known);
    const listed = this.list().catch((error: unknown) => {
      if (error instanceof GatewayError) return this.known;
      throw error;
    });
    return Promise.race([listed, late]);
  }

  /** One model by its id, letter by letter. The specification (4.8): an unknown id is not asked for again. */
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

  /** What a list has is asked about whenever somebody wants it. */
  #mayAskAbout(id: string): boolean {
    for (const { models } of this.#lists.values()) if (models.some((model) => model.id === id)) return true;
    const now = this.#steady.now();
    this.#askedAt = this.#askedAt.filter((at) => now - at < ASKED_WITHIN_MS);
    if (this.#askedAt.length >= MOST_ASKED) return false;
    this.#askedAt.push(now);
    return true;
  }

  /** Until a list that is newer than the refusal contains it. */
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

  /** Many who ask at once ask once. */
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
