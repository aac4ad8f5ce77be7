import { z } from 'zod';
import type { Refusal } from '../../lib/refusal.ts';
import type { ModelKind } from '../gateway/model-families.ts';
import { levels } from './levels.ts';
import { memberFile, reference, region } from './materials.ts';

const commonRequest = z.object({
  prompt: z.string().optional(),
  /** The prompt as the member wrote it, without the additions from options. */
  typed: z.string().optional(),
  /** The name of a task that has no prompt. */
  title: z.string().optional(),
  words: z.string().optional(),
  /** The words as the member wrote them, if a suffix was added. */
  typedWords: z.string().optional(),
  /** What is added to the member's own text if settings add a suffix: the suffix, and the flags of options. Others do not see it. */
  suffix: z.string().optional(),
  region: region.optional(),
  model: z.string().optional(),
  instructions: z.string().optional(),
  effort: z.string().optional(),
  format: z.string().optional(),
  schema: z.string().optional(),
  style: z.string().optional(),
  /** Whether the results are hidden as spoilers. `required`: by moderation, so their owner cannot show them openly. */
  spoiler: z.union([z.boolean(), z.literal('required')]).optional(),
  /** Whether the task is visible only to the members of its private thread, and in no other lists. */
  isClosed: z.boolean().optional(),
  /** The message in the same channel whose text or files the request is about; not one that only the member sees. */
  about: z.string().optional(),
  pictures: z.array(memberFile).optional(),
  documents: z.array(memberFile).optional(),
  references: z.array(reference).optional(),
  sound: memberFile.optional(),
  /** The number of files that a message in a thread had in addition, which were not used. */
  ignoredFiles: z.number().optional(),
  /** Where the values come from that settings can set, by their names. */
  sources: z.record(z.string(), z.enum(levels)).optional(),
});
export type CommonRequest = z.output<typeof commonRequest>;

export const defineRequest = <S extends z.ZodRawShape>(own: S) => commonRequest.extend(own);

/**
 * The request type of each kind. The module of a kind adds its member by declaration merging, and provides a `KindSpec` that parses
 * stored requests.
 */
// biome-ignore lint/suspicious/noEmptyInterface: its members are declared with their kinds.
export interface TaskRequests {}

export type TaskKind = keyof TaskRequests;

export interface Traits<K extends TaskKind = TaskKind> {
  /** Whether the task is requested through the bot and is therefore in the ledger. */
  readonly isPaid?: boolean;
  /** Whether the task is shown in albums and therefore has no message of its own. */
  readonly isPart?: boolean;
  /** Whether the task shows other tasks and is not polled itself. */
  readonly isAlbum?: boolean;
  /** Whether the task shows orders that were confirmed together, which are its children. */
  readonly isBatch?: boolean;
  /** Whether lists show the parent task instead of this one. */
  readonly isListedByParent?: boolean;
  /** Whether the task is a model's text, which is shown while it arrives. */
  readonly isText?: boolean;
  /** Whether the task makes images or videos, which can be shown to moderators before anyone else sees them. */
  readonly isVisual?: boolean;
  readonly isUtterance?: boolean;
  /** Whether the task is a live conversation. It has no wait limit, because the member decides how long it lasts. */
  readonly isTalk?: boolean;
  /** Whether the prompt is the member's own text, so that the task can be ordered again with another prompt. */
  readonly hasOwnPrompt?: boolean;
  readonly keepsTitle?: boolean;
  /** The kind of model that makes the task, if its request names a model. */
  readonly modelKind?: ModelKind;
  readonly isFollowable?: boolean;
  /** Whether its result is a grid of four images, of which one can be chosen. */
  isGrid?(request: TaskRequests[K]): boolean;
  hearsEveryone?(request: TaskRequests[K]): boolean;
  /** Why the gateway would fail on the prompt. Asked when a member has changed it. */
  promptRefusal?(request: TaskRequests[K]): Refusal | undefined;
  /** The prompt that a text and the suffix make. Without it, the suffix follows the text. */
  addSuffix?(text: string, suffix: string): string;
}

export interface KindSpec<K extends TaskKind = TaskKind> {
  /** Parses a stored request. Unknown fields are kept: another version may have written them. */
  readonly request: z.ZodType<TaskRequests[K]>;
  readonly traits: Traits<K>;
}

export type KindSpecs = { readonly [K in TaskKind]: KindSpec<K> };

export const isKind = (name: unknown, specs: KindSpecs): name is TaskKind =>
  typeof name === 'string' && Object.hasOwn(specs, name);

/** The names of all kinds, in the order of their features. */
export const kindNames = (specs: KindSpecs): TaskKind[] =>
  Object.keys(specs).filter((name): name is TaskKind => isKind(name, specs));
