import { isRecord } from '../../../lib/exact-json.ts';
import { malformedError } from '../errors.ts';
import { type CallOptions, Resource } from '../http.ts';
import { asList, asText, asTime, firstAt, listAt, places } from '../places.ts';
import { modelId, validate } from '../schemas.ts';

/** A model of the gateway (specification, part 2 and 4.8). */
export interface Model {
  /** Case-sensitive, including dates, versions and provider prefixes. */
  id: string;
  ownedBy: string | undefined;
  createdAt: number | undefined;
  /** Everything the gateway reports about the model, including its own extensions. */
  fields: Readonly<Record<string, unknown>>;
}

const fieldPaths = {
  items: places('data[]', 'models[]', '[]', 'data.models[]', 'data.data[]'),
  lists: places('data', 'models'),
  single: places('data', 'data[0]', 'model'),
  id: places('id', 'name', 'model'),
  owner: places('owned_by', 'ownedBy', 'owner'),
  created: places('created', 'created_at'),
} as const;

export class Models extends Resource {
  /** The ids of the latest list that was read for any reason; empty before the first. */
  lastIds: ReadonlySet<string> = new Set();

  async list(options?: CallOptions): Promise<Model[]> {
    const models = modelsIn(await this.http.read({ path: '/v1/models', ...options }));
    this.lastIds = new Set(models.map(({ id }) => id));
    return models;
  }

  async listCompat(options?: CallOptions): Promise<Model[]> {
    return modelsIn(await this.http.read({ path: `${this.http.settings.paths.compat}/models`, ...options }));
  }

  /** Returns one model. An unknown id is `not-found`, and must not be queried again (4.8). */
  async get(id: string, options?: CallOptions): Promise<Model> {
    const path = `/v1/models/${this.#encodeId(validate(modelId, id))}`;
    const response = await this.http.read({ path, notFoundKind: 'not-found', ...options });
    const model = modelFrom(response) ?? firstAt(response, fieldPaths.single, modelFrom);
    if (!model) throw malformedError('The gateway’s response is not a model.');
    return model;
  }

  #encodeId(id: string): string {
    const encoded = encodeURIComponent(id);
    return this.http.settings.modelSlashes === 'plain' ? encoded.replaceAll('%2F', '/') : encoded;
  }
}

function modelsIn(response: unknown): Model[] {
  const models = listAt(response, fieldPaths.items, modelFrom);
  const isList = models.length > 0 || firstAt(response, fieldPaths.lists, asList) !== undefined;
  if (!isList && !Array.isArray(response)) throw malformedError('The gateway’s response is not a list of models.');
  return models;
}

function modelFrom(value: unknown): Model | undefined {
  if (typeof value === 'string' && value.trim() !== '')
    return { id: value, ownedBy: undefined, createdAt: undefined, fields: {} };
  if (!isRecord(value)) return undefined;
  // The id is kept unchanged, because it is sent back exactly as it was received.
  const id = firstAt(value, fieldPaths.id, (text) => (typeof text === 'string' && text !== '' ? text : undefined));
  if (id === undefined) return undefined;
  return {
    id,
    ownedBy: firstAt(value, fieldPaths.owner, asText),
    createdAt: firstAt(value, fieldPaths.created, asTime),
    fields: value,
  };
}
