const MAX_TEXT_LENGTH = 500;
const MAX_MESSAGE_LENGTH = 300;
const MAX_FRAMES = 20;
const MAX_FRAME_LENGTH = 300;
/** How many levels of nested objects are logged, and how many entries per level. */
const MAX_DEPTH = 4;
const MAX_ERRORS = 4;
const MAX_ENTRIES = 50;
/** The limit for the total length of all strings in one log line. */
const MAX_CHARACTERS = 16_000;

/** The messages of these classes are written by programmers. Those of other classes may come from servers or parsers, which quote their input. */
const TRUSTED_CLASSES: ReadonlySet<string> = new Set([
  'Error',
  'TypeError',
  'RangeError',
  'ReferenceError',
  'AggregateError',
]);
/** Names and codes; anything else may be text that a member sent. */
const SAFE_NAME = /^[\w.:/-]{1,64}$/;
const HTTP_METHOD = /^[A-Z]{1,10}$/;
/** Text after a quotation mark may quote the request. */
const QUOTATION = /(^|[\s([{<:=,])["'`‘“«][\s\S]*$/;
const STACK_FRAME = /^\s+at (?=.*(?::\d+:\d+|<anonymous>|native|index \d+)\)?$)/;

/** Libraries attach the whole request to an error, and messages quote input, so only safe facts and stack frames are logged. */
export const loggableError = (error: unknown): unknown => describe(error, new CharacterBudget(), 0);

/** Makes facts safe to log and limits their size: errors are reduced to safe fields, and binary data is replaced by its length. */
export function loggableFacts(facts: object): object {
  const { err, ...otherFacts }: { err?: unknown } = facts;
  const budget = new CharacterBudget();
  return { ...asRecord(otherFacts, budget, 0), ...(err !== undefined && { err: describe(err, budget, 0) }) };
}

/** A code or a name from outside; undefined if it contains any other characters. */
export const safeName = (value: unknown): string | undefined =>
  typeof value === 'string' && SAFE_NAME.test(value) ? value : undefined;

/** The message of an error if it is safe, else its code, such as that of a system error, or the name of its class. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return messageOf(error) ?? safeName('code' in error && error.code) ?? classOf(error);
}

class CharacterBudget {
  #remaining = MAX_CHARACTERS;

  take(text: string, max = MAX_TEXT_LENGTH): string {
    const length = Math.min(text.length, max, this.#remaining);
    this.#remaining -= length;
    return length === text.length ? text : `${text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')}…`;
  }
}

function describe(error: unknown, budget: CharacterBudget, depth: number): unknown {
  // Anything can be thrown, even text that a member sent.
  if (!(error instanceof Error)) return { type: typeof error };
  const properties = Object.getOwnPropertyDescriptors(error);
  const read = (name: string): unknown => properties[name]?.value;
  const message = messageOf(error);
  // The route of a request; its query may contain request data.
  const url = read('requestBody') === undefined ? undefined : read('url');
  const route = typeof url === 'string' ? URL.parse(url)?.pathname : undefined;
  const errors = read('errors');
  const innerErrors: unknown[] = Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : [];
  const cause = read('cause');
  return {
    type: budget.take(classOf(error)),
    ...(message !== undefined && { message: budget.take(message, MAX_MESSAGE_LENGTH) }),
    ...safePropertiesOf(read),
    ...(route !== undefined && { route: budget.take(route) }),
    ...fieldsOf(read('rawError'), read('issues')),
    stack: framesOf(error)
      .map((frame) => budget.take(frame, MAX_FRAME_LENGTH))
      .join('\n'),
    ...(depth < MAX_DEPTH && cause instanceof Error && { cause: describe(cause, budget, depth + 1) }),
    ...(depth < MAX_DEPTH &&
      innerErrors.length > 0 && { errors: innerErrors.map((one) => describe(one, budget, depth + 1)) }),
  };
}

const SAFE_PROPERTIES = ['kind', 'key', 'code', 'status', 'errno', 'syscall', 'signal'] as const;

function safePropertiesOf(read: (name: string) => unknown): Record<string, unknown> {
  const safeEntries = SAFE_PROPERTIES.map((name) => [name, read(name)] as const).filter(
    ([, value]) => typeof value === 'number' || (typeof value === 'string' && SAFE_NAME.test(value)),
  );
  const method = read('method');
  return {
    ...Object.fromEntries(safeEntries),
    ...(typeof method === 'string' && HTTP_METHOD.test(method) && { method }),
  };
}

function messageOf(error: Error): string | undefined {
  // System errors name hosts, files and values; their codes are enough.
  if (('code' in error && typeof error.code === 'string') || !TRUSTED_CLASSES.has(classOf(error))) return undefined;
  const [line = ''] = String(error.message).slice(0, MAX_MESSAGE_LENGTH).split('\n');
  return line.replace(QUOTATION, '$1…');
}

/** The `name` property can be set to anything; the class name comes from the code. */
function classOf(error: Error): string {
  const { name } = error.constructor ?? {};
  return typeof name === 'string' && SAFE_NAME.test(name) ? name : 'Error';
}

/** Only the stack frames. The message before them is left out, even if it has several lines. */
function framesOf(error: Error): string[] {
  const stack = typeof error.stack === 'string' ? error.stack : '';
  const message = String(error.message);
  const start = message === '' ? 0 : stack.indexOf(message);
  const rest = start < 0 ? stack : stack.slice(start + (message === '' ? 0 : message.length));
  const lines = rest.slice(0, MAX_FRAMES * MAX_FRAME_LENGTH * 2).split('\n');
  return lines.filter((line) => line.length <= MAX_FRAME_LENGTH * 2 && STACK_FRAME.test(line)).slice(0, MAX_FRAMES);
}

/** The fields that a server or a schema rejected, with codes only: their messages quote the input. */
function fieldsOf(rawError: unknown, issues: unknown): { fields?: string[] } {
  const fields = [...refusedFields(Object(rawError).errors), ...(Array.isArray(issues) ? issues.map(issueOf) : [])];
  return fields.length === 0 ? {} : { fields: fields.slice(0, MAX_ENTRIES) };
}

function issueOf(issue: unknown): string {
  const { path, code }: { path?: unknown; code?: unknown } = Object(issue);
  const location = (Array.isArray(path) ? path : []).map(asName).join('.');
  return `${location || 'value'}: ${asName(code)}`;
}

/** Discord reports invalid fields as a tree whose leaves are lists of errors. */
export function refusedFields(tree: unknown, path = '', depth = 0): string[] {
  if (typeof tree !== 'object' || tree === null || depth > 10) return [];
  return Object.entries(tree)
    .slice(0, MAX_ENTRIES)
    .flatMap(([key, branch]) => {
      if (key !== '_errors')
        return refusedFields(branch, path === '' ? asName(key) : `${path}.${asName(key)}`, depth + 1);
      const errors: { code?: unknown }[] = Array.isArray(branch) ? branch.slice(0, MAX_ERRORS) : [];
      return errors.map((error) => `${path || 'message'}: ${asName(error?.code)}`);
    });
}

const asName = (value: unknown): string => {
  const text = String(value);
  return SAFE_NAME.test(text) ? text : '?';
};

function asRecord(facts: object, budget: CharacterBudget, depth: number): Record<string, unknown> {
  const entries = Object.entries(facts).slice(0, MAX_ENTRIES);
  return Object.fromEntries(entries.map(([name, value]) => [budget.take(name), asFact(value, budget, depth)]));
}

function asFact(value: unknown, budget: CharacterBudget, depth: number): unknown {
  if (typeof value === 'string') return budget.take(value);
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (value instanceof Error) return describe(value, budget, depth);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return value.host;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((one) => asFact(one, budget, depth + 1));
  return asRecord(value, budget, depth + 1);
}
