import { z } from 'zod';
import type { PseudonymStore } from '../pseudonyms.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';
import { rowKey } from './side-rows.ts';

export const pseudonymRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(z.object({ pseudonym: z.string() })));

/** The name that identifies each member in requests. */
export function storedPseudonyms(namespace: Namespace, quarantine: Quarantine): PseudonymStore {
  const rows = pseudonymRows(namespace, quarantine);
  return {
    get: async (memberId) => (await rows.get(rowKey(memberId)))?.pseudonym,
    put: (memberId, pseudonym) => namespace.put(rowKey(memberId), { pseudonym }),
    remove: (memberId) => namespace.delete(rowKey(memberId)),
  };
}
