import { z } from 'zod';
import type { StoredRows } from '../../lib/stored-rows.ts';

export const presetCommands = ['imagine', 'image', 'video', 'music', 'ask'] as const;
export type PresetCommand = (typeof presetCommands)[number];

export const MAX_PRESET_NAME_LENGTH = 40;
export const MAX_TEMPLATE_LENGTH = 2_000;
/** More than any command has. */
const MAX_OPTIONS = 25;

/** Nothing that could be Markdown or a mention, and no characters that are invisible or change the direction of text. */
const NAME_PATTERN = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} '’-]*[\p{L}\p{M}\p{N}])?$/u;
/** Hangul fillers are letters that draw nothing. */
const INVISIBLE = /\p{DI}/u;
/** Control characters except line breaks, and characters that change the direction of text. */
const UNSAFE = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export const presetContent = z.object({
  name: z
    .string()
    .transform((text) => text.normalize('NFC').replace(/\s+/g, ' ').trim())
    .pipe(
      z
        .string()
        .max(MAX_PRESET_NAME_LENGTH)
        .regex(NAME_PATTERN)
        .refine((text) => !INVISIBLE.test(text)),
    ),
  command: z.enum(presetCommands),
  /** As typed, with `{prompt}` where the member's text goes; without it, the text is appended. */
  template: z
    .string()
    .max(MAX_TEMPLATE_LENGTH)
    .transform((text) => text.replaceAll('\r\n', '\n').replace(UNSAFE, '').trim())
    .pipe(z.string().min(1)),
  options: z
    .record(z.string().max(MAX_PRESET_NAME_LENGTH), z.union([z.string().min(1).max(6_000), z.number(), z.boolean()]))
    .refine((options) => Object.keys(options).length <= MAX_OPTIONS)
    .default({}),
});
export type PresetContent = z.output<typeof presetContent>;

/** A preset of a member. With `guildId`, it is shared in that server. */
export const presetRow = presetContent.extend({
  id: z.string(),
  memberId: z.string(),
  guildId: z.string().optional(),
  uses: z.number(),
  at: z.number(),
});
export type PresetRow = z.output<typeof presetRow>;

/** One of the operator's has no owner. */
export type Preset = PresetContent & { id: string } & Partial<Omit<PresetRow, 'id'>>;

export type PresetOwner = Pick<PresetRow, 'memberId' | 'guildId'>;

/** The rows of an owner begin alike, so they are read without those of others. */
export const presetPrefix = ({ memberId, guildId }: PresetOwner): string =>
  guildId === undefined ? `member:${memberId}:` : `server:${guildId}:`;

export const presetKey = (row: PresetOwner & { id: string }): string => presetPrefix(row) + row.id;

export const hasName = ({ name }: { name: string }, wanted: string): boolean =>
  name.toLowerCase() === wanted.normalize('NFC').trim().toLowerCase();

const PLACEHOLDER = /\{prompt\}/gi;
export const takesText = (template: string): boolean => template.search(PLACEHOLDER) >= 0;

/** The template with a member's text. Braces other than `{prompt}` stay as they are. */
export const fillTemplate = (template: string, text: string): string =>
  (takesText(template) ? template : `${template} {prompt}`).replace(PLACEHOLDER, () => text).trim();

export type PresetStore = StoredRows<PresetRow, PresetOwner & { id: string }>;
