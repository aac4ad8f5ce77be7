const MAX_TEXT_LENGTH = 500;
const MAX_LIST_LENGTH = 40;
const MAX_DEPTH = 12;

/** Shortens a value for display; truncated strings and lists state their full length. */
export function shorten(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}… (${value.length} characters)` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_LIST_LENGTH).map((item) => shorten(item, depth + 1));
    return value.length > MAX_LIST_LENGTH ? [...items, `… (${value.length} items)`] : items;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, shorten(item, depth + 1)]));
}

/** Parses JSON for display; text that was truncated or is not JSON stays text. */
export function shortenJson(text: string): unknown {
  try {
    return shorten(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return shorten(text);
    throw error;
  }
}
