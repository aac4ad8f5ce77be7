import { withoutUndefined } from '../../lib/entries.ts';

/** When the gateway asks for a prompt before it starts an action. `in-remix`: only if the account is in remix mode. */
type PromptRequirement = 'never' | 'in-remix' | 'always' | 'with-region';

const ACTION_PATTERNS = [
  [/^MJ::JOB::upsample::([1-4])::/, 'upscale', 'never'],
  [/^MJ::JOB::upsample_/, 'upscale-more', 'never'],
  [/^MJ::JOB::variation::([1-4])::/, 'variation', 'in-remix'],
  [/^MJ::JOB::(?:low|high)_variation::/, 'vary', 'in-remix'],
  [/^MJ::JOB::reroll::/, 'reroll', 'in-remix'],
  [/^MJ::JOB::pan_(?:left|right|up|down)::/, 'pan', 'in-remix'],
  [/^MJ::JOB::animate_(?:high|low)_extend::(\d)?/, 'extend', 'always'],
  [/^MJ::JOB::animate_(?:high|low)::/, 'animate', 'in-remix'],
  [/^MJ::JOB::video_virtual_upscale::([1-4])?/, 'single-video', 'never'],
  [/^MJ::Outpaint::/, 'zoom', 'never'],
  [/^MJ::CustomZoom::/, 'custom-zoom', 'always'],
  [/^MJ::Inpaint::/, 'region', 'with-region'],
  [/^MJ::Job::PicReader::([1-9])$/, 'describe-line', 'always'],
  [/^MJ::Job::PicReader::all$/, 'describe-all', 'never'],
  [/^MJ::Picread::Retry$/, 'describe-again', 'never'],
  [/^MJ::Job::PromptAnalyzer::([1-9])/, 'shorten-line', 'always'],
  [/^MJ::BOOKMARK::/, 'favourite', 'never'],
] as const satisfies readonly (readonly [RegExp, string, PromptRequirement])[];

/** Actions of one family that have their own names. */
const VARIANT_PATTERNS = [
  [/^MJ::JOB::upsample_\w+_subtle::/, 'subtle-upscale'],
  [/^MJ::JOB::upsample_\w+_creative::/, 'creative-upscale'],
  [/^MJ::JOB::upsample_\w+_2x::/, 'upscale-2x'],
  [/^MJ::JOB::upsample_\w+_4x::/, 'upscale-4x'],
  [/^MJ::JOB::low_variation::/, 'subtle-variation'],
  [/^MJ::JOB::high_variation::/, 'strong-variation'],
  [/^MJ::JOB::pan_left::/, 'pan-left'],
  [/^MJ::JOB::pan_right::/, 'pan-right'],
  [/^MJ::JOB::pan_up::/, 'pan-up'],
  [/^MJ::JOB::pan_down::/, 'pan-down'],
  [/^MJ::JOB::animate_low::/, 'low-animation'],
  [/^MJ::JOB::animate_high::/, 'high-animation'],
  [/^MJ::JOB::animate_low_extend::/, 'low-extension'],
  [/^MJ::JOB::animate_high_extend::/, 'high-extension'],
  [/^MJ::Outpaint::50::/, 'zoom-2x'],
  [/^MJ::Outpaint::75::/, 'zoom-1-5x'],
  [/^MJ::Outpaint::100::/, 'make-square'],
] as const satisfies readonly (readonly [RegExp, string])[];

export const actionVariants = VARIANT_PATTERNS.map(([, variant]) => variant);
type ActionVariant = (typeof actionVariants)[number];

export const actionFamilies = [...ACTION_PATTERNS.map(([, family]) => family), 'other'] as const;
export type ActionFamily = (typeof actionFamilies)[number];

export interface ActionMeaning {
  family: ActionFamily;
  variant?: ActionVariant;
  promptRequirement: PromptRequirement;
  /** The number of one of the four images, or of a line. */
  index?: number;
}

/** Returns the meaning of a gateway's button from its custom action ID. A button with an unknown meaning can still be pressed. */
export function meaningOfAction(customId: string): ActionMeaning {
  for (const [pattern, family, promptRequirement] of ACTION_PATTERNS) {
    const match = pattern.exec(customId);
    if (!match) continue;
    const index = match[1] === undefined ? undefined : Number(match[1]);
    const [, variant] = VARIANT_PATTERNS.find(([variantPattern]) => variantPattern.test(customId)) ?? [];
    return { family, ...withoutUndefined({ variant, index }), promptRequirement };
  }
  return { family: 'other', promptRequirement: 'never' };
}

export const needsForm = ({ promptRequirement }: ActionMeaning, isRemix: boolean): boolean =>
  promptRequirement === 'always' ||
  promptRequirement === 'with-region' ||
  (promptRequirement === 'in-remix' && isRemix);

/** Whether a member's settings decide about its prompt, if the account is in remix mode. */
export const isRemixable = ({ family, promptRequirement }: ActionMeaning): boolean =>
  promptRequirement === 'in-remix' && family !== 'animate';

const ZOOMS: Readonly<Partial<Record<ActionVariant, string>>> = { 'zoom-2x': '2', 'zoom-1-5x': '1.5' };

/** The value with which Custom Zoom, which takes a prompt, does the same. */
export const zoomOf = ({ variant }: ActionMeaning): string | undefined => variant && ZOOMS[variant];

/** The index of Custom Zoom among the actions of a result, or -1. */
export const customZoomIndex = ({ actions }: { actions: readonly { customId: string }[] }): number =>
  actions.findIndex(({ customId }) => meaningOfAction(customId).family === 'custom-zoom');

const CHANGE_FAMILIES = { UPSCALE: 'upscale', VARIATION: 'variation', REROLL: 'reroll' } as const;

export const meaningOfChange = ({
  action,
  index,
}: {
  action: keyof typeof CHANGE_FAMILIES;
  index: number;
}): ActionMeaning => ({
  family: CHANGE_FAMILIES[action],
  promptRequirement: 'never',
  index,
});
