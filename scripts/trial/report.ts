import type { Difference } from './compare.ts';
import type { StepResult } from './run.ts';

/** No texts, ids, addresses or keys: what the trial hands on. */
export interface TrialReport {
  format: 1;
  /** The version of Atelier. */
  version: string;
  /** The profile of the embedded gateway that differs least. */
  comparedWith: string;
  /** In US dollars, by the estimates. */
  spentAtMost: string;
  differences: Difference[];
  steps: StepResult[];
}

const SIDES = { discord: 'Discord', gateway: 'The gateway', member: 'Interactions' };

export function markdownOf({ version, comparedWith, spentAtMost, differences, steps }: TrialReport): string {
  const count = (outcome: StepResult['outcome']): number => steps.filter((step) => step.outcome === outcome).length;
  const sections = Object.entries(SIDES).flatMap(([side, title]) => {
    const own = steps.filter((step) => step.side === side);
    return own.length === 0 ? [] : [`## ${title}`, '', ...own.flatMap((step) => stepLines(step, differences)), ''];
  });
  return `${[
    '# Report of a trial of Atelier',
    '',
    `Atelier ${version}. Steps that worked: ${count('worked')}, failed: ${count('failed')}, left out: ${count('left out')}. Estimated cost: ${spentAtMost} US dollars, without unknown prices.`,
    `Differences from the embedded sides: ${differences.length} (the gateway compared with the profile \`${comparedWith}\`).`,
    'The report has names, types and lengths only: no texts, ids, addresses or keys.',
    '',
    ...sections,
  ].join('\n')}`;
}

function stepLines({ name, outcome, reason, ms }: StepResult, differences: readonly Difference[]): string[] {
  const own = differences.filter(({ step }) => step === name);
  const verdict = outcome === 'worked' && own.length > 0 ? 'differed' : outcome;
  return [
    `- **${name}**: ${verdict}, ${ms} ms${reason === undefined ? '' : ` (${reason})`}`,
    ...own.map(({ kind, where, what }) => `  - ${kind}${where && ` at \`${where}\``}: \`${what}\``),
  ];
}
