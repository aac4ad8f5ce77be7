export type FindingKind =
  | 'damaged'
  | 'readable-by-others'
  | 'unmarked'
  | 'unreadable'
  | 'in-both-places'
  | 'misplaced'
  | 'expired-token'
  | 'past'
  | 'line-missing'
  | 'line-dangling'
  | 'line-outdated'
  | 'row-astray'
  | 'order-astray'
  | 'entry-missing'
  | 'entry-different';

export interface Finding {
  kind: FindingKind;
  count: number;
}

/** What one look has found, and how to set it right. Looking changes nothing. */
export interface Look {
  findings: Finding[];
  repair(): Promise<void>;
}

export function counted(counts: Partial<Record<FindingKind, number>>): Finding[] {
  const findings = Object.entries(counts).map(([kind, count]) => ({ kind: kind as FindingKind, count }));
  return findings.filter(({ count }) => count > 0);
}
