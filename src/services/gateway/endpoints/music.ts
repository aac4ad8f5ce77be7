import { z } from 'zod';
import type { CallOptions } from '../http.ts';
import { nonEmptyText, validate, webAddress } from '../schemas.ts';
import type { Snapshot, Submission } from '../snapshot.ts';
import { TaskResource } from './task-client.ts';

const text = nonEmptyText('this is empty');

/** The specification does not describe this request; these are the field names that existing gateways use. */
const song = z
  .strictObject({
    /** A description from which the gateway makes the lyrics and the style. */
    about: text.optional(),
    lyrics: text.optional(),
    style: text.optional(),
    title: text.optional(),
    instrumental: z.boolean().optional(),
    model: text.optional(),
    callbackUrl: webAddress.optional(),
  })
  .refine(({ about, lyrics, style, title }) => about ?? lyrics ?? style ?? title, {
    message: 'the song is empty: say what it is about, or give lyrics, a style or a title',
  });

export class Music extends TaskResource {
  readonly #path = this.tasks.settings.paths.music;

  /** Fails with `not-offered` if the gateway does not have this route. */
  async makeSong(request: z.input<typeof song>, options?: CallOptions): Promise<Submission> {
    const { lyrics, about, style, title, instrumental, model, callbackUrl } = validate(song, request);
    const contentFields = { prompt: lyrics, gpt_description_prompt: about, tags: style, title };
    const body = { ...contentFields, make_instrumental: instrumental, mv: model, ...this.#callback(callbackUrl) };
    return this.tasks.submit('music', { path: `${this.#path}/submit/music`, body, ...options });
  }

  get(id: string, options?: CallOptions): Promise<Snapshot> {
    return this.tasks.get('music', `${this.#path}/fetch/{id}`, id, options);
  }

  getMany(ids: readonly string[], options?: CallOptions): Promise<Map<string, Snapshot>> {
    return this.tasks.getMany('music', `${this.#path}/fetch`, ids, options);
  }

  #callback(url: string | undefined): Record<string, string | undefined> {
    const field = this.tasks.settings.callbackFields?.music;
    return field === undefined ? {} : { [field]: url };
  }
}
