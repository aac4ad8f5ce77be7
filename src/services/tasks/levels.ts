/** Where a value of an order can come from. The first of these that has one decides. */
export const levels = ['flag', 'option', 'preset', 'conversation', 'member', 'channel', 'server', 'bot'] as const;
export type Level = (typeof levels)[number];

export function firstOf<Value>(
  candidates: {
    readonly [From in Level]?: Value | undefined;
  },
): { value: Value; from: Level } | undefined {
  for (const from of levels) {
    const value = candidates[from];
    if (value !== undefined) return { value, from };
  }
  return undefined;
}
