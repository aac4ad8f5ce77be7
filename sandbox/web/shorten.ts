const LONGEST_TEXT = 500;
const LONGEST_LIST = 40;
const DEEPEST = 12;

/** Shortens a value for display; truncated texts and lists state their full length. */
export function brief(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}… (${value.length} characters)` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, LONGEST_LIST).map((item) => brief(item, depth + 1));
    return value.length > LONGEST_LIST ? [...items, `… (${value.length} items)`] : items;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, brief(item, depth + 1)]));
}

/** Parses JSON for display; text that was truncated or is not JSON stays text. */
export function briefText(text: string): unknown {
  try {
    return brief(JSON.parse(text));
  } catch (problem) {
    if (problem instanceof SyntaxError) return brief(text);
    throw problem;
  }
}
