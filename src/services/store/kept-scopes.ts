import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hashSecretMark } from './marks.ts';
import type { Namespace } from './namespaces.ts';
import { parseWith, type Quarantine, Rows } from './rows.ts';

/** The sums that an anonymous ledger entry still counts in. */
const keptScopes = z.object({ entry: z.string(), scopes: z.array(z.string()) });

export const keptScopeRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows(namespace, quarantine, parseWith(keptScopes));

/** The key of the hashes that replace members. It is created once, and stored with the rows that contain the hashes. */
export async function hashSecret(meta: Namespace): Promise<string> {
  const mark = hashSecretMark(meta);
  const existingMark = await mark.read();
  if (existingMark) return existingMark.secret;
  const secret = randomBytes(32).toString('hex');
  await mark.write({ secret });
  return secret;
}
