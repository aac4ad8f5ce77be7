import { createHash } from 'node:crypto';
import type { MessageBody } from '../adapter.ts';

/** The known content of a message, so that an edit sends only the changes: unchanged files are not uploaded again. */
export class ShownContent {
  #text: string | undefined;
  #files: string | undefined;

  /** Returns undefined if nothing has to change. A plan whose preview could not be fetched keeps the files. */
  changeTo(wanted: MessageBody): { sent: MessageBody; confirm(): void } | undefined {
    const { attachments, ...rest } = wanted.body;
    const text = hashOf(rest);
    const files = wanted.files.length === 0 && this.#files !== undefined ? this.#files : hashOf(attachments, wanted);
    const filesStay = files === this.#files;
    if (filesStay && text === this.#text) return undefined;
    return {
      sent: filesStay ? { body: rest, files: [] } : wanted,
      confirm: () => {
        this.#text = text;
        this.#files = files;
      },
    };
  }
}

function hashOf(facts: unknown, { files }: Pick<MessageBody, 'files'> = { files: [] }): string {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const { data } of files) hash.update(typeof data === 'object' ? data : String(data));
  return hash.digest('base64');
}
