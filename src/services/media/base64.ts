import { damaged, tooLarge } from './errors.ts';

const HEAD = /^data:[^,]{0,200};base64,/i;
const FOREIGN = /[^A-Za-z0-9+/_=-]/;

export interface Encoded {
  readonly text: string;
  /** How many bytes it will be. */
  readonly bytes: number;
}

/** Base64 of either alphabet, with or without a data URI's head, measured before anything is decoded. */
export function measured(base64: string, most: number): Encoded {
  const head = HEAD.exec(base64.slice(0, 300))?.[0].length ?? 0;
  // Line breaks add a few per cent; what is twice as long as it may be is not even looked through.
  if (base64.length - head > most * 3 + 1_024) throw tooLarge(most);
  let text = base64.slice(head);
  if (FOREIGN.test(text)) {
    text = text.replace(/\s+/g, '');
    if (FOREIGN.test(text)) throw damaged();
  }
  const bytes = Buffer.byteLength(text, 'base64');
  if (bytes > most) throw tooLarge(most);
  return { text, bytes };
}

export function decoded({ text, bytes }: Encoded): Buffer {
  const buffer = Buffer.from(text, 'base64');
  // The decoder stops in silence at padding that does not stand at the end.
  if (buffer.length !== bytes) throw damaged();
  return buffer;
}
