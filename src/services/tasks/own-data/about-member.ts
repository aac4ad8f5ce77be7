import { reportsAbout } from '../../reports/reports.ts';
import { rulesAbout } from '../../rules/rules.ts';
import { budgetsAbout } from '../../spending/budgets.ts';
import type { StoredTasks } from '../../store/stored-tasks.ts';

/** What is stored about a member apart from tasks and usage. */
export interface MemberFacts {
  /** What admins have decided about the member, and what the member has decided about others as an admin. */
  budgets: readonly object[];
  rules: readonly object[];
  /** Reports that the member made, and the member's decisions about the reports of others. */
  reports: readonly object[];
  /** Orders that wait for the member's decision. */
  proposals: readonly object[];
  /** Drafts of forms. */
  drafts: readonly object[];
  /** The pseudonym that represents the member at the gateway. */
  pseudonym: string | undefined;
}

type Rows = Pick<StoredTasks, 'budgets' | 'rules' | 'reports' | 'proposals' | 'drafts' | 'pseudonyms'>;

/** Reads the stored rows, for a partition that is not in memory. `hashOf` is the function with which that partition hashes names. */
export async function readMemberFacts(
  memberId: string,
  { budgets, rules, reports, proposals, drafts, pseudonyms }: Rows,
  hashOf: (name: string) => string,
): Promise<MemberFacts> {
  return {
    budgets: budgetsAbout(memberId, await budgets.all(), hashOf),
    rules: rulesAbout(memberId, await rules.all()),
    reports: reportsAbout(memberId, await reports.all()),
    proposals: (await proposals.all()).filter((proposal) => proposal.memberId === memberId),
    drafts: await drafts.startingWith(`${memberId}:`),
    pseudonym: await pseudonyms.get(memberId),
  };
}
