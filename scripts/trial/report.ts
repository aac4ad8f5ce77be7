import { z } from 'zod';
import { roundUp } from '../../src/lib/decimals.ts';

/** What is known of a field without its value. */
const field = z.strictObject({
  types: z.array(z.string()),
  /** The shortest and the longest text or list, or number of digits. */
  length: z.tuple([z.number(), z.number()]).optional(),
  /** Whether it is missing in some of the objects that could have it. */
  optional: z.literal(true).optional(),
});

const shape = {
  /** By the path of each field: `data[].url`. A key that is not a name but data is `{*}`. The value itself has the path `$`. */
  fields: z.record(z.string(), field),
  /** The values that are words of the protocol, by the path of the field, in the order in which they appeared. */
  words: z.record(z.string(), z.array(z.string())),
};

/** All responses of one kind in a step, without their values. */
const responses = z.strictObject({
  route: z.string(),
  outcome: z.string(),
  headers: z.array(z.string()),
  ...shape,
  /** The events of a stream, in the order in which their types appeared first. */
  events: z.array(z.strictObject({ type: z.string(), ...shape })),
});

const step = z.object({
  side: z.enum(['discord', 'gateway', 'member']),
  name: z.string(),
  outcome: z.enum(['worked', 'failed', 'left out']),
  reason: z.string().optional(),
  ms: z.number(),
  responses: z.array(responses),
});

const failures = ['failed step', 'other outcome', 'missing response', 'missing header'] as const;
const contents = ['unknown field', 'missing field', 'other type', 'unknown word', 'other order'] as const;
const events = ['unknown event', 'missing event'] as const;

const difference = z.object({
  step: z.string(),
  kind: z.enum([...failures, ...contents, ...events]),
  /** The request and its outcome, or nothing if the step itself failed. */
  where: z.string(),
  /** What is different there. */
  what: z.string(),
});

/** No texts, ids, addresses or keys: what the trial hands on. */
export const trialReport = z.object({
  format: z.literal(1),
  /** The version of Atelier. */
  version: z.string(),
  /** The profile of the embedded gateway that differs least. */
  comparedWith: z.string(),
  /** In US dollars, by the estimates. */
  spentAtMost: z.string(),
  differences: z.array(difference),
  steps: z.array(step),
});

export type TrialReport = z.output<typeof trialReport>;
export type StepResult = z.output<typeof step>;
export type Responses = z.output<typeof responses>;
export type Difference = z.output<typeof difference>;
export type Shape = Pick<Responses, 'fields' | 'words'>;

const SIDES = { discord: 'Discord', gateway: 'The gateway', member: 'Interactions' };

export function markdownOf({ version, comparedWith, spentAtMost, differences, steps }: TrialReport): string {
  const count = (outcome: StepResult['outcome']): number => steps.filter((one) => one.outcome === outcome).length;
  const sections = Object.entries(SIDES).flatMap(([side, title]) => {
    const own = steps.filter((one) => one.side === side);
    return own.length === 0 ? [] : [`## ${title}`, '', ...own.flatMap((one) => stepLines(one, differences)), ''];
  });
  return [
    '# Report of a trial of Atelier',
    '',
    `Atelier ${version}. Steps that worked: ${count('worked')}, failed: ${count('failed')}, left out: ${count('left out')}. Estimated cost: ${roundUp(spentAtMost)} US dollars, without unknown prices and what was ordered from the bot.`,
    `Differences from the embedded sides: ${differences.length} (the gateway compared with the profile \`${comparedWith}\`).`,
    'The report has names, types and lengths only: no texts, ids, addresses or keys.',
    '',
    ...sections,
  ].join('\n');
}

function stepLines({ name, outcome, reason, ms }: StepResult, differences: readonly Difference[]): string[] {
  const own = differences.filter((one) => one.step === name);
  const verdict = outcome === 'worked' && own.length > 0 ? 'differed' : outcome;
  return [
    `- **${name}**: ${verdict}, ${ms} ms${reason === undefined ? '' : ` (${reason})`}`,
    ...own.map(({ kind, where, what }) => `  - ${kind}${where && ` at \`${where}\``}: \`${what}\``),
  ];
}
