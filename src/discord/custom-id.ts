/** Discord's limit for a custom id. */
const LONGEST = 100;
const WORD = /^[a-z]{1,8}$/;

/** A pointer that a button carries: what is meant (verb), how it is spelled (version), and which one (arguments). */
export interface CustomId {
  verb: string;
  version: number;
  args: readonly string[];
}

/** Never holds a prompt, an address or a price: only what a store or a list can be asked with. */
export function customId(verb: string, version: number, ...args: readonly string[]): string {
  const text = [verb, String(version), ...args.map(encodeArgument)].join('.');
  if (!WORD.test(verb) || text.length > LONGEST) throw new RangeError(`This is no custom id: ${verb}.${version}`);
  return text;
}

/** undefined: not one of ours, or forged. */
export function readCustomId(text: string): CustomId | undefined {
  const [verb = '', version = '', ...args] = text.split('.');
  if (text.length > LONGEST || !WORD.test(verb) || !/^[1-9]\d{0,3}$/.test(version)) return undefined;
  const decoded = args.map(decodeArgument);
  return decoded.includes(undefined) ? undefined : { verb, version: Number(version), args: decoded as string[] };
}

/** Short words stay as they are; anything else travels as base64url behind a tilde. */
function encodeArgument(argument: string): string {
  return /^[\w-]*$/.test(argument) ? argument : `~${Buffer.from(argument).toString('base64url')}`;
}

function decodeArgument(text: string): string | undefined {
  if (/^[\w-]*$/.test(text)) return text;
  return /^~[\w-]+$/.test(text) ? Buffer.from(text.slice(1), 'base64url').toString('utf8') : undefined;
}
