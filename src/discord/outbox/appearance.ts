import { createHash } from 'node:crypto';
import type { MessageBody } from '../adapter.ts';

interface Change {
  sent: MessageBody;
  /** Discord has confirmed it. */
  confirmed(): void;
}

/** What a message is known to show, so that an edit carries only what is new: files that are the same stay where they are. */
export class Appearance {
  #words: string | undefined;
  #files: string | undefined;

  /** undefined: it looks like that already. No file takes none away: the preview that could not be fetched now had been there. */
  changeTo(wanted: MessageBody): Change | undefined {
    const { attachments, ...rest } = wanted.body;
    const words = printOf(rest);
    const files = wanted.files.length === 0 && this.#files !== undefined ? this.#files : printOf(attachments, wanted);
    const filesStay = files === this.#files;
    if (filesStay && words === this.#words) return undefined;
    return {
      sent: filesStay ? { body: rest, files: [] } : wanted,
      confirmed: () => {
        this.#words = words;
        this.#files = files;
      },
    };
  }
}

function printOf(facts: unknown, { files }: Pick<MessageBody, 'files'> = { files: [] }): string {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const { data } of files) hash.update(typeof data === 'object' ? data : String(data));
  return hash.digest('base64');
}
