/** What can go wrong with an answer. With `done` the request is carried out first, and only its answer is lost. */
export type DiscordFault =
  | {
      readonly type: 'status';
      readonly status: number;
      readonly code?: number;
      readonly message?: string;
      readonly body?: unknown;
    }
  | { readonly type: '429'; readonly scope?: 'user' | 'global' | 'shared' /** Seconds. */; readonly retryAfter: number }
  | { readonly type: 'reset'; readonly done?: boolean }
  | { readonly type: 'hang'; readonly done?: boolean }
  | { readonly type: 'delay'; readonly ms: number };

export interface FaultOrder {
  readonly on?: { readonly method?: string; readonly route?: string | RegExp };
  readonly do: DiscordFault;
  /** How many it strikes; one, unless told. */
  readonly times?: number;
}

export interface Occasion {
  readonly method: string;
  readonly route: string;
  readonly path: string;
}

/** Trouble on demand: the first order that matches a request strikes it. */
export class FaultBook {
  #standing: { order: FaultOrder; left: number }[] = [];

  add(order: FaultOrder): void {
    const { times = 1 } = order;
    if (!(times > 0)) throw new RangeError('A fault strikes at least once.');
    this.#standing.push({ order, left: times });
  }

  clear(): void {
    this.#standing = [];
  }

  strike(occasion: Occasion): DiscordFault | undefined {
    const struck = this.#standing.find(({ order }) => matches(order, occasion));
    if (!struck) return undefined;
    struck.left -= 1;
    if (struck.left <= 0) this.#standing = this.#standing.filter((one) => one !== struck);
    return struck.order.do;
  }
}

function matches({ on = {} }: FaultOrder, { method, route, path }: Occasion): boolean {
  if (on.method !== undefined && on.method.toUpperCase() !== method) return false;
  if (on.route === undefined) return true;
  if (typeof on.route === 'string') return route === on.route || path.startsWith(on.route);
  // A pattern with the flag g or y remembers where it stopped.
  const pattern = new RegExp(on.route.source, on.route.flags.replace(/[gy]/g, ''));
  return pattern.test(route) || pattern.test(path);
}
