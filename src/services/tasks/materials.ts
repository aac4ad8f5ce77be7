import { z } from 'zod';
import type { Pcm } from '../../lib/pcm.ts';

/** A picture that a member gave: where Discord keeps it. Its bytes are fetched when they are sent, and never stored. */
export const givenPicture = z.object({ address: z.string(), name: z.string() });
export type GivenPicture = z.output<typeof givenPicture>;

/**
 * Something to go by that the gateway fetches itself, so it is given by its address. It is looked at before, and where an endpoint also takes
 * pictures as data and the gateway could not reach the address, the picture goes along.
 */
export const reference = z.object({
  address: z.string(),
  name: z.string(),
  medium: z.enum(['image', 'video', 'audio']),
  takes: z.enum(['address', 'address or data']),
});
export type Reference = z.output<typeof reference>;

export const sides = ['left', 'right', 'top', 'bottom', 'centre'] as const;

/** The picture whose region is meant, and its size where that is known. */
const whole = z.object({ address: z.string(), width: z.number().optional(), height: z.number().optional() });

/** Which part of a picture is to be changed: one of its sides, or what a member has drawn. */
export const region = z.union([z.object({ side: z.enum(sides), of: whole }), z.object({ drawn: givenPicture })]);
export type Region = z.output<typeof region>;

/** What an order sends along, as data URIs. */
export interface Materials {
  pictures?: string[] | undefined;
  mask?: string | undefined;
  /** Files to be read: their text where they are nothing else, or a data URI. */
  documents?: { name: string; text?: string; data?: string }[] | undefined;
  /** What a member has spoken. */
  sound?: Pcm | undefined;
  /** Addresses, or data URIs where the gateway takes those too; in the order of the request. */
  references?: { medium: Reference['medium']; given: string }[] | undefined;
}

/** What is known of the order besides its request. */
export interface Occasion {
  /** Who gave what the request names: nobody has many fetches at the same time. */
  memberId: string;
  /** So long the gateway may need what it fetches itself. */
  patienceMs: number;
  /** The gateway found the pictures too large: smaller ones. */
  lighter?: boolean;
}

/** What a request names that has to be brought together. */
interface Named {
  readonly pictures?: readonly GivenPicture[] | undefined;
  readonly region?: Region | undefined;
  readonly references?: readonly Reference[] | undefined;
  readonly documents?: readonly GivenPicture[] | undefined;
  readonly sound?: GivenPicture | undefined;
}

/** Brings it together. Refuses what is not there any more, or not what it should be. */
export type Gather = (named: Named, occasion: Occasion) => Promise<Materials>;
