const LONGEST_TEXT = 500;
const LONGEST_LIST = 40;
const DEEPEST = 12;

/** The same in short, to be looked at: long texts and lists are cut, and say so. */
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

/** JSON as it was sent, or as much of its text as was kept. */
export function briefText(text: string): unknown {
  try {
    return brief(JSON.parse(text));
  } catch (problem) {
    if (problem instanceof SyntaxError) return brief(text);
    throw problem;
  }
}
