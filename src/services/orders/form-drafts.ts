import { z } from 'zod';
import type { Clock } from '../../lib/clock.ts';
import { Refusal } from '../../lib/refusal.ts';
import type { StoredRows } from '../../lib/stored-rows.ts';
import { bucketWithin, type Partition } from '../tasks/homes.ts';
import type { MemberFile } from '../tasks/materials.ts';
import { createTaskId } from '../tasks/task-id.ts';

const DRAFT_TTL_MS = 60 * 60_000;

/** Enough for someone who corrects several forms at once; the oldest are dropped first. */
const MAX_DRAFTS = 10;

/** What a member entered in a form that was refused. */
const enteredForm = z.object({
  /** The custom id of the form. */
  formId: z.string(),
  isPrivate: z.boolean(),
  fields: z.record(z.string(), z.string()).readonly(),
  lists: z.record(z.string(), z.array(z.string()).readonly()).readonly(),
});
export type EnteredForm = z.output<typeof enteredForm>;

const quotedMessage = z.object({
  id: z.string(),
  content: z.string(),
  files: z.array(z.object({ address: z.string(), name: z.string(), mediaType: z.string().optional() })).readonly(),
});
export type QuotedMessage = z.output<typeof quotedMessage>;

/** What cannot be in a custom id: the images or the message a form was opened from, what the member entered before it was refused, or why a message was. */
export const formDraft = z.object({
  id: z.string(),
  memberId: z.string(),
  until: z.number(),
  images: z
    .array(z.object({ address: z.string(), name: z.string() }))
    .readonly()
    .optional(),
  /** The message that has the images; not one that only the member sees. */
  about: z.string().optional(),
  message: quotedMessage.optional(),
  entered: enteredForm.optional(),
  /** Why a message of the member was not answered, which only they may read. */
  reason: z.string().optional(),
});
export type FormDraft = z.output<typeof formDraft>;

export type DraftStore = StoredRows<FormDraft, { memberId: string; id: string }>;

/** Drafts of forms. Only the member who opened the form can use them. */
export class FormDrafts {
  readonly #store: DraftStore;
  readonly #clock: Clock;
  readonly #partition: Partition;

  constructor(store: DraftStore, clock: Clock, partition: Partition) {
    this.#store = store;
    this.#clock = clock;
    this.#partition = partition;
  }

  /** Returns the draft's id. The same form has one draft, however often it is refused. */
  async keep(memberId: string, content: Omit<FormDraft, 'id' | 'memberId' | 'until'>): Promise<string> {
    const now = this.#clock.now();
    const drafts = (await this.findByMember(memberId)).sort((one, other) => one.until - other.until);
    const formId = content.entered?.formId;
    const earlier = drafts.find(({ entered }) => formId !== undefined && entered?.formId === formId);
    const id = earlier?.id ?? createTaskId(now, bucketWithin(memberId, this.#partition));
    await this.#store.put({ id, memberId, until: now + DRAFT_TTL_MS, ...content }, DRAFT_TTL_MS);
    const others = drafts.filter((draft) => draft !== earlier);
    await this.#store.remove(...others.slice(0, Math.max(0, others.length + 1 - MAX_DRAFTS)));
    return id;
  }

  async images(id: string, memberId: string): Promise<{ images: readonly MemberFile[]; about: string | undefined }> {
    const { images = [], about } = await this.#get(id, memberId);
    return { images, about };
  }

  async message(id: string, memberId: string): Promise<QuotedMessage> {
    const { message } = await this.#get(id, memberId);
    if (!message) throw new Refusal('refusals.formGone');
    return message;
  }

  async entered(id: string, memberId: string): Promise<EnteredForm> {
    const { entered } = await this.#get(id, memberId);
    if (!entered) throw new Refusal('refusals.formGone');
    return entered;
  }

  async reason(id: string, memberId: string): Promise<string> {
    const reason = (await this.#find(id, memberId))?.reason;
    if (reason === undefined) throw new Refusal('refusals.reasonGone');
    return reason;
  }

  /** Drops what a member entered in a form, because it was corrected. */
  async dropEntered(memberId: string, formId: string): Promise<void> {
    const drafts = await this.findByMember(memberId);
    await this.#store.remove(...drafts.filter(({ entered }) => entered?.formId === formId));
  }

  async findByMember(memberId: string): Promise<FormDraft[]> {
    return (await this.#store.startingWith(`${memberId}:`)).filter(({ until }) => until > this.#clock.now());
  }

  async erase(memberId: string): Promise<void> {
    await this.#store.remove(...(await this.#store.startingWith(`${memberId}:`)));
  }

  async #get(id: string, memberId: string): Promise<FormDraft> {
    const draft = await this.#find(id, memberId);
    if (!draft) throw new Refusal('refusals.formGone');
    return draft;
  }

  async #find(id: string, memberId: string): Promise<FormDraft | undefined> {
    const draft = await this.#store.get({ memberId, id });
    return draft && draft.until > this.#clock.now() ? draft : undefined;
  }
}
