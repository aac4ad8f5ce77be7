import type { FastifyRequest } from 'fastify';
import { contentTypeOf } from './content-type.ts';
import { badJson } from './refusal.ts';
import type { FileInput } from './uploads.ts';

/** An uploaded file; `id` is the n of `files[n]`, which `attachments[].id` refers to. */
export interface UploadedFile extends FileInput {
  readonly id: string;
}

export interface RequestPayload {
  readonly body: unknown;
  readonly files: readonly UploadedFile[];
}

/** A form has its JSON in `payload_json` next to the files (documentation, reference, "Uploading Files"). */
export async function readPayload(request: FastifyRequest): Promise<RequestPayload> {
  if (!request.isMultipart()) return { body: request.body ?? undefined, files: [] };
  const files: UploadedFile[] = [];
  const fields: Record<string, unknown> = {};
  let body: unknown;
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      const id = /^files?\[(\d+)\]$/.exec(part.fieldname)?.[1] ?? String(files.length);
      files.push({ id, name: part.filename, bytes: await part.toBuffer(), contentType: part.mimetype });
    } else if (part.fieldname === 'payload_json') body = parseJson(String(part.value));
    else fields[part.fieldname] = part.value;
  }
  return { body: body ?? fields, files };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw Object.assign(badJson(), { cause: error });
  }
}

export const fileFactsOf = (files: readonly UploadedFile[]) =>
  files.map((file) => ({
    id: file.id,
    name: file.name,
    bytes: file.bytes.length,
    isAudio: contentTypeOf(file).startsWith('audio/'),
  }));
