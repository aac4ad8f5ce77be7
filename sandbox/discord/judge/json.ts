/** How the hand-written rules look at a body: what has the wrong type is the schema's fault to find, and reads as absent here. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

export const numberIn = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** A key that says nothing: absent or null. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** A hostile body's own text goes back only in small pieces. */
export function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[list]' : '[object]';
  const text = String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
