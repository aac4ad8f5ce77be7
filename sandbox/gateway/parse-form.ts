import { ApiError } from './api-error.ts';

/** Converts a form to JSON: files become data URIs, and repeated names become lists. */
export async function parseForm(bytes: Buffer, contentType: string): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [fieldName, value] of await entriesOf(bytes, contentType)) {
    const name = fieldName.replace(/\[\d*\]$/, '');
    const next = typeof value === 'string' ? value : await dataUri(value);
    const previous = body[name];
    if (name === fieldName && previous === undefined) body[name] = next;
    else body[name] = [...(Array.isArray(previous) ? previous : previous === undefined ? [] : [previous]), next];
  }
  return body;
}

async function entriesOf(bytes: Buffer, contentType: string): Promise<[string, string | File][]> {
  try {
    const form = await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
    return [...form.entries()];
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const apiError = new ApiError('The body is not a well-formed form.', { status: 400, code: 'bad_request_body' });
    throw Object.assign(apiError, { cause: error });
  }
}

async function dataUri(file: File): Promise<string> {
  const type = file.type.split(';')[0] || 'application/octet-stream';
  return `data:${type};base64,${Buffer.from(await file.arrayBuffer()).toString('base64')}`;
}
