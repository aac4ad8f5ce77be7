import { z } from 'zod';
import type { DraftStore, FormDraft } from '../form-drafts.ts';
import type { Namespace } from './namespaces.ts';
import { type Quarantine, Rows, UNREADABLE } from './rows.ts';

const row = z.object({
  id: z.string(),
  memberId: z.string(),
  until: z.number(),
  images: z.array(z.object({ address: z.string(), name: z.string() })).optional(),
  entered: z
    .object({
      formId: z.string(),
      isPrivate: z.boolean(),
      fields: z.record(z.string(), z.string()),
      lists: z.record(z.string(), z.array(z.string())),
    })
    .optional(),
});

export const draftRows = (namespace: Namespace, quarantine: Quarantine) =>
  new Rows<FormDraft>(namespace, quarantine, (_key, value) => row.safeParse(value).data ?? UNREADABLE);

/** Sorts after the colon between member and id. */
const AFTER_COLON = ';';

/** The drafts of a member are next to each other, so that reading them does not read those of all members. */
const keyOf = (memberId: string, id: string): string => `${memberId}:${id}`;

/** Drafts of forms; the store drops them when they expire. */
export function storedDrafts(namespace: Namespace, quarantine: Quarantine): DraftStore {
  const rows = draftRows(namespace, quarantine);
  return {
    put: (draft, ttlMs) => namespace.put(keyOf(draft.memberId, draft.id), draft, ttlMs),
    get: (memberId, id) => rows.get(keyOf(memberId, id)),
    remove: (drafts) => namespace.delete(...drafts.map(({ memberId, id }) => keyOf(memberId, id))),
    async findByMember(memberId) {
      const drafts: FormDraft[] = [];
      for await (const [key, value] of namespace.between(keyOf(memberId, ''), memberId + AFTER_COLON)) {
        const draft = rows.read(key, value);
        if (typeof draft !== 'string') drafts.push(draft);
      }
      return drafts;
    },
  };
}
