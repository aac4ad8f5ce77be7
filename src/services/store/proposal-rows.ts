import { z } from 'zod';
import { amount } from '../prices/estimate.ts';
import type { Proposal, ProposalStore, ProposedOrder } from '../proposals.ts';
import { isKind, type KindSpecs, type TaskKind } from '../tasks/kind-spec.ts';
import type { OrderedRequest } from '../tasks/transitions.ts';
import type { Namespace } from './namespaces.ts';
import { type Quarantine, Rows, UNREADABLE } from './rows.ts';

const row = z.object({
  id: z.string(),
  memberId: z.string(),
  orders: z.array(z.object({ kind: z.string(), request: z.unknown(), parentId: z.string().optional() })).min(1),
  price: amount.optional(),
  isUpperBound: z.literal(true).optional(),
  messages: z.enum(['public', 'private']).optional(),
  hidesPrompt: z.boolean().optional(),
  until: z.number(),
  message: z.object({ channelId: z.string(), id: z.string(), guildId: z.string().optional() }).optional(),
});

export const proposalRows = (namespace: Namespace, quarantine: Quarantine, specs: KindSpecs) =>
  new Rows<Proposal>(namespace, quarantine, (_key, value) => readProposal(value, specs) ?? UNREADABLE);

function readProposal(value: unknown, specs: KindSpecs): Proposal | undefined {
  const parsed = row.safeParse(value).data;
  if (!parsed) return undefined;
  const orders = parsed.orders.flatMap(({ kind, request, parentId }): ProposedOrder[] => {
    const order = isKind(kind, specs) ? readOrder(kind, request, specs) : undefined;
    return order ? [{ ...order, parentId }] : [];
  });
  return orders.length === parsed.orders.length ? { ...parsed, orders } : undefined;
}

function readOrder<K extends TaskKind>(
  kind: K,
  storedRequest: unknown,
  specs: KindSpecs,
): OrderedRequest<K> | undefined {
  const { request: schema } = specs[kind];
  const parsed = schema.safeParse(storedRequest);
  return parsed.success ? { kind, request: parsed.data } : undefined;
}

/** Requests that wait for the member's decision; the store drops them when they expire. */
export function storedProposals(namespace: Namespace, quarantine: Quarantine, specs: KindSpecs): ProposalStore {
  const rows = proposalRows(namespace, quarantine, specs);
  return {
    put: (proposal, ttlMs) => namespace.put(proposal.id, proposal, ttlMs),
    get: (id) => rows.get(id),
    remove: (id) => namespace.delete(id),
    async findByMember(memberId) {
      const { good } = await rows.readAll();
      return [...good.values()].filter((proposal) => proposal.memberId === memberId);
    },
  };
}
