import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { isTaskId } from '../tasks/task-id.ts';

const TAG_BYTES = 16;
const ID_BYTES = 17;
const TOKEN = /^[A-Za-z0-9_-]{44}$/;

/**
 * The addresses that gateways call back: the task's id, encrypted under its own keyed hash (a synthetic IV). So an address
 * cannot be guessed and tells nothing, any process with the store's secret reads it, and nothing is stored for it.
 */
export class CallbackAddresses {
  readonly #base: string;
  readonly #tagKey: Buffer;
  readonly #textKey: Buffer;

  /** `base`: the public URL, without a slash at its end. */
  constructor(base: string, secret: string) {
    this.#base = base;
    const keyFor = (use: string): Buffer => createHmac('sha256', secret).update(`callbacks: ${use}`).digest();
    this.#tagKey = keyFor('tag');
    this.#textKey = keyFor('text');
  }

  of(taskId: string): string {
    const tag = this.#tagOf(taskId);
    const cipher = createCipheriv('aes-256-ctr', this.#textKey, tag);
    const token = Buffer.concat([tag, cipher.update(taskId, 'latin1'), cipher.final()]);
    return `${this.#base}/${token.toString('base64url')}`;
  }

  /** The id that this request target names, if it is one of ours. Every well-formed forgery costs the same. */
  taskIdIn(target: string): string | undefined {
    // A reverse proxy may have taken the path of the public URL away.
    const token = target.slice(target.lastIndexOf('/') + 1);
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const tag = bytes.subarray(0, TAG_BYTES);
    const decipher = createDecipheriv('aes-256-ctr', this.#textKey, tag);
    const id = decipher.update(bytes.subarray(TAG_BYTES, TAG_BYTES + ID_BYTES)).toString('latin1');
    return timingSafeEqual(tag, this.#tagOf(id)) && isTaskId(id) ? id : undefined;
  }

  #tagOf(taskId: string): Buffer {
    return createHmac('sha256', this.#tagKey).update(taskId, 'latin1').digest().subarray(0, TAG_BYTES);
  }
}
