/** The helpers below treat values of the wrong type as absent, because the schema already reports them. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asString = (value: unknown): string => (typeof value === 'string' ? value : '');

export const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Discord trims text. Whether it also refuses characters that draw nothing is not documented, so no label may consist of them. */
export const isBlank = (value: unknown): boolean => !/[^\s\p{Cc}\p{Cf}\p{DI}\u2800]/u.test(asString(value));

/** Discord treats null like an absent key. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** Truncates text from a body, which may be hostile, before it is sent back. */
export function toPrintable(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[list]' : '[object]';
  const text = String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
