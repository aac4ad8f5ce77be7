import { Refusal } from '../../lib/refusal.ts';
import type { Judgement, Moderator } from '../moderation/moderator.ts';
import type { CommonRequest } from '../tasks/task.ts';
import { promptOf, type Verdict } from './judge.ts';
import type { RuleSet } from './server-rules.ts';

/** The outcome for a prompt: allowed, allowed behind a spoiler, or refused. */
export type Moderated = { isAllowed: true; isSpoiler: boolean } | ({ isAllowed: false } & Verdict);

const ALLOWED: Moderated = { isAllowed: true, isSpoiler: false };

/** Asks the moderation service about a prompt, where the server wants that. */
export async function moderatePrompt(
  request: CommonRequest,
  { moderation: { prompts, whenAway, thresholds } }: Pick<RuleSet, 'moderation'>,
  moderator: Moderator | undefined,
): Promise<Moderated> {
  const text = promptOf(request);
  if (prompts === 'off' || text === '') return ALLOWED;
  const judgement = await moderator?.judgeText(text);
  if (!judgement)
    return whenAway === 'allow' ? ALLOWED : refused(new Refusal('refusals.rules.moderationAway'), undefined);
  const category = objectionIn(judgement, thresholds);
  if (category === undefined) return ALLOWED;
  return prompts === 'spoiler'
    ? { isAllowed: true, isSpoiler: true }
    : refused(new Refusal('refusals.rules.moderated'), category);
}

const refused = (refusal: Refusal, entry: string | undefined): Moderated => ({
  isAllowed: false,
  refusal,
  rule: 'moderation',
  entry,
});

/** A server's own threshold for a category stands in for the service's opinion. */
function objectionIn({ scores, flagged }: Judgement, thresholds: Readonly<Record<string, number>>): string | undefined {
  const over = Object.entries(scores).find(([name, score]) => score >= (thresholds[name] ?? Number.POSITIVE_INFINITY));
  return over?.[0] ?? flagged.find((name) => thresholds[name] === undefined);
}
