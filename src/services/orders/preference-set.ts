import { z } from 'zod';
import { type Language, languages } from '../../lib/languages.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';

export const modelPurposes = ['image', 'video', 'music', 'text', 'voice'] as const;
export const answerLengths = ['short', 'medium', 'long'] as const;
export const answerTones = ['friendly', 'formal', 'direct', 'playful'] as const;
/** `slow`: after tasks of more than a minute, as without a preference. */
export const pings = ['slow', 'never', 'always'] as const;

export const MAX_SUFFIX_LENGTH = 300;
export const MAX_PERSONA_NAME_LENGTH = 40;
export const MAX_PERSONA_LENGTH = 2_000;
const MAX_MODEL_LENGTH = 200;

const model = z.string().min(1).max(MAX_MODEL_LENGTH);
const value = z.string().min(1).max(30);

/** What a member, a channel or a server wants unless a request says otherwise. */
export const preferenceSet = z.object({
  models: z.partialRecord(z.enum(modelPurposes), model).optional(),
  aspect: value.optional(),
  version: value.optional(),
  quality: value.optional(),
  stylize: z.number().optional(),
  /** Text for the end of prompts for images and videos, and flags of `/imagine`. */
  suffix: z.string().min(1).max(MAX_SUFFIX_LENGTH).optional(),
  isPrivate: z.boolean().optional(),
  /** Whether the buttons of results open the prompt first, where the gateway takes a changed one. */
  remix: z.boolean().optional(),
  spoiler: z.boolean().optional(),
  ping: z.enum(pings).optional(),
  length: z.enum(answerLengths).optional(),
  tone: z.enum(answerTones).optional(),
  /** Another version may know more of them. */
  language: z.enum(languages).optional().catch(undefined),
});
export type PreferenceSet = z.output<typeof preferenceSet>;

/** What the first response to an interaction depends on, by the precedence of the levels. What others read too is not in a member's language. */
export interface EarlyPreferences extends Pick<PreferenceSet, 'isPrivate' | 'remix'> {
  memberLanguage?: Language | undefined;
  placeLanguage?: Language | undefined;
}

export const preferenceLevels = ['member', 'channel', 'server'] as const;
export type PreferenceLevel = (typeof preferenceLevels)[number];

/** The sections in which they are shown and changed. Only a channel has a persona. */
export const preferenceSections = ['models', 'images', 'replies', 'answers', 'persona'] as const;
export type PreferenceSection = (typeof preferenceSections)[number];

const persona = z.object({
  name: z.string().min(1).max(MAX_PERSONA_NAME_LENGTH),
  instructions: z.string().min(1).max(MAX_PERSONA_LENGTH),
  model: model.optional(),
  answersMentions: z.boolean(),
});
export type Persona = z.output<typeof persona>;

/** A member, a channel of a server, or a whole server. */
const preferenceOwner = z.object({
  memberId: z.string().optional(),
  guildId: z.string().optional(),
  channelId: z.string().optional(),
});
export type PreferenceOwner = z.output<typeof preferenceOwner>;

const ownPreferences = z.object({
  set: preferenceSet,
  /** Only of a channel. */
  persona: persona.optional(),
});
export type OwnPreferences = z.output<typeof ownPreferences>;

export const preferenceRow = preferenceOwner.extend({
  ...ownPreferences.shape,
  at: z.number(),
  /** Who changed it last; undefined after their erasure. */
  by: z.string().optional(),
});
export type PreferenceRow = z.output<typeof preferenceRow>;

/** The rows of a server begin alike, so they are read without those of others. */
export const preferenceOwnerName = ({ memberId, guildId = '', channelId = '' }: PreferenceOwner): string =>
  memberId === undefined ? `server:${guildId}:${channelId}` : `member:${memberId}`;

/** Its rows are read with `each`, because there may be one for each member. */
export type PreferenceStore = StoredRows<PreferenceRow, PreferenceOwner>;
