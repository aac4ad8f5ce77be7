/** The files whose errors would cost members money or results. A file that moves keeps its mutants. */
export const sources: readonly string[] = [
  'src/services/orders/orders.ts',
  'src/services/orders/sender.ts',
  'src/services/orders/book.ts',
  'src/services/tasks/transitions.ts',
  'src/services/tasks/advance.ts',
  'src/services/money/ledger.ts',
  'src/services/money/usage-query.ts',
  'src/services/money/spending.ts',
  'src/services/money/spending/limits-in-force.ts',
  'src/discord/delivery/end-delivery.ts',
  'src/discord/outbox/outbox.ts',
  'src/discord/custom-ids.ts',
];
