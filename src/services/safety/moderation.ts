import { ContentRefusal, Refusal } from '../../lib/refusal.ts';
import type { Task } from '../tasks/task.ts';
import type { BrokenRule } from './judge.ts';
import type { Judgement, ModerationService } from './moderation-service.ts';
import type { RuleSet } from './server-rules.ts';

type Moderation = RuleSet['moderation'];

/** The possible outcomes, from the mildest to the strictest. */
const actions = ['allow', 'spoiler', 'hold', 'refuse'] as const;
export type ModerationAction = (typeof actions)[number];

export interface ModerationOutcome {
  action: ModerationAction;
  /** The category that the service flagged; undefined for none, or if the service is unavailable. */
  category?: string | undefined;
  isUnavailable?: true;
  /** An age-restricted channel would allow it. */
  needsAgeRestriction?: true;
}

export const ALLOWED: ModerationOutcome = { action: 'allow' };

export const stricterOutcome = (one: ModerationOutcome, other: ModerationOutcome): ModerationOutcome =>
  actions.indexOf(other.action) > actions.indexOf(one.action) ? other : one;

/** The category that age-restricted channels may permit. They make no exception for others, such as `sexual/minors`. */
const AGE_RESTRICTED_CATEGORY = 'sexual';

export function moderationOutcome(
  judgement: Judgement | undefined,
  { thresholds, whenAway, ageRestricted }: Moderation,
  { action, isAgeRestricted }: { action: ModerationAction; isAgeRestricted: boolean },
): ModerationOutcome {
  if (!judgement) return whenAway === 'allow' ? { ...ALLOWED, isUnavailable: true } : { action, isUnavailable: true };
  const categories = flaggedCategories(judgement, thresholds);
  const [category = AGE_RESTRICTED_CATEGORY] = categories.filter((name) => name !== AGE_RESTRICTED_CATEGORY);
  if (categories.length === 0) return ALLOWED;
  if (category !== AGE_RESTRICTED_CATEGORY || ageRestricted === 'like-others') return { action, category };
  if (ageRestricted === 'channels')
    return isAgeRestricted ? ALLOWED : { action: 'refuse', category, needsAgeRestriction: true };
  return { action: ageRestricted, category };
}

/** An order to be moderated. `images` returns its images as data URIs. */
interface ModeratedOrder {
  texts: readonly string[];
  isAgeRestricted?: boolean | undefined;
  /** Whether moderators can be shown its results before anyone else sees them. */
  isVisual: boolean;
  images(): Promise<readonly string[]>;
}

/** The outcome for a request: allowed (possibly with its results behind a spoiler or held for review), or refused. */
export type ModerationResult =
  | { isAllowed: true; isSpoiler: boolean; holdFor?: NonNullable<Task['holdFor']> }
  | ({ isAllowed: false } & BrokenRule);

/** Sends the text and the images of an order to the moderation service, if the server has enabled that. */
export async function moderateOrder(
  { texts, isAgeRestricted = false, isVisual, images }: ModeratedOrder,
  { moderation }: RuleSet,
  moderationService: ModerationService | undefined,
): Promise<ModerationResult> {
  const { prompts, references } = moderation;
  const outcomes: ModerationOutcome[] = [];
  function toOutcome(judgement: Judgement | undefined, chosenAction: ModerationAction): ModerationOutcome {
    // Orders that cannot be checked are refused, and so are those whose results would have to be held but cannot be.
    const action = judgement && (chosenAction !== 'hold' || isVisual) ? chosenAction : 'refuse';
    return moderationOutcome(judgement, moderation, { action, isAgeRestricted });
  }
  if (prompts !== 'off')
    for (const text of texts) {
      outcomes.push(toOutcome(await moderationService?.judgeText(text), prompts));
      if (isRefusing(outcomes)) break;
    }
  if (references !== 'off' && !isRefusing(outcomes))
    for (const image of await images()) {
      outcomes.push(toOutcome(await moderationService?.judgeImage(image), references));
      if (isRefusing(outcomes)) break;
    }
  const strictest = outcomes.reduce(stricterOutcome, ALLOWED);
  const { action, category } = strictest;
  if (action === 'hold') return { isAllowed: true, isSpoiler: false, holdFor: { category } };
  if (action !== 'refuse') return { isAllowed: true, isSpoiler: action === 'spoiler' };
  return { isAllowed: false, refusal: refusalOf(strictest), rule: 'moderation', entry: category };
}

function refusalOf({ isUnavailable, needsAgeRestriction }: ModerationOutcome): Refusal {
  if (isUnavailable) return new Refusal('refusals.rules.moderationUnavailable');
  return new ContentRefusal(needsAgeRestriction ? 'refusals.rules.moderatedHere' : 'refusals.rules.moderated');
}

const isRefusing = (outcomes: readonly ModerationOutcome[]): boolean =>
  outcomes.some(({ action }) => action === 'refuse');

/** A server's own threshold for a category replaces the service's verdict. */
function flaggedCategories({ scores, flagged }: Judgement, thresholds: Readonly<Record<string, number>>): string[] {
  const aboveThreshold = Object.entries(scores).filter(
    ([name, score]) => score >= (thresholds[name] ?? Number.POSITIVE_INFINITY),
  );
  return [...aboveThreshold.map(([name]) => name), ...flagged.filter((name) => thresholds[name] === undefined)];
}
