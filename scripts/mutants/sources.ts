/** The files whose errors would cost members money or results. A file that moves keeps its mutants. */
export const sources: readonly string[] = [
  'src/services/tasks/orders.ts',
  'src/services/tasks/sender.ts',
  'src/services/tasks/book.ts',
  'src/services/tasks/transitions.ts',
  'src/services/tasks/advance.ts',
  'src/services/ledger/ledger.ts',
  'src/services/spending/spending.ts',
  'src/discord/delivery/ending.ts',
  'src/discord/outbox/outbox.ts',
  'src/discord/custom-ids.ts',
];
