import type { Refusal } from '../../lib/refusal.ts';
import { emptyPrompt } from '../prompt-option.ts';
import { handedIn, linksIn, type References, unfitReference } from '../reference-options.ts';
import { flagInNegative, flagsFor, outOfRange, type Wishes } from './flags.ts';

export interface ImagineValues extends Wishes, References {
  prompt: string;
  spoiler?: boolean | undefined;
}

/** What the task keeps: a picture is named by where it is, and fetched by whoever submits it. */
export type ImagineRequest = {
  /** As the gateway gets it: addresses of reference pictures, the words, the flags. */
  prompt: string;
  /** As the member typed it. */
  typed: string;
  pictures?: { address: string; name: string }[];
  /** Its results, and those that are made of them, are covered until somebody wants to see them. */
  spoiler?: true;
};

export function imagineRequest(values: ImagineValues): ImagineRequest {
  const words = values.prompt.trim();
  const pictures = handedIn(values).map(({ address, name }) => ({ address, name }));
  return {
    prompt: [...linksIn(values), words, ...flagsFor(words, values)].join(' '),
    typed: words,
    ...(pictures.length > 0 && { pictures }),
    ...(values.spoiler && { spoiler: true as const }),
  };
}

/** Why it cannot be ordered like this, as far as that can be told without looking elsewhere. */
export function objectionTo(values: ImagineValues): Refusal | undefined {
  return (
    emptyPrompt(values) ??
    unfitReference(values) ??
    flagInNegative(values) ??
    // Options have their ranges too, but those that Discord holds a member to may be of an older registration.
    outOfRange(imagineRequest(values).prompt)
  );
}
