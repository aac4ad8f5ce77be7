import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isTaskId } from '../tasks/task-id.ts';

const TAG_BYTES = 16;
const TOKEN = /^[A-Za-z0-9_-]{44}$/;

/**
 * The URLs that gateways call back. Each contains the task's id, encrypted with a key derived from the id's keyed hash. A URL cannot be
 * guessed and reveals nothing, any process with the store's secret can read it, and nothing has to be stored for it.
 */
export class CallbackUrls {
  readonly #base: string;
  readonly #tagKey: Buffer;
  readonly #textKey: Buffer;

  /** `base`: the public URL, without a trailing slash. */
  constructor(base: string, secret: string) {
    this.#base = base;
    const keyFor = (purpose: string): Buffer => createHmac('sha256', secret).update(`callbacks: ${purpose}`).digest();
    this.#tagKey = keyFor('tag');
    this.#textKey = keyFor('text');
  }

  urlFor(taskId: string): string {
    const id = Buffer.from(taskId, 'latin1');
    const tag = this.#tagOf(id);
    return `${this.#base}/${Buffer.concat([tag, this.#crypt(id, tag)]).toString('base64url')}`;
  }

  /** The task id in a request target, if it is one of our URLs. Rejecting a well-formed forgery always takes the same time. */
  taskIdIn(target: string): string | undefined {
    // A reverse proxy may have removed the path of the public URL.
    const token = target.slice(target.lastIndexOf('/') + 1);
    if (!TOKEN.test(token)) return undefined;
    const bytes = Buffer.from(token, 'base64url');
    const tag = bytes.subarray(0, TAG_BYTES);
    const id = this.#crypt(bytes.subarray(TAG_BYTES), tag);
    if (!timingSafeEqual(tag, this.#tagOf(id))) return undefined;
    const text = id.toString('latin1');
    return isTaskId(text) ? text : undefined;
  }

  #tagOf(id: Buffer): Buffer {
    return keyedHash(this.#tagKey, id).subarray(0, TAG_BYTES);
  }

  #crypt(text: Buffer, tag: Buffer): Buffer {
    const pad = keyedHash(this.#textKey, tag);
    return Buffer.from(text.map((byte, index) => byte ^ (pad[index] ?? 0)));
  }
}

/** SHA-3 needs no HMAC, and its single call takes a quarter of the time, which matters if thousands of forgeries arrive. */
const keyedHash = (key: Buffer, text: Buffer): Buffer => hash('sha3-256', Buffer.concat([key, text]), 'buffer');
