import { Refusal } from '../lib/refusal.ts';

/** A file that a model is to read: its text, or all of it as a data URI. */
export interface ReadDocument {
  name: string;
  text?: string;
  data?: string;
}

const PDF = '%PDF-';

/** What it is its bytes say, never its name. */
export function readDocument(name: string, bytes: Buffer): ReadDocument {
  if (bytes.length === 0) throw new Refusal('refusals.documentEmpty', { name });
  if (bytes.subarray(0, 1024).includes(PDF)) {
    return { name, data: `data:application/pdf;base64,${bytes.toString('base64')}` };
  }
  const text = textIn(bytes);
  if (text === undefined) throw new Refusal('refusals.documentUnreadable', { name });
  if (text.trim() === '') throw new Refusal('refusals.documentEmpty', { name });
  return { name, text };
}

function textIn(bytes: Buffer): string | undefined {
  // Text has no such letter, and nearly everything else has.
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
