import { z } from 'zod';

/** A picture that a member gave: where Discord keeps it. Its bytes are fetched when they are sent, and never stored. */
export const givenPicture = z.object({ address: z.string(), name: z.string() });
export type GivenPicture = z.output<typeof givenPicture>;

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
}

/** Brings together what a request names. Refuses what is not there any more, or not what it should be. */
export type Gather = (request: Readonly<Record<string, unknown>>) => Promise<Materials>;
