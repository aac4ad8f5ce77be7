import { z } from 'zod';
import type { CallOptions, GatewayHttp } from './http.ts';
import type { Snapshot } from './read/snapshot.ts';
import { readSubmission, type Submission } from './read/submission.ts';
import { checked, taskId, webAddress, words } from './schemas.ts';
import type { GatewaySettings } from './settings.ts';
import type { TaskReader } from './task-reader.ts';

const text = words('this is empty');

/** The submit is not in the specification; these are the names it has in the wild. */
const song = z
  .strictObject({
    /** A description from which words and style are made. */
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

const lyrics = z.strictObject({ about: text, callbackUrl: webAddress.optional() });

type SongRequest = z.input<typeof song>;
type LyricsRequest = z.input<typeof lyrics>;

const batchIds = z.array(taskId).min(1, 'no task id was given');

export class Music {
  readonly #http: GatewayHttp;
  readonly #reader: TaskReader;
  readonly #path: string;

  constructor(http: GatewayHttp, reader: TaskReader, settings: GatewaySettings) {
    this.#http = http;
    this.#reader = reader;
    this.#path = settings.paths.music;
  }

  /** A gateway without this route answers `not-offered`. */
  async makeSong(request: SongRequest, options?: CallOptions): Promise<Submission> {
    const { about, lyrics: verses, style, title, instrumental, model, callbackUrl } = checked(song, request);
    const body = {
      prompt: verses,
      gpt_description_prompt: about,
      tags: style,
      title,
      make_instrumental: instrumental,
      mv: model,
      notify_hook: callbackUrl,
    };
    return this.#submit('music', body, options);
  }

  async makeLyrics(request: LyricsRequest, options?: CallOptions): Promise<Submission> {
    const { about, callbackUrl } = checked(lyrics, request);
    return this.#submit('lyrics', { prompt: about, notify_hook: callbackUrl }, options);
  }

  async get(id: string, options?: CallOptions): Promise<Snapshot> {
    const path = `${this.#path}/fetch/${encodeURIComponent(checked(taskId, id))}`;
    return this.#reader.read('music', await this.#http.read({ path, missing: 'not-found', ...options }));
  }

  /** Many tasks in one question (4.1). Tasks the gateway does not know are missing from the answer; its order means nothing. */
  async getMany(ids: readonly string[], options?: CallOptions): Promise<Map<string, Snapshot>> {
    const body = { ids: checked(batchIds, ids) };
    const answer = await this.#http.read({ path: `${this.#path}/fetch`, body, ...options });
    return this.#reader.readMany('music', answer);
  }

  async #submit(action: string, body: object, options?: CallOptions): Promise<Submission> {
    return readSubmission(
      'music',
      await this.#http.submit({ path: `${this.#path}/submit/${action}`, body, ...options }),
    );
  }
}
