import { hash } from 'node:crypto';
import type { MessageBody } from '../message-body.ts';

/** The known content of a message, so that an edit sends only the changes: unchanged files are not uploaded again. */
export class ShownContent {
  #text: string | undefined;
  #files: string | undefined;

  /** Returns undefined if nothing has to change. A plan whose preview could not be fetched keeps the files. */
  changeTo(message: MessageBody): { sent: MessageBody; confirm(): void } | undefined {
    const { attachments, ...rest } = message.body;
    const text = hashOf(rest);
    const files =
      message.files.length === 0 && this.#files !== undefined ? this.#files : hashOf(attachments, message.files);
    const areFilesUnchanged = files === this.#files;
    if (areFilesUnchanged && text === this.#text) return undefined;
    return {
      sent: areFilesUnchanged ? { body: rest, files: [] } : message,
      confirm: () => {
        this.#text = text;
        this.#files = files;
      },
    };
  }
}

function hashOf(value: unknown, files: MessageBody['files'] = []): string {
  const fileHashes = files.map(({ data }) => hash('sha256', typeof data === 'object' ? data : String(data)));
  return hash('sha256', JSON.stringify([value, fileHashes]), 'base64');
}
