import { z } from 'zod';
import type { Pcm } from '../../lib/pcm.ts';

/** A member's file, by its URL at Discord. Its bytes are fetched when they are sent, and never stored. */
export const memberFile = z.object({ address: z.string(), name: z.string(), isSpoiler: z.boolean().optional() });
export type MemberFile = z.output<typeof memberFile>;

/**
 * A reference that the gateway fetches by its URL. An image that it could not fetch is sent inline if the endpoint supports data URIs, and uploaded
 * otherwise.
 */
export const reference = z.object({
  address: z.string(),
  name: z.string(),
  /** `any`: the content of the file determines the medium. */
  medium: z.enum(['image', 'video', 'audio', 'any']),
  takes: z.enum(['address', 'address or data']),
});
export type Reference = z.output<typeof reference>;

/**
 * How the images of `/imagine` are passed to the gateway: by their original URL if it can fetch them, by the URL of an uploaded copy, or
 * inside the request.
 */
export const imageTransfers = ['address', 'upload', 'base64'] as const;
export type ImageTransfer = (typeof imageTransfers)[number];

export const sides = ['left', 'right', 'top', 'bottom', 'centre'] as const;

const wholeImage = z.object({ address: z.string(), width: z.number().optional(), height: z.number().optional() });
export type WholeImage = z.output<typeof wholeImage>;

/** The part of an image to be changed: one of its sides, or a mask that the member drew. */
export const region = z.union([
  z.object({ side: z.enum(sides), of: wholeImage }),
  z.object({ drawn: memberFile, of: wholeImage.optional() }),
]);
export type Region = z.output<typeof region>;

export interface PreparedReference {
  medium: Exclude<Reference['medium'], 'any'>;
  uri: string;
}

/** Files that are sent with a request, as data URIs. */
export interface Materials {
  images?: string[] | undefined;
  mask?: string | undefined;
  /** The text of a document if it contains nothing else, otherwise a data URI. */
  documents?: { name: string; text?: string; data?: string }[] | undefined;
  sound?: Pcm | undefined;
  /** URLs, or data URIs if the gateway supports them, in the order of the request. */
  references?: PreparedReference[] | undefined;
}

export interface GatherContext {
  /** The member who provided the files, because the number of simultaneous fetches is limited per member. */
  memberId: string;
  /** How long the gateway may take to fetch a file. */
  timeLimitMs: number;
  transfer?: ImageTransfer | undefined;
  /** Set if the gateway refused the images as too large, so that smaller ones are sent. */
  shouldShrink?: boolean;
}

interface RequestFiles {
  readonly pictures?: readonly MemberFile[] | undefined;
  readonly region?: Region | undefined;
  readonly references?: readonly Reference[] | undefined;
  readonly documents?: readonly MemberFile[] | undefined;
  readonly sound?: MemberFile | undefined;
}

/** Fetches and checks the files of a request. Refuses files that are gone or of the wrong type. */
export type Gather = (files: RequestFiles, context: GatherContext) => Promise<Materials>;
