/** A fault in a response. With `done`, the request is carried out and only its response is lost. */
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

export interface FaultRule {
  readonly on?: { readonly method?: string; readonly route?: string | RegExp };
  readonly do: DiscordFault;
  /** The number of requests that the fault affects; 1 by default. */
  readonly times?: number;
}

export interface RequestFacts {
  readonly method: string;
  readonly route: string;
  readonly path: string;
}

/** The injected faults; the first one that matches a request is applied to it. */
export class FaultQueue {
  #pending: { rule: FaultRule; remaining: number }[] = [];

  add(rule: FaultRule): void {
    const { times = 1 } = rule;
    if (!(times > 0)) throw new RangeError('A fault must apply at least once.');
    this.#pending.push({ rule, remaining: times });
  }

  clear(): void {
    this.#pending = [];
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  takeMatching(request: RequestFacts): DiscordFault | undefined {
    const match = this.#pending.find(({ rule }) => matches(rule, request));
    if (!match) return undefined;
    match.remaining -= 1;
    if (match.remaining <= 0) this.#pending = this.#pending.filter((one) => one !== match);
    return match.rule.do;
  }
}

function matches({ on = {} }: FaultRule, { method, route, path }: RequestFacts): boolean {
  if (on.method !== undefined && on.method.toUpperCase() !== method) return false;
  if (on.route === undefined) return true;
  if (typeof on.route === 'string') return route === on.route || path.startsWith(on.route);
  // Patterns with the g or y flag keep state between calls.
  const pattern = new RegExp(on.route.source, on.route.flags.replace(/[gy]/g, ''));
  return pattern.test(route) || pattern.test(path);
}
