import { parseExact } from '../../../../src/lib/exact-json.ts';
import type { ResponseContext } from '../../../../src/services/gateway/read/media.ts';
import { readSnapshot } from '../../../../src/services/gateway/read/reader.ts';
import type { Family } from '../../../../src/services/gateway/read/table.ts';
import type { Snapshot } from '../../../../src/services/gateway/snapshot.ts';

/** One response as it arrives over the wire, and what must be read from it. Fields that are not listed are not checked. */
export interface BodyCase {
  what: string;
  body: string;
  expected: Partial<Record<keyof Snapshot, unknown>>;
  /** The notices that the reader must log: `word <status word>` or `walked`. Without this field, it must log none. */
  notices?: string[];
}

export const NOW = Date.UTC(2026, 0, 1);

export const responseContext: ResponseContext = {
  base: new URL('https://gateway.example'),
  imgxPath: '/imgx',
  now: NOW,
};

export interface ReadResult {
  snapshot: Snapshot;
  notices: string[];
}

/** Reads text as the client does: parses it without losing digits, and passes it to the reader. */
export function read(family: Family, body: string, context: ResponseContext = responseContext): ReadResult {
  const notices: string[] = [];
  const snapshot = readSnapshot(family, parseExact(body), context, {
    onUnknownStatus: (_family, word) => notices.push(`word ${word}`),
    onFoundBySearch: () => notices.push('walked'),
  });
  return { snapshot, notices };
}

/** The first bytes of real files; only these are examined. */
export const PNG = `iVBORw0KGgoAAAANSUhEUgAA${'AAAB'.repeat(24)}`;
export const JPEG = `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD${'AAAB'.repeat(24)}`;
export const MP4 = `AAAAIGZ0eXBpc29tAAACAGlzb21p${'AAAB'.repeat(24)}`;
