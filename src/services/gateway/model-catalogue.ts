import { type Clock, SteadyClock, withTimeout } from '../../lib/clock.ts';
import { expecting } from '../../lib/expecting.ts';
import { RecentMap } from '../../lib/recent-map.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { Model } from './endpoints/models.ts';
import { GatewayError, ownReason } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { Experience } from './model-experience.ts';
import { guessKind, type KindOverrides, type ModelKind, overriddenKind } from './model-families.ts';
import { similarIds } from './model-ids.ts';

/** The gateway's operator rarely adds models, so a new one may take this long to appear. */
const CACHE_MS = 5 * 60_000;
/** The wait for suggestions while the member types; Discord allows three seconds. */
const SUGGESTION_LIMIT_MS = 1_000;
/** The wait for requests that name no model, which would be refused without a list. */
export const ORDER_LIMIT_MS = 10_000;

/** An unknown id is not queried again within this time. Later, the gateway may offer it. */
const MISSING_ID_MS = 60 * 60_000;
/** Members can invent ids, so the oldest are dropped. */
const MAX_MISSING_IDS = 500;
/** Real ids are shorter, and comparing longer ones with the list would be slow. */
const MAX_ID_LENGTH = 200;
/** The most queries for unlisted ids per minute. Beyond that, only the list decides. */
const MAX_QUERIES = 30;
const QUERY_WINDOW_MS = 60_000;

export type ListName = 'own' | 'compatible';

/** A model and the kind of result it probably makes. */
export interface ListedModel extends Model {
  kind: ModelKind;
  /** All kinds that the model can be used for: its own, and those that it has delivered. */
  usableKinds: readonly ModelKind[];
  refusedKinds: readonly ModelKind[];
}

/** The kind is guessed only once, because dozens of patterns are tried on every id. */
interface GuessedModel {
  model: Model;
  override: ModelKind | undefined;
  guess: ModelKind;
}

type CachedList = { models: readonly GuessedModel[]; at: number };

interface CatalogueParts {
  gateway: Gateway['models'];
  experience: Experience;
  overrides: KindOverrides;
  clock: Clock;
}

/** The gateway's models, queried as rarely as possible. */
export class ModelCatalogue {
  readonly #parts: CatalogueParts;
  #overrides: KindOverrides;
  /** Used so that old lists and missing ids do not stay valid for longer if the clock is set back. */
  readonly #steadyClock: SteadyClock;
  readonly #lists = new Map<ListName, CachedList>();
  readonly #listQueries = new Map<ListName, Promise<CachedList>>();
  /** Ids unknown to the gateway, and since when; oldest first. */
  readonly #missingIds = new RecentMap<string, number>(MAX_MISSING_IDS);
  readonly #modelQueries = new Map<string, Promise<ListedModel>>();
  /** When unlisted ids were recently queried. */
  #queryTimes: number[] = [];

  constructor(parts: CatalogueParts) {
    this.#parts = parts;
    this.#overrides = parts.overrides;
    this.#steadyClock = new SteadyClock(parts.clock);
  }

