import { Refusal } from '../../lib/refusal.ts';
import { type FileContent, piecesOf } from '../media/index.ts';

/** A file that a model is to read: its text, or all of it as a data URI. */
export interface ReadDocument {
  name: string;
  text?: string;
  data?: string;
}

const PDF = '%PDF-';
const PDF_WITHIN = 1024;
/** Whole groups of three bytes, for base64 that can be joined. */
const PIECE = 3 * 64 * 1024;

/** What it is its bytes say, never its name. It is read piece by piece, so that a large one keeps nobody waiting. */
export async function readDocument(name: string, content: FileContent): Promise<ReadDocument> {
  if (content.size === 0) throw new Refusal('refusals.documentEmpty', { name });
  if (await isPdf(content)) return { name, data: `data:application/pdf;base64,${await base64Of(content)}` };
  const text = await textIn(content);
  if (text === undefined) throw new Refusal('refusals.documentUnreadable', { name });
  if (!/\S/.test(text)) throw new Refusal('refusals.documentEmpty', { name });
  return { name, text };
}

async function isPdf(content: FileContent): Promise<boolean> {
  for await (const head of piecesOf(content, PDF_WITHIN)) return head.includes(PDF);
  return false;
}

async function base64Of(content: FileContent): Promise<string> {
  const pieces: string[] = [];
  for await (const piece of piecesOf(content, PIECE)) pieces.push(piece.toString('base64'));
  return pieces.join('');
}

async function textIn(content: FileContent): Promise<string | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const pieces: string[] = [];
  try {
    for await (const piece of piecesOf(content, PIECE)) {
      // Text has no such letter, and nearly everything else has.
      if (piece.includes(0)) return undefined;
      pieces.push(decoder.decode(piece, { stream: true }));
    }
    pieces.push(decoder.decode());
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  return pieces.join('');
}
