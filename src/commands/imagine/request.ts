import { z } from 'zod';
import { Refusal, throwIfRefusal } from '../../lib/refusal.ts';
import { batchSpec } from '../../services/orders/batches.ts';
import { type ActionFamily, meaningOfAction } from '../../services/tasks/actions.ts';
import { defineRequest, type KindSpecs } from '../../services/tasks/kind-spec.ts';
import type { MemberFile, Reference } from '../../services/tasks/materials.ts';
import type { Choices } from '../choices.ts';
import { emptyPromptRefusal, type References, readImages } from '../options.ts';
import {
  addSuffix,
  type FlagValues,
  flagIn,
  flagSubjectRefusal,
  flagsFor,
  flagValueRefusal,
  negativeFlagRefusal,
  usualFlags,
} from './flags.ts';

export type ImagineValues = FlagValues & References & { prompt: string; spoiler?: boolean | undefined };

/** The request as the task stores it. The prompt is the member's text and flags; the URLs of references are added when it is sent. */
const imagineShape = defineRequest({ prompt: z.string() });
export type ImagineRequest = z.output<typeof imagineShape>;

const asReference = ({ address, name }: MemberFile): Reference => ({
  address,
  name,
  medium: 'image',
  takes: 'address',
});

/** A follow-up contains the gateway's id of the original task, and the label of the button. */
const followUp = defineRequest({
  of: z.string(),
  label: z.string(),
  /** The prompt that is sent, or else that of the original task. */
  prompt: z.string(),
});
const actionShape = followUp.extend({ customId: z.string() });
const changeShape = followUp.extend({
  action: z.enum(['UPSCALE', 'VARIATION', 'REROLL']),
  index: z.number(),
});

export const motions = ['low', 'high'] as const;
/** The images of this request are the first frame and an optional last frame. */
const animateShape = defineRequest({
  prompt: z.string(),
  motion: z.enum(motions),
  loop: z.boolean().optional(),
  /** A video of a finished task to extend, instead of images. */
  extend: z.object({ taskId: z.string(), index: z.number() }).optional(),
});

declare module '../../services/tasks/kind-spec.ts' {
  interface TaskRequests {
    imagine: ImagineRequest;
    action: z.output<typeof actionShape>;
    change: z.output<typeof changeShape>;
    animate: z.output<typeof animateShape>;
  }
}

/** Follow-ups whose results are four images again. */
const GRID_FAMILIES: ReadonlySet<ActionFamily> = new Set([
  ...(['variation', 'vary', 'reroll', 'pan', 'zoom', 'custom-zoom', 'describe-line', 'shorten-line'] as const),
]);

export const imagineSpecs = {
  imagine: {
    request: imagineShape.loose(),
    traits: { isPaid: true, isVisual: true, hasOwnPrompt: true, isGrid: () => true, promptRefusal, addSuffix },
  },
  action: {
    request: actionShape.loose(),
    traits: {
      isPaid: true,
      isVisual: true,
      addSuffix,
      isGrid: ({ customId }) => GRID_FAMILIES.has(meaningOfAction(customId).family),
    },
  },
  change: {
    request: changeShape.loose(),
    traits: { isPaid: true, isVisual: true, addSuffix, isGrid: (request) => request.action !== 'UPSCALE' },
  },
  batch: batchSpec,
  animate: {
    request: animateShape.loose(),
    traits: { isPaid: true, isVisual: true, hasOwnPrompt: true, addSuffix },
  },
} satisfies Partial<KindSpecs>;

function promptRefusal({ prompt, references = [] }: ImagineRequest): Refusal | undefined {
  return flagValueRefusal(prompt) ?? flagSubjectRefusal(prompt, references.length > 0);
}

/** The request, or a refusal that follows from the payload alone. */
export function imagineRequest(values: ImagineValues): ImagineRequest | Refusal {
  const images = emptyPromptRefusal(values) ?? readImages(values);
  if (images instanceof Refusal) return images;
  const refusal = negativeFlagRefusal(values);
  if (refusal) return refusal;
  const typed = values.prompt.trim();
  const prompt = [typed, ...flagsFor(typed, values)].join(' ');
  const request = {
    prompt,
    typed,
    ...(images.length > 0 && { references: images.map(asReference) }),
    ...(values.spoiler !== undefined && { spoiler: values.spoiler }),
  };
  // Discord may still enforce the option ranges of an older registration.
  return promptRefusal(request) ?? request;
}

/** Adds what the member, the channel or the server wants unless the request says otherwise. */
export function withSettings({ spoiler: chosenSpoiler, ...request }: ImagineRequest, choices: Choices): ImagineRequest {
  const { typed = request.prompt } = request;
  const given = (name: (typeof usualFlags)[number]) => ({
    flag: flagIn(typed, name),
    option: flagIn(request.prompt, name),
  });
  const values = Object.fromEntries(
    usualFlags.map((name) => [name, choices.pick<string | number>(name, (set) => set[name], given(name))]),
  );
  const flagged = [request.prompt, ...flagsFor(request.prompt, values)].join(' ');
  const ownSuffix = choices.pick('suffix', (set) => set.suffix);
  const suffix = ownSuffix && addSuffix(flagged.slice(typed.length).trim(), ownSuffix);
  const prompt = suffix === undefined ? flagged : addSuffix(typed, suffix);
  const spoiler = choices.pick('spoiler', (set) => set.spoiler, { option: chosenSpoiler });
  const preferred = { ...request, prompt, ...(suffix && { suffix }), ...choices.fields, ...(spoiler && { spoiler }) };
  throwIfRefusal(promptRefusal(preferred));
  return preferred;
}