  setOverrides(overrides: KindOverrides): void {
    this.#overrides = overrides;
    for (const [name, { models, at }] of this.#lists)
      this.#lists.set(name, { models: models.map(({ model }) => this.#withGuess(model)), at });
  }

  async list(name: ListName = 'own'): Promise<readonly ListedModel[]> {
    const cachedList = this.#lists.get(name);
    const isFresh = cachedList && this.#steadyClock.now() - cachedList.at < CACHE_MS;
    const { models } = isFresh ? cachedList : await this.#queryList(name);
    return models.map((one) => this.#withKind(one));
  }

  /** The last list, however old. */
  get lastListed(): readonly ListedModel[] {
    return (this.#lists.get('own')?.models ?? []).map((one) => this.#withKind(one));
  }

  /** Returns what is available quickly: an old list instead of a late one, and an empty one instead of an error. */
  async listQuickly(limitMs = SUGGESTION_LIMIT_MS): Promise<readonly ListedModel[]> {
    return this.#listInTime(limitMs).catch(expecting(GatewayError, () => []));
  }

  /** Returns an old list instead of a late one or an error. If there has never been a list, throws the gateway's error. */
  async #listInTime(limitMs: number): Promise<readonly ListedModel[]> {
    try {
      const models = await withTimeout(this.#parts.clock, limitMs, this.list());
      if (models) return models;
      throw new GatewayError('The gateway did not list its models in time.', {
        kind: 'unreachable',
        reason: ownReason('silent'),
      });
    } catch (error) {
      if (error instanceof GatewayError && this.#lists.has('own')) return this.lastListed;
      throw error;
    }
  }

  /** Lists the models, the most suitable ones first: those that fit, then all others, because the kind is only guessed, and last those that were refused for it. */
  async listFor(kind: ModelKind): Promise<readonly ListedModel[]> {
    return rankFor(kind, await this.listQuickly());
  }

  /** The most suitable model for a request that names none. Throws if the models cannot be listed. */
  async findFor(kind: ModelKind): Promise<ListedModel | undefined> {
    const models = rankFor(kind, await this.#listInTime(ORDER_LIMIT_MS));
    return models.find(({ usableKinds }) => usableKinds.includes(kind));
  }

  /** Only listed models are remembered, because members can invent ids. */
  async markUnfit(id: string, kind: ModelKind): Promise<void> {
    if (this.#lists.get('own')?.models.some(({ model }) => model.id === id))
      await this.#parts.experience.markUnfit(id, kind);
  }

  /** Returns one model by its exact id. According to the specification (4.8), an unknown id must not be queried again. */
  async get(id: string): Promise<ListedModel> {
    if (id.length > MAX_ID_LENGTH) throw new Refusal('refusals.unknownModel', { id: `${id.slice(0, MAX_ID_LENGTH)}…` });
    if (this.#isKnownToBeMissing(id)) throw await this.#unknownModel(id);
    const query = this.#modelQueries.get(id);
    if (!query && !this.#mayQuery(id)) throw await this.#unknownModel(id);
    const pendingQuery = query ?? this.#queryModel(id).finally(() => this.#modelQueries.delete(id));
    this.#modelQueries.set(id, pendingQuery);
    return pendingQuery;
  }

  async #queryModel(id: string): Promise<ListedModel> {
    try {
      return this.#withKind(this.#withGuess(await this.#parts.gateway.get(id)));
    } catch (error) {
      if (!(error instanceof GatewayError) || error.kind !== 'not-found') throw error;
      this.#missingIds.set(id, this.#steadyClock.now());
      throw await this.#unknownModel(id);
    }
  }

  /** Listed ids are always queried. */
  #mayQuery(id: string): boolean {
    for (const { models } of this.#lists.values()) if (models.some(({ model }) => model.id === id)) return true;
    const now = this.#steadyClock.now();
    this.#queryTimes = this.#queryTimes.filter((at) => now - at < QUERY_WINDOW_MS);
    if (this.#queryTimes.length >= MAX_QUERIES) return false;
    this.#queryTimes.push(now);
    return true;
  }

  /** An id stays unknown until a list that is newer than the refusal contains it. */
  #isKnownToBeMissing(id: string): boolean {
    const since = this.#missingIds.get(id);
    const list = this.#lists.get('own');
    if (since === undefined || this.#steadyClock.now() - since >= MISSING_ID_MS) return false;
    return !(list && list.at > since && list.models.some(({ model }) => model.id === id));
  }

  async #unknownModel(id: string): Promise<Refusal> {
    const ids = (await this.listQuickly()).map((model) => model.id);
    const suggestions = similarIds(id, ids);
    if (suggestions.length === 0) return new Refusal('refusals.unknownModel', { id });
    return new Refusal('refusals.unknownModelNear', { id, near: suggestions });
  }

  /** Concurrent callers share one query. */
  #queryList(name: ListName): Promise<CachedList> {
    const query = this.#listQueries.get(name) ?? this.#fetchList(name).finally(() => this.#listQueries.delete(name));
    this.#listQueries.set(name, query);
    return query;
  }

  #withGuess(model: Model): GuessedModel {
    return { model, override: overriddenKind(model.id, this.#overrides), guess: guessKind(model) };
  }

  #withKind({ model, override, guess }: GuessedModel): ListedModel {
    const { delivered, unfit } = this.#parts.experience.get(model.id);
    if (override) return { ...model, kind: override, usableKinds: [override], refusedKinds: unfit };
    // A text model may also generate images. Any other guess is replaced by the kinds that were actually delivered.
    const kind = guess === 'text' || delivered.includes(guess) ? guess : (delivered[0] ?? guess);
    return { ...model, kind, usableKinds: [kind, ...delivered], refusedKinds: unfit };
  }

  async #fetchList(name: ListName): Promise<CachedList> {
    const { gateway } = this.#parts;
    const models = name === 'own' ? await gateway.list() : await gateway.listCompat();
    const cachedList = { models: models.map((model) => this.#withGuess(model)), at: this.#steadyClock.now() };
    this.#lists.set(name, cachedList);
    return cachedList;
  }
}

function rankFor(kind: ModelKind, models: readonly ListedModel[]): readonly ListedModel[] {
  const rank = ({ usableKinds, refusedKinds }: ListedModel): number =>
    refusedKinds.includes(kind) ? 2 : usableKinds.includes(kind) ? 0 : 1;
  return models.toSorted((a, b) => rank(a) - rank(b));
}
