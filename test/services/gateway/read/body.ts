import { parseExact } from '../../../../src/lib/exact-json.ts';
import type { ResponseContext } from '../../../../src/services/gateway/read/media.ts';
import { readSnapshot } from '../../../../src/services/gateway/read/reader.ts';
import type { Snapshot } from '../../../../src/services/gateway/read/snapshot.ts';
import type { Family } from '../../../../src/services/gateway/read/table.ts';

/** One answer as it comes over the wire, and what must be read from it. What is not named is not looked at. */
export interface Body {
  what: string;
  body: string;
  expected: Partial<Record<keyof Snapshot, unknown>>;
  /** What the reader must say aloud: `word <word>` or `walked`. Nothing, where this is absent. */
  notices?: string[];
}

export const NOW = Date.UTC(2026, 0, 1);

export const place: ResponseContext = { base: new URL('https://gateway.example'), imgxPath: '/imgx', now: NOW };

export interface Reading {
  snapshot: Snapshot;
  notices: string[];
}

/** Reads text as the client does: parsed without losing a digit, then through the reader. */
export function read(family: Family, body: string, where: ResponseContext = place): Reading {
  const notices: string[] = [];
  const snapshot = readSnapshot(family, parseExact(body), where, {
    onUnknownStatus: (_family, word) => notices.push(`word ${word}`),
    onFoundBySearch: () => notices.push('walked'),
  });
  return { snapshot, notices };
}

/** The heads of real files; only the first letters are looked at. */
export const PNG = `iVBORw0KGgoAAAANSUhEUgAA${'AAAB'.repeat(24)}`;
export const JPEG = `/9j/4AAQSkZJRgABAQAAAQABAAD/2wBD${'AAAB'.repeat(24)}`;
export const MP4 = `AAAAIGZ0eXBpc29tAAACAGlzb21p${'AAAB'.repeat(24)}`;
