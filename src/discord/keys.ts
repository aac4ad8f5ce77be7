import { Refusal } from '../lib/refusal.ts';
import { type CustomId, readCustomId } from './custom-id.ts';

interface Versioned {
  verb: string;
  version: number;
  understands?: readonly number[];
}

/** Handlers by the verb of their custom ids. */
export class Keyed<Handler extends Versioned> {
  readonly #handlers: ReadonlyMap<string, Handler>;

  constructor(handlers: readonly Handler[] = []) {
    this.#handlers = new Map(handlers.map((handler) => [handler.verb, handler]));
  }

  /** undefined: none of these. Refuses an id that is one of ours, but from a version that nobody understands any more. */
  find(id: CustomId): Handler | undefined {
    const handler = this.#handlers.get(id.verb);
    if (!handler || id.version === handler.version || handler.understands?.includes(id.version)) return handler;
    throw new Refusal('refusals.outdatedButton');
  }
}

/** Refuses what is not one of our ids at all. */
export function knownId(text: string): CustomId {
  const id = readCustomId(text);
  if (!id) throw new Refusal('refusals.unknownButton');
  return id;
}
